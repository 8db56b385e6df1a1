// Sliding between two locations whose edges undo each other: what else happens there, where it goes on, and how it is solved.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "slideway/io/model_file.hpp"
#include "slideway/model/check.hpp"
#include "slideway/simulate/branches.hpp"
#include "test/simulate/hybrid.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

// x comes to 0 at t = 1 and stays. `more` comes before the locations, `edge` names the edge from A to B, if anything does.
std::string joined(const std::string& states, const std::string& more, const std::string& edge = "up") {
  const std::string name = edge.empty() ? "" : "name = \"" + edge + "\"\n";
  return "initial = \"A\"\n[states]\nx = -1.0\n" + states + "[time]\nend = 4.0\n" + more +
         "[[locations]]\nname = \"A\"\n[locations.derivatives]\nx = \"1\"\n[[locations]]\nname = \"B\"\n"
         "[locations.derivatives]\nx = \"-1\"\n[[edges]]\n" +
         name +
         "from = \"A\"\nto = \"B\"\nwhen = \"x\"\ndirection = \"rising\"\n[[edges]]\nfrom = \"B\"\n"
         "to = \"A\"\nwhen = \"x\"\ndirection = \"falling\"\n";
}

Solution run_model(const std::string& text, const Options& options = {}) {
  const ModelInstance instance = parse_model(text, "test.toml").instantiate({});
  return Simulator(instance.problem(), options)
      .run({.start = instance.start, .end = instance.end, .state = instance.state});
}

// f differs below and above in everything that it depends on.
struct Half {
  double rate;
  void guards(auto t, const auto& x, auto&& h) const { h[0] = x[1] - 0.1 * t; }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::sin;
    dx[0] = -rate * x[0] * x[2] + sin(t);
    dx[1] = rate * lambda[0] + x[1];
    dx[2] = rate + lambda[0] * x[1];
  }
};

System half(double rate) { return from_functor(Half{rate}, {.states = 3, .surfaces = 1}); }

}  // namespace

TEST_CASE(
    "a record or a stop on the guard between two locations does not fire where the solution comes to slide "
    "on it") {
  for (const char* kind : {"records", "stops"}) {
    CAPTURE(kind);
    const Solution solution = run_model(joined(
        "", std::string("[[") + kind + "]]\nname = \"down\"\nwhen = \"x\"\ndirection = \"falling\"\n"));
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    CHECK(solution.final.location == "A|B");
    REQUIRE(solution.events.size() == 1);
    CHECK(solution.events[0].kind == EventKind::sliding_entry);
    CHECK(*solution.events[0].name == "up");
    CHECK(*solution.events[0].from_location == "A");
    CHECK(*solution.events[0].to_location == "A|B");
  }
}

TEST_CASE("what is noted between two edges that undo each other stays what it is") {
  // Another guard with the same zero: nothing says that sliding holds it there.
  const auto drift = [](double rate) {
    return smooth(1, [rate](auto, const auto&, auto&& dx) { dx[0] = rate; })
        .with_events(
            {record("down", Guard([](auto, const auto& x) { return 2.0 * x[0]; }), Direction::falling)});
  };
  const Guard when = component(0);
  const Solution solution =
      run(Automaton({{"A", drift(1)}, {"B", drift(-1)}},
                    {{.name = "up", .from = "A", .to = "B", .when = when, .direction = Direction::rising},
                     {.from = "B", .to = "A", .when = when, .direction = Direction::falling}},
                    "A"),
          {-1}, 4);
  REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
  REQUIRE(solution.events.size() == 2);
  CHECK(solution.events[0].kind == EventKind::sliding_entry);
  CHECK(*solution.events[0].name == "up");
  CHECK(solution.events[1].kind == EventKind::record);
  CHECK(*solution.events[1].name == "down");
  CHECK(solution.events[1].reason != solution.events[0].reason);
}

