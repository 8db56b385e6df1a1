// Observables along a solution: λ of what slides, the forces of contacts, and what is made of them.
#include "slideway/simulate/observation.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "slideway/io/model_file.hpp"
#include "slideway/model/from_functor.hpp"
#include "slideway/simulate/simulator.hpp"

using namespace slideway;
using doctest::Approx;

namespace {

struct Observed {
  Solution solution;
  Observation observation;

  double at(double t, Index k = 0) {
    const Trajectory& trajectory = solution.trajectory;
    return observation.at(t, trajectory(t), trajectory.mode(t), trajectory.location(t))(k);
  }
};

Observed observe(const std::string& text, const std::vector<std::string>& wanted, Options options = {}) {
  const ModelInstance instance = parse_model(text, "test.toml").instantiate({});
  options.rtol = 1e-9;
  Observed result{Simulator(instance.problem(), options)
                      .run({.start = instance.start, .end = instance.end, .state = instance.state}),
                  Observation(instance.problem(), instance.observables(wanted), options.sliding_rule)};
  REQUIRE(result.solution.outcome.succeeded());
  return result;
}

std::string reason(const std::string& text, const std::vector<std::string>& wanted) {
  try {
    const ModelInstance instance = parse_model(text, "test.toml").instantiate({});
    const Observation made(instance.problem(), instance.observables(wanted));
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

const char* const held_block = R"toml(
[states]
x = 0.0
v = 0.0
[time]
end = 12.0
[parameters]
mu = 0.4
[definitions]
F = "mu*sgn(v)"
push = "0.1*t*sin(t)"
[derivatives]
x = "v"
v = "push - F"
)toml";

}  // namespace

TEST_CASE("friction that holds is seen as the force it holds") {
  Observed block = observe(held_block, {"F", "P = push*v", "late = step(t - 7)"});
  const double begins = block.solution.events.front().t;
  // 0.1 t |sin t| reaches 0.4 where the block breaks away.
  CHECK(0.1 * begins * std::abs(std::sin(begins)) == Approx(0.4).epsilon(1e-8));
  for (const double t : {0.3, 1.0, 2.5, 4.0}) {
    REQUIRE(t < begins);
    CHECK(block.at(t) == Approx(0.1 * t * std::sin(t)).epsilon(1e-12));
    CHECK(block.at(t, 1) == Approx(0).epsilon(1e-12));
  }
  const double moving = begins + 0.1;
  REQUIRE(block.solution.trajectory(moving)(1) < 0);
  CHECK(block.at(moving) == -0.4);
  CHECK(block.at(6.9, 2) == 0);
  CHECK(block.at(7.1, 2) == 1);
}

TEST_CASE("what is observed makes no surface and changes no event") {
  const auto events = [](const Observed& run) { return run.solution.events.size(); };
  Observed plain = observe(held_block, {"F"});
  Observed more = observe(held_block, {"E = abs(x - 0.01)", "u = max(x, v)*sgn(x - 0.02)"});
  CHECK(events(plain) == events(more));
  CHECK(plain.solution.initial.mode.size() == 1);
  CHECK(more.solution.initial.mode.size() == 1);
  const Vector last = more.solution.final.state;
  const double t = more.solution.final.t;
  CHECK(more.at(t) == Approx(std::abs(last(0) - 0.01)));
  CHECK(more.at(t, 1) == Approx(std::max(last(0), last(1)) * (last(0) > 0.02 ? 1 : -1)));
}

TEST_CASE("a product of relays is combined from its values on both sides") {
  // x' = 0.3 − sgn x slides with λ = 0.3; u² is 1 on both sides, and so between them.
  Observed relay = observe(
      "[states]\nx = 1.0\n[time]\nend = 5.0\n[definitions]\nu = \"sgn(x)\"\n"
      "[derivatives]\nx = \"0.3 - u\"\n",
      {"u", "square = u^2", "shifted = (2 + u)^2"});
  CHECK(relay.at(1.0) == 1);
  CHECK(relay.at(4.0) == Approx(0.3).epsilon(1e-12));
  CHECK(relay.at(4.0, 1) == Approx(1).epsilon(1e-12));
  // 9·0.65 + 1·0.35
  CHECK(relay.at(4.0, 2) == Approx(6.2).epsilon(1e-12));
}

TEST_CASE("the force of a contact is seen while it is closed, beside friction that holds") {
  // A block on a floor that is pulled up and down, and sideways.
  Observed block = observe(R"toml(
[states]
y = 0.5
vy = 0.0
x = 0.0
vx = 0.0
[time]
end = 6.0
[definitions]
F = "0.5*sgn(vx)"
[derivatives]
y = "vy"
vy = "-9.8 + 3*sin(t)"
x = "vx"
vx = "0.2*cos(t) - F"
[[contacts]]
name = "floor"
gap = "y"
acts_on = { vy = "1" }
restitution = 0.0
)toml",
                           {"floor", "F", "weight = 9.8 - 3*sin(t)"});
  CHECK(block.at(0.1, 0) == 0);
  for (const double t : {1.0, 3.0, 5.5}) {
    CHECK(block.at(t, 0) == Approx(9.8 - 3 * std::sin(t)).epsilon(1e-10));
    CHECK(block.at(t, 0) == Approx(block.at(t, 2)).epsilon(1e-10));
    CHECK(block.at(t, 1) == Approx(0.2 * std::cos(t)).epsilon(1e-10));
  }
}

