#include "simulate/run_tools.hpp"

#include <doctest/doctest.h>

#include "slideway/io/model_file.hpp"
#include "test/simulate/hybrid.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

// The tools of a model, with what they refer to.
struct Made {
  explicit Made(Automaton made) : automaton(std::move(made)) {
    for (const Location& location : automaton.locations())
      structures.push_back(std::make_shared<const RelayStructure>(location.system));
  }
  Automaton automaton;
  std::vector<std::shared_ptr<const RelayStructure>> structures = {};
  Options options = {};
  ContactModes contacts{automaton.system().contacts()};
  RunTools tools{automaton, structures, options, 1, contacts};
};

Automaton model(const std::string& text) { return parse_model(text, "test.toml").instantiate({}).problem(); }

// Up in `below` and down in `above`, with a guard between them.
Automaton thermostat() {
  const auto moves = [](double rate) {
    return smooth(1, [rate](auto /*t*/, const auto& /*x*/, auto&& dx) { dx[0] = rate; });
  };
  return Automaton({{"below", moves(1)}, {"above", moves(-1)}},
                   {{.from = "below", .to = "above", .when = component(0), .direction = Direction::rising},
                    {.from = "above", .to = "below", .when = component(0), .direction = Direction::falling}},
                   "below");
}

}  // namespace

TEST_CASE("the tools of a location are made once") {
  Made made(thermostat());
  LocationTools& below = made.tools.of_location(0);
  CHECK(below.name == "below");
  CHECK(&made.tools.of_location(1) != &below);
  CHECK(&made.tools.of_location(0) == &below);
}

TEST_CASE("two edges that undo each other have one pair, whichever fired first") {
  Made made(thermostat());
  const RunTools::Pair& pair = made.tools.of_pair(1, 0);
  CHECK(pair.minus == 0);
  CHECK(pair.plus == 1);
  CHECK(pair.tools->name == "below|above");
  CHECK(pair.tools->system.surfaces() == 1);
  CHECK(&made.tools.of_pair(0, 1) == &pair);
}

TEST_CASE(
    "tools for sliding in second order are made where the speed across the surface tells no side, and none "
    "elsewhere") {
  Made twisting(
      model("[states]\nx = 1\nv = 0\n[time]\nend = 1\n[derivatives]\nx = \"v\"\nv = \"-sgn(x)\"\n"));
  LocationTools* const tools = twisting.tools.in_second_order(0, {0});
  REQUIRE(tools);
  CHECK(twisting.tools.in_second_order(0, {0}) == tools);
  // The guard there is the speed.
  Vector w(1);
  tools->evaluator.guards(0, Vector{{5.0, 3.0}}, w);
  CHECK(w[0] == 3);
  Made relay(model("[states]\nx = 1\n[time]\nend = 1\n[derivatives]\nx = \"-sgn(x)\"\n"));
  CHECK(relay.tools.in_second_order(0, {0}) == nullptr);
  CHECK(relay.tools.in_second_order(0, {0}) == nullptr);
}

TEST_CASE("what tools have done counts after they were dropped, and those in use stay") {
  std::string text = "[time]\nend = 1\n[states]\n", derivatives = "[derivatives]\n";
  constexpr int bodies = 5;  // 31 sets of surfaces
  for (int k = 0; k < bodies; ++k) {
    const std::string i = std::to_string(k);
    text += "x" + i + " = 1\nv" + i + " = 0\n";
    derivatives += "x" + i + " = \"v" + i + "\"\nv" + i + " = \"-sgn(x" + i + ")\"\n";
  }
  Made made(model(text + derivatives));
  LocationTools* const used = made.tools.in_second_order(0, {0});
  Vector w(bodies);
  std::int64_t asked = 0;
  for (unsigned set = 2; set < (1U << bodies); ++set) {
    std::vector<Index> surfaces;
    for (Index k = 0; k < bodies; ++k)
      if ((set >> k & 1U) != 0) surfaces.push_back(k);
    made.tools.drop_beyond_limit(used);
    LocationTools* const tools = made.tools.in_second_order(0, surfaces);
    REQUIRE(tools);
    const std::int64_t before = made.tools.work().guard_evaluations;
    tools->evaluator.guards(0, Vector::Ones(2 * bodies), w);
    CHECK(made.tools.work().guard_evaluations == before + 1);
    ++asked;
  }
  CHECK(made.tools.work().guard_evaluations == asked);
  CHECK(made.tools.in_second_order(0, {0}) == used);
}

TEST_CASE("what the forces of contacts, and what stays zero beside the guards, ask for counts") {
  const System ball = smooth(2, [](auto, const auto& x, auto&& dx) {
    dx[0] = x[1];
    dx[1] = -9.8;
  });
  Made resting(ball.with_contacts({contact("floor", component(0), {{1, 1}}, 0.0)}));
  LocationTools& tools = resting.tools.of_location(0);
  resting.contacts.closed = {0};
  const auto field_evaluations = [&] { return resting.tools.work().field_evaluations; };
  Vector dx(2);
  const std::int64_t before = field_evaluations();
  tools.contacts->free_evaluator().field(0, Vector::Zero(2), Vector(), dx);
  CHECK(field_evaluations() == before + 1);
  // The field with the force in it: one of the field itself, and what the force, 9.8, takes.
  tools.evaluator.field(0, Vector::Zero(2), Vector(), dx);
  CHECK(dx[1] == 0);
  CHECK(field_evaluations() > before + 2);

  Made third(
      model("[states]\nx = 1\nv = 0\na = 0\n[time]\nend = 1\n[derivatives]\nx = \"v\"\nv = \"a\"\n"
            "a = \"-sgn(x)\"\n"));
  LocationTools* const kept = third.tools.in_second_order(0, {0});
  REQUIRE(kept);
  REQUIRE(kept->staying);
  const std::int64_t guards = third.tools.work().guard_evaluations;
  Vector h(kept->staying->of->kept->surfaces());
  kept->staying->evaluator.guards(0, Vector{{1.0, 2.0, 3.0}}, h);
  CHECK(third.tools.work().guard_evaluations == guards + 1);
}
