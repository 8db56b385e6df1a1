// Locations and edges as they are put together: what is refused, and two locations as one system.
#include <stdexcept>

#include <doctest/doctest.h>

#include "slideway/model/automaton.hpp"
#include "slideway/model/from_functor.hpp"

using namespace slideway;

namespace {

// x' = rate·(1 + λ), with the surface x = 1.
struct Drift {
  double rate = 1;
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0] - 1.0; }
  void field(auto, const auto& /*x*/, const auto& lambda, auto&& dx) const {
    dx[0] = rate * (1.0 + lambda[0]);
  }
};

struct Still {
  void field(auto, const auto& x, const auto&, auto&& dx) const { dx[0] = 0.0 * x[0]; }
};

System drift(double rate) { return from_functor(Drift{rate}, {.states = 1, .surfaces = 1}); }

const Guard kHeight{[](auto, const auto& x) { return x[0]; }};

Edge edge(const std::string& from, const std::string& to) {
  return {.name = "go", .from = from, .to = to, .when = kHeight, .direction = Direction::rising};
}

}  // namespace

TEST_CASE("a system is an automaton of one location without a name") {
  const Automaton automaton = drift(1);
  CHECK_FALSE(automaton.has_locations());
  CHECK(automaton.locations().size() == 1);
  CHECK(automaton.edges().empty());
  CHECK(automaton.system().states() == 1);
}

TEST_CASE("an automaton starts in the location that is named") {
  const Automaton automaton({{"down", drift(-1)}, {"up", drift(1)}}, {edge("down", "up")}, "up");
  CHECK(automaton.has_locations());
  CHECK(automaton.initial() == 1);
  CHECK(automaton.location_index("down") == 0);
  Vector dx(1);
  automaton.system().field(0, Vector::Zero(1), Vector::Zero(1), dx);
  CHECK(dx[0] == 1);
}

TEST_CASE("an unknown location is answered with the known ones and the nearest") {
  const std::vector<Location> locations = {{"heating", drift(1)}, {"cooling", drift(-1)}};
  CHECK_THROWS_WITH_AS(Automaton(locations, {}, "heatin"), doctest::Contains("did you mean 'heating'?"),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(Automaton(locations, {edge("heating", "off")}, "heating"),
                       doctest::Contains("one of heating, cooling"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(
      Automaton(locations, {edge("off", "heating")}, "heating"),
      doctest::Contains("edge 'go' from 'off' to 'heating': there is no location of that name"),
      std::invalid_argument);
  Edge rests = edge("heating", "cooling");
  rests.zeno = "rest";
  CHECK_THROWS_WITH_AS(Automaton(locations, {rests}, "heating"), doctest::Contains("'rest'"),
                       std::invalid_argument);
}

TEST_CASE("locations need names, different ones, and the same states, surfaces and contacts") {
  CHECK_THROWS_AS(Automaton({}, {}, ""), std::invalid_argument);
  CHECK_THROWS_WITH_AS(Automaton({{"", drift(1)}}, {}, ""), doctest::Contains("no name"),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(Automaton({{"a", drift(1)}, {"a", drift(2)}}, {}, "a"), doctest::Contains("'a' twice"),
                       std::invalid_argument);
  const System without = from_functor(Still{}, {.states = 1});
  CHECK_THROWS_WITH_AS(Automaton({{"a", drift(1)}, {"b", without}}, {}, "a"),
                       doctest::Contains("1 states, 1 surfaces and 0 contacts"), std::invalid_argument);
  const System renamed = from_functor(Still{}, {.states = 1, .state_names = {"height"}});
  CHECK_THROWS_AS(Automaton({{"a", without}, {"b", renamed}}, {}, "a"), std::invalid_argument);
  const auto with = [&](const std::string& contact) {
    return without.with_contacts({{.name = contact,
                                   .gap = kHeight,
                                   .acts_on = [](double, ConstVectorRef, VectorRef b) { b[0] = 1; },
                                   .restitution = [](double) { return 0.0; }}});
  };
  CHECK_THROWS_WITH_AS(
      Automaton({{"a", without}, {"b", with("floor")}}, {}, "a"),
      "Automaton, location 'b': the locations differ in their states, surfaces or contacts "
      "(expected those of 'a': 1 states, 0 surfaces and 0 contacts, with the same names, got "
      "1 states, 0 surfaces and 1 contacts)",
      std::invalid_argument);
  CHECK_THROWS_AS(Automaton({{"a", with("floor")}, {"b", with("wall")}}, {}, "a"), std::invalid_argument);
  CHECK_NOTHROW(Automaton({{"a", with("floor")}, {"b", with("floor")}}, {}, "a"));
}

TEST_CASE("an edge without a guard is refused by its name") {
  Edge blind = edge("a", "b");
  blind.when = Guard();
  CHECK_THROWS_WITH_AS(Automaton({{"a", drift(1)}, {"b", drift(2)}}, {blind}, "a"),
                       doctest::Contains("edge 'go' from 'a' to 'b'"), std::invalid_argument);
}

TEST_CASE("two locations joined by a guard are the combination of their fields") {
  const Location minus{"minus", drift(3)}, plus{"plus", drift(-5)};
  const System joined = join_locations(minus, plus, kHeight, "gate");
  REQUIRE(joined.surfaces() == 2);
  CHECK(joined.surface_names().back() == "gate");
  CHECK(join_locations(minus, plus, kHeight, "").surface_names().back() == "between");
  const Vector x = Vector::Constant(1, 0.25);
  Vector h(2), dx(1);
  joined.guards(0, x, h);
  CHECK(h[0] == -0.75);
  CHECK(h[1] == 0.25);
  for (const double inside : {-1.0, 0.5, 1.0}) {
    for (const double between : {-1.0, -0.25, 0.0, 1.0}) {
      joined.field(0, x, Eigen::Vector2d(inside, between), dx);
      const double expected = (0.5 * (1 - between) * 3 - 0.5 * (1 + between) * 5) * (1 + inside);
      CHECK(dx[0] == doctest::Approx(expected).epsilon(1e-15));
    }
  }
}

TEST_CASE("of two joined locations only those with a share are evaluated") {
  int calls = 0;
  const auto counted = [&calls](double value) {
    SystemDefinition definition;
    definition.states = 1;
    definition.field = [&calls, value](double, ConstVectorRef, ConstVectorRef, VectorRef dx) {
      ++calls;
      dx[0] = value;
    };
    return System(definition);
  };
  const System joined = join_locations({"a", counted(1)}, {"b", counted(2)}, kHeight, "");
  Vector dx(1);
  const auto calls_at = [&](double lambda) {
    calls = 0;
    joined.field(0, Vector::Zero(1), Vector::Constant(1, lambda), dx);
    return calls;
  };
  CHECK(calls_at(-1) == 1);
  CHECK(dx[0] == 1);
  CHECK(calls_at(1) == 1);
  CHECK(dx[0] == 2);
  CHECK(calls_at(0) == 2);
  CHECK(dx[0] == 1.5);
}