TEST_CASE("a row of balls shows the forces of all its contacts, or of one") {
  const std::string text =
      "[parameters]\nN = 3\n[states]\ny = {size = \"N\", value = \"i - 1\"}\nv = {size = \"N\", value = "
      "\"0\"}\n[time]\nend = 1.0\n[derivatives]\ny = \"v[i]\"\nv = \"-10\"\n[[contacts]]\nname = \"floor\"\n"
      "gap = \"y[1]\"\nacts_on = { \"v[1]\" = \"1\" }\nrestitution = 0\n[[contacts]]\nname = \"on\"\nsize = "
      "\"N-1\"\ngap = \"y[i+1] - y[i] - 1\"\nacts_on = { \"v[i]\" = \"-1\", \"v[i+1]\" = \"1\" "
      "}\nrestitution = 0\n";
  Observed pile = observe(text, {"on", "floor"});
  CHECK(pile.observation.names() == std::vector<std::string>{"on1", "on2", "floor"});
  // v is there anyway.
  CHECK(reason(text, {"v"}).find("taken") != std::string::npos);
  // The quantities on each axis.
  CHECK(pile.at(1.0, 0) == Approx(20));
  CHECK(pile.at(1.0, 1) == Approx(10));
  CHECK(pile.at(1.0, 2) == Approx(30));
  CHECK(observe(text, {"on2"}).at(1.0) == Approx(10));
  CHECK(reason(text, {"on3"}).find("at most 2 of them") != std::string::npos);
}

TEST_CASE("a relay is seen while the solution slides between two locations") {
  // Between the locations x rests at 1; there z' = 0.5·(0.2 + 0.6) − u also slides, with u = 0.4 the mean of what the locations say.
  Observed run = observe(R"toml(
initial = "low"
[states]
x = 0.0
z = 0.0
[time]
end = 4.0
[definitions]
u = "sgn(z)"
[[locations]]
name = "low"
[locations.derivatives]
x = "1"
z = "0.2 - u"
[[locations]]
name = "high"
[locations.derivatives]
x = "-1"
z = "0.6 - u"
[[edges]]
from = "low"
to = "high"
when = "x - 1"
direction = "rising"
[[edges]]
from = "high"
to = "low"
when = "x - 1"
direction = "falling"
)toml",
                         {"u", "x2 = 2*x"});
  REQUIRE(run.solution.final.location == "low|high");
  CHECK(run.at(0.5) == Approx(0.2).epsilon(1e-12));
  CHECK(run.at(3.0) == Approx(0.4).epsilon(1e-12));
  CHECK(run.at(3.0, 1) == Approx(2).epsilon(1e-9));
}