TEST_CASE("a run goes on where another one that slid between two locations ended") {
  const std::string text = joined("y = 0.0\n", "[derivatives]\ny = \"1\"\n");
  const ModelInstance instance = parse_model(text, "test.toml").instantiate({});
  const Simulator simulator(instance.problem());
  const Snapshot middle = simulator.run({.start = 0, .end = 2, .state = instance.state}).final;
  REQUIRE(middle.location == "A|B");
  for (const bool with_mode : {true, false}) {
    CAPTURE(with_mode);
    Run next{.start = 2, .end = 4, .state = middle.state, .location = middle.location};
    if (with_mode) next.mode = middle.mode;
    const Solution solution = simulator.run(next);
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    CHECK(solution.events.empty());
    CHECK(solution.initial.location == "A|B");
    CHECK(solution.final.location == "A|B");
    CHECK(solution.final.mode.word() == "0");
    CHECK((solution.final.state - Vector{{0.0, 4.0}}).norm() <= 1e-12);
    CHECK((solution.trajectory(3) - Vector{{0.0, 3.0}}).norm() <= 1e-12);
  }
  // Off the guard it goes on in the location of that side.
  const Solution off =
      simulator.run({.start = 2, .end = 2.5, .state = Vector{{1.0, 2.0}}, .location = "A|B"});
  REQUIRE_MESSAGE(off.outcome.reached_end(), off.outcome.message);
  CHECK(off.final.location == "B");
  CHECK((off.final.state - Vector{{0.5, 2.5}}).norm() <= 1e-12);
  CHECK_THROWS_AS(simulator.run({.start = 2, .end = 3, .state = middle.state, .location = "B|A"}),
                  std::invalid_argument);
}

namespace {

// Slides on y = 3 from t = 1 on; at t = 2.2 z comes to zero, and only B with z < 0 follows, where y' is as given.
std::string left_at_corner(const std::string& rate_of_y) {
  return "initial = \"A\"\n[states]\ny = 2.0\nz = 2.0\n[time]\nend = 4.0\n[surfaces]\ns = \"z\"\n"
         "[[locations]]\nname = \"A\"\n[locations.derivatives]\ny = \"if(s > 0, 1, 2)\"\nz = \"-1.4\"\n"
         "[[locations]]\nname = \"B\"\n[locations.derivatives]\ny = \"if(s > 0, -1, " +
         rate_of_y +
         ")\"\nz = \"if(s > 0, 0.4, -0.5)\"\n"
         "[[edges]]\nname = \"up\"\nfrom = \"A\"\nto = \"B\"\nwhen = \"y - 3\"\ndirection = \"rising\"\n"
         "[[edges]]\nname = \"down\"\nfrom = \"B\"\nto = \"A\"\nwhen = \"y - 3\"\ndirection = \"falling\"\n";
}

}  // namespace

TEST_CASE("a surface that is left together with the guard between two locations is not decided again") {
  for (const double rtol : {1e-4, 1e-6, 1e-9, 1e-12}) {
    for (const Method method : every_method) {
      CAPTURE(rtol);
      CAPTURE(std::string(to_string(method)));
      Options options;
      options.rtol = rtol;
      options.method = method;
      // Beside B's field the surface repels; the other side of it leads back to y = 3.
      const Solution solution = run_model(left_at_corner("0.05"), options);
      REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
      REQUIRE(solution.events.size() == 2);
      CHECK(solution.events[1].kind == EventKind::corner);
      CHECK(solution.final.location == "B");
      CHECK(std::abs(solution.final.state[0] - 3.09) <= 100 * rtol);
      CHECK(std::abs(solution.final.state[1] + 0.9) <= 100 * rtol);
    }
  }
}

TEST_CASE(
    "a motion away from the guard between two locations that is lower than the tolerance is seen to end") {
  for (const double rtol : {1e-4, 1e-6, 1e-9, 1e-12}) {
    for (const Method method : every_method) {
      CAPTURE(rtol);
      CAPTURE(std::string(to_string(method)));
      Options options;
      options.rtol = rtol;
      options.method = method;
      // y = 3 + 0.08 τ − 3 τ² with τ = t − 2.2: it is back after 0.08/3, and never higher than 6e-4.
      const Solution solution = run_model(left_at_corner("0.08 - 6*(t - 2.2)"), options);
      REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
      REQUIRE(solution.events.size() >= 3);
      CHECK(solution.events[2].kind == EventKind::sliding_entry);
      CHECK(std::abs(solution.events[2].t - (2.2 + 0.08 / 3)) <= 100 * rtol);
    }
  }
}

