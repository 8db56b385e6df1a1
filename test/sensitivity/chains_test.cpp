// Derivatives where one event leads to the next: through locations that are only passed, at contacts that stay closed beside impacts, and
// in layers that begin at events.
#include "test/sensitivity/differentiated.hpp"

using namespace slideway;
using namespace slideway::test;

TEST_CASE("edges that lead through a location at once hand on the derivatives of both") {
  // At x = p the first edge sets y = q, and the second one at once y = 3 y; after it y' = −y.
  const char* const text = R"TOML(
initial = "one"
[parameters]
p = 0.6
q = 0.25
[states]
x = 0.0
y = 0.0
c = 1.0
[time]
end = 2.0
[derivatives]
x = "1"
y = "0"
c = "1"
[[locations]]
name = "one"
[[locations]]
name = "two"
[[locations]]
name = "three"
[locations.derivatives]
y = "-y"
[[edges]]
name = "first"
from = "one"
to = "two"
when = "x - p"
direction = "rising"
set = { y = "q", c = "0" }
[[edges]]
name = "second"
from = "two"
to = "three"
when = "c"
direction = "rising"
set = { y = "3*y" }
)TOML";
  at_all_tolerances(text, {"p", "q", "x"}, [](const Differentiated& run) {
    const double decayed = std::exp(-1.4);
    run.expect(run.end("y", "q"), 3 * decayed);
    run.expect(run.end("y", "p"), 0.75 * decayed);
    run.expect(run.end("y", "x"), -0.75 * decayed);
    run.expect(run.end("c", "p"), -1);
  });
}

TEST_CASE("a ball at rest on a floor whose height is a parameter moves with it and with nothing else") {
  const char* const text = R"TOML(
[parameters]
p = 0.3
e = 0.5
[states]
x = 1.3
v = 0.0
[time]
end = 4.0
[derivatives]
x = "v"
v = "-9.8"
[[contacts]]
name = "floor"
gap = "x - p"
acts_on = { v = "1" }
restitution = "e"
)TOML";
  at_all_tolerances(text, {"p", "e", "x"}, [](const Differentiated& run) {
    run.expect(run.end("x", "p"), 1);
    run.expect(run.end("v", "p"), 0);
    run.expect(run.end("x", "e"), 0);
    run.expect(run.end("v", "e"), 0);
    run.expect(run.end("x", "x"), 0);
    run.expect(run.end("v", "x"), 0);
  });
}

TEST_CASE("a block that rides on a shaker has the derivative by the frequency at any time") {
  const char* const text = R"TOML(
[parameters]
a = 0.2
w = 4.0
[states]
x = 0.0
v = "a*w"
[time]
end = 30.0
[derivatives]
x = "v"
v = "-9.8"
[[contacts]]
name = "floor"
gap = "x - a*sin(w*t)"
acts_on = { v = "1" }
restitution = 0
)TOML";
  // Differences of the force tell its derivative by w to 1e-9 where w t is 120.
  for (const double rtol : {1e-4, 1e-6, 1e-8}) {
    const Differentiated run = differentiated(text, {"w", "a"}, rtol);
    const double a = 0.2, w = 4, t = 30;
    run.expect(run.end("x", "w"), a * t * std::cos(w * t));
    run.expect(run.end("v", "w"), a * std::cos(w * t) - a * w * t * std::sin(w * t));
    run.expect(run.end("v", "a"), w * std::cos(w * t));
  }
}

TEST_CASE("an impact beside a contact that stays closed has a derivative") {
  // One ball comes to its floor at speed 0.2, after another one has landed on a floor that moves, without a rebound.
  const char* const text = R"TOML(
[parameters]
e = 0.633
g = 3.0
[states]
x = 0.5
v = -0.2
y = 2.0
u = 0.0
[time]
end = 2.74
[derivatives]
x = "v"
v = "0"
y = "u"
u = "-g"
[[contacts]]
name = "left"
gap = "x"
acts_on = { v = "1" }
restitution = "e"
[[contacts]]
name = "right"
gap = "y - sin(t)"
acts_on = { u = "1" }
restitution = 0
)TOML";
  at_all_tolerances(text, {"e", "g", "x", "v", "u"}, [](const Differentiated& run) {
    CHECK(run.found().exists_until() > 2.74);
    run.expect(run.end("x", "e"), 0.2 * 0.24);
    run.expect(run.end("x", "x"), -0.633);
    run.expect(run.end("y", "g"), 0);
    run.expect(run.end("u", "u"), 0);
  });
}