TEST_CASE("the equivalent control is seen under every sliding rule") {
  for (const SlidingRule rule :
       {SlidingRule::filippov, SlidingRule::equivalent_control, SlidingRule::moments}) {
    Options options;
    options.sliding_rule = rule;
    Observed run = observe(
        "[states]\nx = 0.0\ny = 0.0\n[time]\nend = 3.0\n[derivatives]\nx = \"0.25*cos(t) - "
        "sgn(x)\"\ny = \"-0.5 - sgn(y)\"\n",
        {"a = sgn(x)", "b = sgn(y)"}, options);
    for (const double t : {0.5, 2.0}) {
      CHECK(run.at(t, 0) == Approx(0.25 * std::cos(t)).epsilon(1e-10));
      CHECK(run.at(t, 1) == Approx(-0.5).epsilon(1e-10));
    }
  }
}

TEST_CASE("what has no value is not a number, and nothing else is disturbed") {
  Observed block = observe(held_block, {"r = sqrt(v - 1)", "F"});
  CHECK(std::isnan(block.at(1.0, 0)));
  CHECK(block.at(1.0, 1) == Approx(0.1 * std::sin(1.0)).epsilon(1e-12));
}

TEST_CASE("a wrong observable is refused with a reason") {
  const auto tells = [](const std::vector<std::string>& wanted, const std::string& part) {
    const std::string told = reason(held_block, wanted);
    CAPTURE(told);
    CHECK(told.find(part) != std::string::npos);
  };
  tells({"Fo"}, "unknown name");
  tells({"Fo"}, "did you mean 'F'?");
  tells({"x"}, "taken");
  tells({"F", "F"}, "given twice");
  tells({"t"}, "taken");
  tells({"mu = 2"}, "taken");
  tells({"x + v"}, "without a name");
  tells({"E = 0.5*v^"}, "E = 0.5*v^");
  tells({"E = 0.5*w"}, "unknown name");
  tells({"2E = v"}, "a digit not first");
  tells({""}, "without a name");
}

TEST_CASE("a misspelt force of a contact or of its friction gets the name that is near") {
  const std::string rough = R"toml(
[states]
y = 0.0
v = 1.0
vy = 0.0
[time]
end = 1
[derivatives]
y = "vy"
v = "0"
vy = "-9.81"
[[contacts]]
name = "floor"
gap = "y"
acts_on = { vy = "1" }
restitution = 0
friction = { mu = 0.3, velocity = "v", acts_on = { v = "1" }, name = "grip" }
)toml";
  CHECK(reason(rough, {"gripp"}).find("did you mean 'grip'?") != std::string::npos);
  CHECK(reason(rough, {"used = grp/floor"}).find("did you mean 'grip'?") != std::string::npos);
  CHECK(reason(rough, {"used = grip/flor"}).find("did you mean 'floor'?") != std::string::npos);
}

TEST_CASE("the observables of a file are checked when it is read") {
  const std::string file = std::string(held_block) + "[options]\nobserve = [\"F\", \"E = 0.5*q^2\"]\n";
  CHECK(reason(file, {}).find("test.toml:16:11: unknown name in the observable 'E = 0.5*q^2'") !=
        std::string::npos);
  const Model model = parse_model(std::string(held_block) + "[options]\nobserve = \"F\"\n", "test.toml");
  CHECK(model.defaults.observe == std::vector<std::string>{"F"});
}