TEST_CASE("every continuation is followed while it slides between two locations") {
  // y = (t − 2)²/2 until t = 2; then it goes on at zero, or as ±(t − 2)²/2.
  const ModelInstance instance =
      parse_model(joined("y = 2.0\n", "[derivatives]\ny = \"(t - 2)*sgn(y)\"\n"), "test.toml")
          .instantiate({});
  const BranchTree tree =
      follow_branches(Simulator(instance.problem(), {.on_ambiguity = Ambiguity::branches}),
                      {.start = 0, .end = 4, .state = instance.state});
  REQUIRE(tree.root.solution.outcome.status == Status::ambiguous);
  CHECK(tree.root.solution.final.location == "A|B");
  std::vector<double> ends;
  for (const Solution* solution : leaves(tree.root)) {
    CHECK_MESSAGE(solution->outcome.reached_end(), solution->outcome.message);
    CHECK(solution->final.location == "A|B");
    CHECK(std::abs(solution->final.state[0]) <= 1e-12);
    ends.push_back(solution->final.state[1]);
  }
  std::sort(ends.begin(), ends.end());
  REQUIRE(ends.size() == 3);
  for (std::size_t k = 0; k < 3; ++k) CHECK(std::abs(ends[k] - 2 * (static_cast<double>(k) - 1)) <= 1e-3);
}

TEST_CASE("two locations that are joined keep the patterns and the derivatives of both") {
  const Guard guard([](auto t, const auto& x) { return x[0] * x[0] - t; });
  const System system = join_locations({"A", half(1)}, {"B", half(-2)}, guard, "");
  const SystemDefinition& definition = system.definition();
  REQUIRE(definition.field_along);
  REQUIRE(definition.field_dx_pattern);
  REQUIRE(definition.field_dlambda_pattern);
  REQUIRE(definition.guards_dx_pattern);
  CHECK(!definition.field_dx_pattern->has(0, 1));
  CHECK(!definition.field_dlambda_pattern->has(0, 0));
  CHECK(definition.field_dlambda_pattern->has(0, 1));
  CHECK(definition.guards_dx_pattern->has(1, 0));
  CHECK(!definition.guards_dx_pattern->has(1, 1));
  for (const double lambda : {-1.0, -0.3, 0.4, 1.0}) {
    const DerivativeCheck check =
        check_derivatives(system, 0.7, Vector{{0.3, -0.4, 1.2}}, Vector{{0.2, lambda}});
    CHECK_MESSAGE(check.passed, check.message);
  }
}

TEST_CASE("sliding between two locations takes every linear solver") {
  for (const LinearSolver solver :
       {LinearSolver::dense, LinearSolver::band, LinearSolver::klu, LinearSolver::gmres}) {
    CAPTURE(std::string(to_string(solver)));
    const Solution solution = run_model(joined("y = 1.0\n", "[derivatives]\ny = \"-1e3*(y - cos(t))\"\n"),
                                        {.method = Method::bdf, .linear_solver = solver});
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    CHECK(solution.final.location == "A|B");
    CHECK(std::abs(solution.final.state[0]) <= 1e-12);
  }
}

TEST_CASE("the surface between two locations has a name of its own") {
  const Solution solution = run_model(
      joined("y = 1.0\n", "[surfaces]\nbetween = \"y\"\n[derivatives]\ny = \"0.1*sgn(between)\"\n", ""));
  REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
  REQUIRE(solution.events.size() == 1);
  CHECK(solution.events[0].surface_names.front() == "x");  // the guard of the edges, which have no name
  CHECK(solution.final.state[1] == doctest::Approx(1.4));
  const System wall = from_functor(Half{1}, {.states = 3, .surfaces = 1, .surface_names = {"wall"}});
  for (const auto& [edge, between] :
       {std::pair("wall", "A|B"), std::pair("door", "door"), std::pair("", "between")})
    CHECK(join_locations({"A", wall}, {"B", wall}, component(0), edge).surface_names().back() == between);
}