TEST_CASE("a crossing that a stiff state takes part in has a derivative backwards, too") {
  // u = a (t − 1/L), y' = u up to y + u = 1 and 2 u beyond: with G = t²/2 − t/L, y = 2 a G(t) − a G(t*).
  const char* const text = R"TOML(
[parameters]
a = 0.7
[states]
y = 0.0
u = "-a/1e6"
[time]
end = 2.0
[derivatives]
y = "u*if(y + u - 1 > 0, 2, 1)"
u = "-1e6*(u - a*t)"
)TOML";
  at_all_tolerances(text, {"a"}, [](const Differentiated& run) {
    const double a = 0.7, l = 1e6, end = 2;
    const auto g = [&](double t) { return t * t / 2 - t / l; };
    // a (G + t − 1/L) = 1
    const double b = 1 - 1 / l;
    const double t = -b + std::sqrt(b * b + 2 * (1 / a + 1 / l));
    const double moves = -(1 / a) / (a * (t - 1 / l + 1));
    run.expect(run.time(0, "a"), moves);
    run.expect(run.end("y", "a"), 2 * g(end) - g(t) - a * (t - 1 / l) * moves);
  });
}

TEST_CASE("the time of two crossings at once has a derivative backwards in directions in which they agree") {
  // Both x and y are zero at t = 1/p.
  const char* const text = R"TOML(
[parameters]
p = 2.0
[states]
x = -1.0
y = -1.0
z = 0.0
[time]
end = 1.0
[derivatives]
x = "p"
y = "p"
z = "sgn(x) + sgn(y)"
)TOML";
  const Model model = parse_model(text, "test.toml");
  const ModelInstance instance = model.instantiate({});
  const Options options{.rtol = 1e-8};
  const Run run{.start = 0, .end = 1, .state = instance.state};
  const Solution solution = Simulator(instance.problem(), options).run(run);
  REQUIRE(solution.events.size() == 1);
  const SensitivityRequest request = sensitivities_by(model, {}, instance, {"p", "x", "y"});
  const AdjointGradients found =
      adjoint_gradients(instance.problem(), options, run, solution, request,
                        {{.times = {}, .weights = Matrix(3, 0), .event_times = {{0, 1.0}}},
                         {.times = {1.0}, .weights = Vector::Unit(3, 2)}});
  CHECK(std::abs(found.gradients(0, 0) + 0.25) <= 1e-9);
  CHECK(std::isnan(found.gradients(0, 1)));
  CHECK(std::isnan(found.gradients(0, 2)));
  // z = 2 − 4 t* at the end.
  CHECK(std::abs(found.gradients(1, 0) - 1) <= 1e-9);
}

TEST_CASE("a ball that comes to rest on a floor that shakes keeps the derivatives of the floor alone") {
  const char* const text = R"TOML(
[parameters]
g = 2.69
p = -0.666
w = 2.02
e = 0.743
[states]
x = 0.189
v = -0.0533
[time]
end = 12.0
[derivatives]
x = "v"
v = "-g"
[[contacts]]
name = "floor"
gap = "x - (p + 0.066*sin(w*t))"
acts_on = { v = "1" }
restitution = "e"
)TOML";
  // Its last impacts are at a millionth of the speed of the floor.
  for (const double rtol : {1e-6, 1e-8, 1e-10}) {
    const Differentiated run = differentiated(text, {"g", "p", "w", "e", "x", "v"}, rtol);
    const double a = 0.066, w = 2.02, t = 12;
    run.expect(run.end("x", "w"), a * t * std::cos(w * t));
    run.expect(run.end("v", "w"), a * std::cos(w * t) - a * w * t * std::sin(w * t));
    run.expect(run.end("x", "p"), 1);
    run.expect(run.end("v", "p"), 0);
    for (const char* const by : {"g", "e", "x", "v"}) {
      run.expect(run.end("x", by), 0);
      run.expect(run.end("v", by), 0);
    }
  }
}

TEST_CASE("a ball that edges bring to rest on a floor of some height stays at this height") {
  const char* const text = R"TOML(
initial = "flight"
[parameters]
g = 4.31
p = 0.966
e = 0.707
[states]
x = 2.416
v = -0.996
[time]
end = 15.0
[[locations]]
name = "flight"
[locations.derivatives]
x = "v"
v = "-g"
[[locations]]
name = "rest"
[locations.derivatives]
x = 0.0
v = 0.0
[[edges]]
name = "bounce"
from = "flight"
to = "flight"
when = "x - p"
direction = "falling"
set = { v = "-e*v" }
zeno = "rest"
)TOML";
  for (const double rtol : {1e-6, 1e-8, 1e-10}) {
    const Differentiated run = differentiated(text, {"g", "p", "e", "x", "v"}, rtol);
    run.expect(run.end("x", "p"), 1);
    CHECK(std::abs(run.end("v", "p")) <= 1e-7);
    run.expect(run.end("x", "e"), 0);
    run.expect(run.end("x", "x"), 0);
  }
}