TEST_CASE("surfaces and contacts of any system can be observed by their names") {
  SystemDefinition definition;
  definition.states = 1;
  definition.surfaces = 1;
  definition.surface_names = {"level"};
  definition.field = [](double, ConstVectorRef, ConstVectorRef lambda, VectorRef dx) { dx[0] = -lambda[0]; };
  definition.guards = [](double, ConstVectorRef x, VectorRef h) { h[0] = x[0] - 0.5; };
  const System system(definition);
  Observation observation(system, observables_of(system, {"level"}));
  const Solution solution = Simulator(system).run({.start = 0, .end = 2, .state = Vector::Constant(1, 2.0)});
  CHECK(observation.at(1, solution.trajectory(1), solution.trajectory.mode(1), "")(0) == Approx(0.5));
  CHECK_THROWS_WITH_AS(observables_of(system, {"lever"}), doctest::Contains("did you mean 'level'?"),
                       std::invalid_argument);
}

namespace {

// Two blocks on a slope, of friction 0.2 and 0.8: x down the slope, y along it, z across it.
struct TwoBlocks {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[2]; }
  void field(auto, const auto& x, const auto&, auto&& dx) const {
    dx[0] = x[2];
    dx[1] = x[3];
    dx[2] = 3.0 + 0 * x[0];
    dx[3] = -8.0 + 0 * x[0];
    dx[4] = x[6];
    dx[5] = x[8];
    dx[6] = 3.0 + 0 * x[0];
    dx[7] = 0 * x[0];
    dx[8] = -8.0 + 0 * x[0];
  }
};

}  // namespace

TEST_CASE("the friction of contacts is observed by its name in C++") {
  Contact first, second;
  first.name = "slope";
  first.gap = Guard([](auto, const auto& x) { return x[1]; });
  first.acts_on = [](double, ConstVectorRef, VectorRef b) { b[3] = 0.5; };
  ContactFriction line;
  line.coefficient = [](double, ConstVectorRef) { return 0.2; };
  line.acts_on = [](double, ConstVectorRef, VectorRef c) { c[2] = 0.5; };
  first.friction = line;
  second.name = "plane";
  second.gap = Guard([](auto, const auto& x) { return x[5]; });
  second.acts_on = [](double, ConstVectorRef, VectorRef b) { b[8] = 0.5; };
  ConeFriction plane;
  plane.velocities = {Guard([](auto, const auto& x) { return x[6]; }),
                      Guard([](auto, const auto& x) { return x[7]; })};
  plane.coefficient = [](double, ConstVectorRef) { return 0.8; };
  plane.acts_on = {[](double, ConstVectorRef, VectorRef c) { c[6] = 0.5; },
                   [](double, ConstVectorRef, VectorRef c) { c[7] = 0.5; }};
  plane.names = {"down", ""};
  second.cone = plane;
  const System system =
      from_functor(TwoBlocks{}, {.states = 9, .surfaces = 1}).with_contacts({first, second});
  Options options;
  options.rtol = 1e-9;
  // The second block slips at an angle of 53 degrees from downhill at first, and stops in time.
  const Solution solution =
      Simulator(system, options)
          .run({.start = 0, .end = 4, .state = Vector{{0, 0, 0, 0, 0, 0, 0.6, 0.8, 0}}});
  REQUIRE(solution.outcome.succeeded());
  const std::vector<std::string> names{"slope", "friction of slope", "plane", "down", "friction 2 of plane"};
  Observation observation(Automaton(system), observables_of(system, names));
  const auto at = [&](double t) {
    const Trajectory& way = solution.trajectory;
    return Vector(observation.at(t, way(t), way.mode(t), way.location(t)));
  };
  CHECK((at(0.0) - Vector{{16, -3.2, 16, -0.6 * 12.8, -0.8 * 12.8}}).norm() < 1e-9);
  CHECK((at(3.9) - Vector{{16, -3.2, 16, -6, 0}}).norm() < 1e-9);
  try {
    observables_of(system, {"friction of slop"});
    FAIL("it has no such name");
  } catch (const std::invalid_argument& error) {
    CHECK(std::string(error.what()).find("did you mean 'friction of slope'?") != std::string::npos);
  }
}