TEST_CASE("what happened at the instant in which something throws is in the log") {
  const Solution solution = run_model(
      "[states]\nx = 1.0\nv = 0.0\n[time]\nend = 3.0\n[derivatives]\nx = \"v\"\nv = \"0\"\n[[resets]]\n"
      "name = \"kick\"\nwhen = \"t - 1\"\ndirection = \"rising\"\nset = { x = \"-5\" }\n[[contacts]]\n"
      "name = \"floor\"\ngap = \"x\"\nacts_on = { v = \"1\" }\nrestitution = 0.5\n");
  CHECK(solution.outcome.status == Status::user_function_failed);
  REQUIRE(solution.events.size() == 1);
  CHECK(*solution.events[0].name == "kick");
  CHECK(solution.events[0].before[0] == 1);
  CHECK(solution.events[0].after[0] == -5);
  CHECK(solution.final.state[0] == -5);
}

TEST_CASE("an edge that ends sliding on a surface leads to the one mode that does not return through it") {
  // In A the surface y attracts; at x = 0 the edge leads to B, where both fields leave y. Only y > 0 stays in B, since below and along
  // y = 0 the guard turns back.
  const std::string corner =
      "initial = \"A\"\n[states]\nx = 1.0\ny = 0.3\n[time]\nend = 3.0\n[surfaces]\ns = \"y\"\n"
      "[[locations]]\nname = \"A\"\n[locations.derivatives]\nx = \"-1\"\ny = \"if(s > 0, -1, 2)\"\n"
      "[[locations]]\nname = \"B\"\n[locations.derivatives]\nx = \"if(s > 0, -0.5, 1)\"\n"
      "y = \"if(s > 0, 1, -1)\"\n[[edges]]\nfrom = \"A\"\nto = \"B\"\nwhen = \"x\"\ndirection = \"falling\"\n"
      "[[edges]]\nfrom = \"B\"\nto = \"A\"\nwhen = \"x\"\ndirection = \"rising\"\n";
  for_every_method([&](const Options& options) {
    const Solution solution = run_model(corner, options);
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    CHECK(solution.final.location == "B");
    CHECK(std::abs(solution.final.state[0] + 1) < 100 * options.rtol);
    CHECK(std::abs(solution.final.state[1] - 2) < 100 * options.rtol);
    CHECK(solution.events.back().kind == EventKind::transition);
    CHECK(solution.events.back().reason ==
          "the guard crosses zero; it and the surfaces met there have one consistent mode");
  });
}

TEST_CASE("an edge that only touches its guard within errors is no transition") {
  // Sliding between A and B ends at t = 1 where the field of A turns away; x follows a stiff state that the guard does not see.
  const std::string text =
      "initial = \"A\"\n[states]\nx = 0.5\nu = 1.0\n[time]\nend = 2.0\n[[locations]]\nname = \"A\"\n"
      "[locations.derivatives]\nx = \"1 - t - 0.5e6*(u - cos(t))\"\nu = \"-1e6*(u - cos(t))\"\n"
      "[[locations]]\nname = \"B\"\n[locations.derivatives]\nx = \"-3 - 0.5e6*(u - cos(t))\"\n"
      "u = \"-1e6*(u - cos(t))\"\n[[edges]]\nfrom = \"A\"\nto = \"B\"\nwhen = \"x - 0.5*u\"\n"
      "direction = \"rising\"\n[[edges]]\nfrom = \"B\"\nto = \"A\"\nwhen = \"x - 0.5*u\"\n"
      "direction = \"falling\"\n";
  for (const Method method : {Method::automatic, Method::bdf, Method::rodas}) {
    for (const double rtol : {1e-4, 1e-6, 1e-8}) {
      CAPTURE(std::string(to_string(method)));
      CAPTURE(rtol);
      const Solution solution = run_model(text, {.rtol = rtol, .atol = rtol / 100, .method = method});
      REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
      CHECK(std::none_of(solution.events.begin(), solution.events.end(),
                         [](const EventRecord& one) { return one.kind == EventKind::transition; }));
      CHECK(solution.final.location == "A");
      CHECK(std::abs(solution.final.state[0] - 0.5 * std::cos(2) + 0.5) < 1000 * rtol);
    }
  }
}