TEST_CASE(
    "a ball that lands without a rebound has the derivative by the stroke of its floor backwards, too") {
  // Gravity is two hundred times the acceleration of the floor, which is what is left of the sum of forces.
  const char* const text = R"TOML(
[parameters]
a = 0.02
[states]
x = 2.62
v = -0.317
[time]
end = 12.0
[derivatives]
x = "v"
v = "-4.1"
[[contacts]]
name = "floor"
gap = "x - (0.84 + a*sin(0.879*t))"
acts_on = { v = "1" }
restitution = 0
)TOML";
  // Differences of the force tell its derivative by the stroke to 1e-10, of which the position gathers some.
  for (const double rtol : {1e-6, 1e-8, 1e-9}) {
    const Differentiated run = differentiated(text, {"a", "x"}, rtol);
    run.expect(run.end("x", "a"), std::sin(0.879 * 12));
    run.expect(run.end("v", "a"), 0.879 * std::cos(0.879 * 12));
    run.expect(run.end("x", "x"), 0);
  }
}

TEST_CASE("a run that begins on a surface where the field jumps has no derivative by what moves it off") {
  // x' = p above 0 and 1 below.
  const char* const text = R"TOML(
[parameters]
p = 2.0
[states]
x = 0.0
[time]
end = 1.0
[derivatives]
x = "if(x > 0, p, 1)"
)TOML";
  const Differentiated by_speed = differentiated(text, {"p"}, 1e-8);
  CHECK(std::isinf(by_speed.found().exists_until()));
  by_speed.expect(by_speed.end("x", "p"), 1);
  const Differentiated by_start = differentiated(text, {"x"}, 1e-8);
  CHECK(by_start.found().exists_until() == 0);
  CHECK(by_start.found().reason().find("begins on a surface") != std::string::npos);
  by_start.expect(by_start.end("x", "x"), 1);
}

TEST_CASE("a run that begins on a repelling surface has no derivative by its start") {
  const char* const text = R"TOML(
[states]
x = 0.0
[time]
end = 1.0
[options]
on_ambiguity = "plus"
[derivatives]
x = "sgn(x)"
)TOML";
  Options options;
  options.on_ambiguity = Ambiguity::plus;
  const Differentiated run = differentiated(text, {"x"}, 1e-8, options);
  CHECK(run.found().exists_until() == 0);
}

TEST_CASE("a run that begins where it slides has the same derivative from both sides") {
  const char* const text = R"TOML(
[parameters]
p = 2.0
[states]
x = 0.0
y = 0.0
[time]
end = 1.0
[derivatives]
x = "-sgn(x)"
y = "p - x"
)TOML";
  const Differentiated run = differentiated(text, {"x", "p"}, 1e-8);
  CHECK(std::isinf(run.found().exists_until()));
  run.expect(run.end("x", "x"), 0);
  run.expect(run.end("y", "p"), 1);
}

TEST_CASE("a run that begins exactly on a firing edge has no derivative by what moves it off") {
  const char* const text = R"TOML(
initial = "one"
[parameters]
p = 2.0
[states]
x = 0.0
[time]
end = 1.0
[derivatives]
x = "1"
[[locations]]
name = "one"
[[locations]]
name = "two"
[locations.derivatives]
x = "p"
[[edges]]
name = "leave"
from = "one"
to = "two"
when = "x"
direction = "rising"
)TOML";
  const Differentiated by_speed = differentiated(text, {"p"}, 1e-8);
  CHECK(std::isinf(by_speed.found().exists_until()));
  by_speed.expect(by_speed.end("x", "p"), 1);
  const Differentiated by_start = differentiated(text, {"x"}, 1e-8);
  CHECK(by_start.found().exists_until() == 0);
  CHECK(by_start.found().reason().find("begins where an event fires") != std::string::npos);
}

TEST_CASE("derivatives that have shrunk to almost nothing go on through events") {
  // The derivative by y shrinks by 1e-320 before x = 1, where it is the slowest of all directions.
  const char* const text = R"TOML(
[states]
x = 0.0
y = 0.01
[time]
end = 2.0
[derivatives]
x = "if(x + y > 1, 2, 1)"
y = "-740*y"
)TOML";
  const Differentiated run = differentiated(text, {"x", "y"}, 1e-8);
  CHECK(std::isinf(run.found().exists_until()));
  run.expect(run.end("x", "x"), 2);
  run.expect(run.end("x", "y"), 0);
}
