// Derivatives of solutions that are known in closed form, through every kind of event.
#include <numbers>

#include "test/sensitivity/differentiated.hpp"

using namespace slideway;
using namespace slideway::test;

TEST_CASE("a decay has the derivatives of its exponential") {
  at_all_tolerances(R"TOML(
[parameters]
a = 0.7
[states]
x = 2.0
[time]
end = 3.0
[derivatives]
x = "-a*x"
)TOML",
                    {"a", "x"}, [](const Differentiated& run) {
                      run.expect(run.end("x", "x"), std::exp(-2.1));
                      run.expect(run.end("x", "a"), -6 * std::exp(-2.1));
                    });
}

TEST_CASE("an oscillator has the derivative of its cosine by the frequency") {
  at_all_tolerances(R"TOML(
[parameters]
w = 1.5
[states]
x = 1.0
v = 0.0
[time]
end = 4.0
[derivatives]
x = "v"
v = "-w^2*x"
)TOML",
                    {"w", "v"}, [](const Differentiated& run) {
                      run.expect(run.end("x", "w"), -4 * std::sin(6.0));
                      run.expect(run.end("v", "w"), -std::sin(6.0) - 6 * std::cos(6.0));
                      run.expect(run.end("x", "v"), std::sin(6.0) / 1.5);
                    });
}

TEST_CASE("an initial value that is an expression passes its derivative on") {
  at_all_tolerances(R"TOML(
[parameters]
p = 0.5
[states]
x = "p^2"
[time]
end = 1.0
[derivatives]
x = "x + p"
)TOML",
                    {"p"}, [](const Differentiated& run) {
                      // x = (p² + p)eᵗ − p
                      run.expect(run.end("x", "p"), 2 * std::exp(1.0) - 1);
                    });
}

TEST_CASE("a stiff decay onto a slow manifold keeps the derivative of the manifold") {
  at_all_tolerances(R"TOML(
[parameters]
k = 3.0
[states]
x = 1.0
[time]
end = 2.0
[derivatives]
x = "-2000*(x - k*cos(t)) - k*sin(t)"
)TOML",
                    {"k", "x"}, [](const Differentiated& run) {
                      run.expect(run.end("x", "k"), std::cos(2.0));
                      run.expect(run.end("x", "x"), 0);
                    });
}

TEST_CASE("crossing a surface from speed 1 to 2 the derivative jumps with the speed") {
  at_all_tolerances(R"TOML(
[parameters]
p = 0.6
[states]
x = 0.0
[time]
end = 1.0
[derivatives]
x = "1 + step(x - p)"
)TOML",
                    {"p", "x"}, [](const Differentiated& run) {
                      run.expect(run.end("x", "p"), -1);
                      run.expect(run.end("x", "x"), 2);
                      run.expect(run.time(0, "p"), 1);
                      run.expect(run.time(0, "x"), -1);
                    });
}

TEST_CASE("crossing a kink the derivative is continuous") {
  at_all_tolerances(R"TOML(
[parameters]
p = 0.6
[states]
x = 0.0
[time]
end = 1.5
[derivatives]
x = "1 + abs(x - p)"
)TOML",
                    {"p"}, [](const Differentiated& run) {
                      run.expect(run.end("x", "p"), 1 - std::exp(1.5) / (1.6 * 1.6));
                      run.expect(run.time(0, "p"), 1 / 1.6);
                      const EventSensitivity& kink = run.found().events()[0];
                      run.expect(kink.after(0, 0), kink.before(0, 0));
                    });
}

TEST_CASE("over the knots of a table the derivative is continuous") {
  at_all_tolerances(R"TOML(
[parameters]
k = 0.7
[states]
x = 0.3
[tables]
f = { x = [0, 0.5, 1, 2, 3], values = [1, 0.6, 0.8, 0.2, 1], extrapolation = "linear" }
[time]
end = 4.0
[derivatives]
x = "k*f(x)"
)TOML",
                    {"k", "x"}, [](const Differentiated& run) {
                      // x is a function of k·t, and f(x)/f(0.3) is the derivative by its start.
                      REQUIRE(run.solution.events.size() == 2);
                      const double f = 0.8 - 0.6 * (run.solution.final.state[0] - 1);
                      run.expect(run.end("x", "k"), 4 * f);
                      run.expect(run.end("x", "x"), f / 0.76);
                    });
}

TEST_CASE("a surface that moves in time is met at a time that depends on its speed") {
  at_all_tolerances(R"TOML(
[parameters]
p = 0.3
c = 0.4
[states]
x = 0.0
[time]
end = 1.0
[derivatives]
x = "1 + step(x - c*t - p)"
)TOML",
                    {"p", "c"}, [](const Differentiated& run) {
                      run.expect(run.end("x", "p"), -1 / 0.6);
                      run.expect(run.end("x", "c"), -0.3 / 0.36);
                      run.expect(run.time(0, "c"), 0.3 / 0.36);
                    });
}

TEST_CASE("a small parameter has its derivative at the end of a sliding mode, too") {
  // A capacitor follows |e| while the bridge conducts, and decays by exp(-t/RC) from where w·R·C·cos(wt) + sin(wt) = 0 on.
  const double w = 100 * std::numbers::pi, R = 200, C = 1e-4;
  at_all_tolerances(R"TOML(
[parameters]
C = 1e-4
[states]
u = 0.0
[time]
end = 0.009
[derivatives]
u = "(50*step(325*sin(100*pi*t) - u) - u/200)/C"
[options]
atol = 1e-6
)TOML",
                    {"C"}, [&](const Differentiated& run) {
                      const double ends = (std::numbers::pi - std::atan(w * R * C)) / w;
                      const double by_C = -R / (1 + w * w * R * R * C * C);
                      REQUIRE(run.solution.events.size() == 1);
                      run.expect(run.time(0, "C"), by_C);
                      // The voltage and its slope are continuous there, so that the time has no part in it.
                      const double u = 325 * std::sin(w * ends) * std::exp(-(0.009 - ends) / (R * C));
                      run.expect(run.end("u", "C"), u * (0.009 - ends) / (R * C * C));
                    });
}

TEST_CASE("entering a sliding mode the derivative lies in the surface") {
  at_all_tolerances(R"TOML(
[parameters]
mu = 1.0
a = 0.25
[states]
x = 0.6
y = 0.0
[time]
end = 2.0
[derivatives]
x = "-mu*sgn(x) + a"
y = "sgn(x)"
)TOML",
                    {"mu", "a", "x"}, [](const Differentiated& run) {
                      const double entry = 0.6 / 0.75;
                      for (const char* by : {"mu", "a", "x"}) run.expect(run.end("x", by), 0);
                      run.expect(run.time(0, "x"), 1 / 0.75);
                      run.expect(run.time(0, "a"), 0.6 / (0.75 * 0.75));
                      run.expect(run.end("y", "x"), 1);
                      run.expect(run.end("y", "a"), 0.6 / (0.75 * 0.75) * 0.75 + 2 - entry);
                      run.expect(run.end("y", "mu"), -0.6 / (0.75 * 0.75) * 0.75 - 0.25 * (2 - entry));
                    });
}

TEST_CASE("leaving a sliding mode the time depends on the friction") {
  at_all_tolerances(R"TOML(
[parameters]
mu = 0.7
[states]
x = 0.0
[time]
end = 2.0
[derivatives]
x = "-mu*sgn(x) + t"
)TOML",
                    {"mu"}, [](const Differentiated& run) {
                      run.expect(run.time(0, "mu"), 1);
                      run.expect(run.end("x", "mu"), -(2 - 0.7));
                    });
}

TEST_CASE("leaving a sliding mode under a force of 50 Hz has its time in units of seconds, too") {
  at_all_tolerances(R"TOML(
[parameters]
A = 2.0
[states]
x = 0.0
[time]
end = 0.004
[derivatives]
x = "A*sin(100*pi*t) - sgn(x)"
)TOML",
                    {"A"}, [](const Differentiated& run) {
                      // A sin(100πt) = 1
                      run.expect(run.time(0, "A"), -1 / (4 * 100 * std::numbers::pi * std::sqrt(1 - 0.25)));
                    });
}

TEST_CASE("a block on a spring that comes to rest loses a rank") {
  at_all_tolerances(R"TOML(
[parameters]
mu = 0.5
[states]
x = 2.2
v = 0.0
[time]
end = 10.0
[derivatives]
x = "v"
v = "-x - mu*sgn(v)"
)TOML",
                    {"mu", "x"}, [](const Differentiated& run) {
                      run.expect(run.end("x", "x"), 1);
                      run.expect(run.end("x", "mu"), -4);
                      run.expect(run.end("v", "x"), 0);
                      run.expect(run.end("v", "mu"), 0);
                    });
}

TEST_CASE("a solution that slides along a moving surface has its derivative") {
  at_all_tolerances(R"TOML(
[parameters]
p = 0.8
[states]
x = 0.5
[time]
end = 1.5
[derivatives]
x = "-5*sgn(x - p*t)"
)TOML",
                    {"p", "x"}, [](const Differentiated& run) {
                      run.expect(run.end("x", "p"), 1.5);
                      run.expect(run.end("x", "x"), 0);
                      run.expect(run.time(0, "x"), 1 / 5.8);
                    });
}

TEST_CASE("two surfaces that slide one after the other leave one direction") {
  at_all_tolerances(R"TOML(
[parameters]
a = 0.2
b = 0.3
[states]
x = 0.5
y = 0.9
z = 0.0
[time]
end = 3.0
[derivatives]
x = "-sgn(x) + a - 0.1*sgn(y)"
y = "-sgn(y) + b"
z = "sgn(x) + 2*sgn(y)"
)TOML",
                    {"a", "b", "x", "y"}, [](const Differentiated& run) {
                      // x' = −0.9 + … while y > 0: λ₁ = a − 0.1 there; y slides from t₂ = y/(1 − b) with λ₂ = b, λ₁ = a − 0.1 b.
                      const double t1 = 0.5 / 0.9, t2 = 0.9 / 0.7;
                      run.expect(run.end("z", "x"), (1 - 0.1) / 0.9);
                      run.expect(run.end("z", "y"),
                                 (0.1 - 0.03 + 2 - 0.6 - (0.2 - 0.03 - (0.2 - 0.03)) - 0.14) / 0.7);
                      run.expect(run.end("z", "a"), 0.5 / 0.81 * 0.9 + 3 - t1);
                      (void)t2;
                    });
}

TEST_CASE("two surfaces entered at the same instant have a derivative where both slide") {
  at_all_tolerances(R"TOML(
[parameters]
p = 0.0
[states]
x = 1.0
y = 1.0
z = 0.0
[time]
end = 2.0
[derivatives]
x = "-sgn(x) + p"
y = "-sgn(y)"
z = "sgn(x) - 3*sgn(y)"
)TOML",
                    {"x", "y", "p"}, [](const Differentiated& run) {
                      run.expect(run.end("z", "x"), 1);
                      run.expect(run.end("z", "y"), -3);
                      run.expect(run.end("z", "p"), 2);
                      CHECK(run.found().exists_until() > 2);
                    });
}

TEST_CASE("where the order of two crossings matters there is a derivative on each side") {
  at_all_tolerances(R"TOML(
[states]
x = -1.0
y = -1.0
z = 0.0
[time]
end = 2.0
[derivatives]
x = 1.0
y = 1.0
z = "3*step(x)*(1 - step(y)) + 5*step(y)*(1 - step(x))"
)TOML",
                    {"x"}, [](const Differentiated& run) {
                      run.expect(run.found().exists_until(), 1);
                      const EventSensitivity& corner = run.found().events()[0];
                      CHECK_FALSE(corner.exists);
                      REQUIRE(corner.after_above.size() > 0);
                      run.expect(corner.after_above(2, 0), 3);
                      run.expect(corner.after_below(2, 0), -5);
                      run.expect(corner.time_above(0), -1);
                      run.expect(corner.time_below(0), 0);
                    });
}

TEST_CASE("a sawtooth reset at u = p loses its derivative once a reset") {
  at_all_tolerances(R"TOML(
[parameters]
p = 0.7
[states]
u = 0.0
[time]
end = 1.0
[derivatives]
u = 1.0
[[resets]]
when = "u - p"
direction = "rising"
set = { u = 0.0 }
)TOML",
                    {"p"}, [](const Differentiated& run) { run.expect(run.end("u", "p"), -1); });
}

TEST_CASE("a reset hands the derivative of its own factor on") {
  at_all_tolerances(R"TOML(
[parameters]
e = 0.6
g = 9.81
[states]
y = 1.0
v = 0.0
[time]
end = 0.8
[derivatives]
y = "v"
v = "-g"
[[resets]]
when = "y"
direction = "falling"
set = { v = "-e*v" }
)TOML",
                    {"e", "g", "y"}, [](const Differentiated& run) {
                      const double g = 9.81, e = 0.6, t1 = std::sqrt(2 / g), u = g * t1, rest = 0.8 - t1;
                      run.expect(run.end("v", "e"), u);
                      run.expect(run.end("y", "e"), u * rest);
                      const double dt = 1 / u;  // by y
                      run.expect(run.time(0, "y"), dt);
                      run.expect(run.end("v", "y"), e * g * dt + g * dt);
                      run.expect(run.end("y", "y"), e * g * dt * rest - e * u * dt + g * rest * dt);
                      run.expect(run.time(0, "g"), -0.5 * t1 / g);
                    });
}

TEST_CASE("a run that stops at u = q ends later by as much as q grows") {
  at_all_tolerances(R"TOML(
[parameters]
q = 0.7
[states]
u = 0.0
[time]
end = 1.0
[derivatives]
u = 1.0
[[stops]]
when = "u - q"
)TOML",
                    {"q"}, [](const Differentiated& run) { run.expect(run.time(0, "q"), 1); });
}

TEST_CASE("a recorded crossing has a time with a derivative and changes nothing") {
  at_all_tolerances(R"TOML(
[parameters]
a = 0.5
[states]
x = 1.0
[time]
end = 3.0
[derivatives]
x = "-a*x"
[[records]]
name = "half"
when = "x - 0.5"
)TOML",
                    {"a"}, [](const Differentiated& run) {
                      run.expect(run.time(0, "a"), -std::log(2.0) / 0.25);
                      run.expect(run.end("x", "a"), -3 * std::exp(-1.5));
                    });
}

TEST_CASE("an output at the time of an event is that after the event") {
  Options options;
  options.output_times = {0.25, 0.7, 1.0};
  options.recording = Recording::nothing;
  const Differentiated run = differentiated(R"TOML(
[parameters]
p = 0.7
[states]
u = 0.0
[time]
end = 1.0
[derivatives]
u = 1.0
[[resets]]
when = "u - p"
direction = "rising"
set = { u = 0.0 }
)TOML",
                                            {"p"}, 1e-9, options);
  REQUIRE(run.found().outputs().size() == 3);
  run.expect(run.found().outputs()[0](0, 0), 0);
  run.expect(run.found().outputs()[2](0, 0), -1);
}

TEST_CASE("the edges of an automaton hand derivatives from location to location") {
  at_all_tolerances(R"TOML(
initial = "up"
[parameters]
top = 1.0
low = 0.25
[states]
x = 0.0
[time]
end = 2.5
[[locations]]
name = "up"
[locations.derivatives]
x = 1.0
[[locations]]
name = "down"
[locations.derivatives]
x = "-x"
[[edges]]
from = "up"
to = "down"
when = "x - top"
direction = "rising"
[[edges]]
from = "down"
to = "up"
when = "x - low"
direction = "falling"
)TOML",
                    {"top", "low", "x"}, [](const Differentiated& run) {
                      // Down from t = top for ln(top/low); then x = low + t − top − ln(top/low).
                      run.expect(run.end("x", "top"), -2);
                      run.expect(run.end("x", "low"), 1 + 1 / 0.25);
                      run.expect(run.end("x", "x"), 1);
                      run.expect(run.time(1, "low"), -4);
                    });
}

TEST_CASE("an impact has derivatives by restitution, gravity and height") {
  at_all_tolerances(R"TOML(
[parameters]
e = 0.6
g = 9.81
h = 1.0
[states]
y = "h"
v = 0.0
[time]
end = 0.8
[derivatives]
y = "v"
v = "-g"
[[contacts]]
name = "floor"
gap = "y"
acts_on = { v = "1" }
restitution = "e"
)TOML",
                    {"e", "g", "h"}, [](const Differentiated& run) {
                      const double g = 9.81, e = 0.6, t1 = std::sqrt(2 / g), u = g * t1, rest = 0.8 - t1;
                      run.expect(run.end("v", "e"), u);
                      run.expect(run.end("y", "e"), u * rest);
                      const double dt = 1 / u;
                      run.expect(run.end("v", "h"), e * g * dt + g * dt);
                      run.expect(run.end("y", "h"), e * g * dt * rest - e * u * dt + g * rest * dt);
                      // u = √(2g): v = e u − g (T − t₁)
                      const double dt_g = -0.5 * t1 / g;
                      run.expect(run.end("v", "g"), e * 0.5 * u / g - rest + g * dt_g);
                    });
}

TEST_CASE("a contact that closes holds the derivative at the gap") {
  at_all_tolerances(R"TOML(
[parameters]
h = 1.0
[states]
y = "h"
v = 0.0
s = 0.0
[time]
end = 1.0
[derivatives]
y = "v"
v = "-9.81"
s = "y"
[[contacts]]
name = "floor"
gap = "y"
acts_on = { v = "1" }
restitution = 0.0
)TOML",
                    {"h"}, [](const Differentiated& run) {
                      run.expect(run.time(0, "h"), 1 / std::sqrt(2 * 9.81));
                      run.expect(run.end("y", "h"), 0);
                      run.expect(run.end("v", "h"), 0);
                      // s = ⅔ h √(2h/g)
                      run.expect(run.end("s", "h"), std::sqrt(2 / 9.81));
                    });
}

// The force of the bowl depends on the state: its derivatives are those of the equation in x alone, integrated by Runge and Kutta's
// rule in 12000 steps with a and g moved by 1e-30i.
//     (1 + a²x²) x" + a²x x'² + g a x = 0
TEST_CASE("a bead in a bowl has the derivatives of the equation of its one coordinate") {
  at_all_tolerances(R"TOML(
[parameters]
g = 9.81
a = 1.0
[states]
x = 0.5
y = "0.5*a*x^2"
vx = 0.0
vy = 0.0
[time]
end = 3.0
[derivatives]
x = "vx"
y = "vy"
vx = "0"
vy = "-g"
[[contacts]]
name = "bowl"
gap = "y - 0.5*a*x^2"
acts_on = { vx = "-a*x", vy = "1" }
restitution = 0.0
)TOML",
                    {"g", "a"}, [](const Differentiated& run) {
                      run.expect(run.end("x", "g"), -0.11210592271786433);
                      run.expect(run.end("x", "a"), -0.8721045356714148);
                    });
}

TEST_CASE("a contact is released at a time that depends on what presses") {
  at_all_tolerances(R"TOML(
[parameters]
g = 2.0
a = 2.5
[states]
y = 0.0
v = 0.0
[time]
end = 2.0
[derivatives]
y = "v"
v = "-g + a*t"
[[contacts]]
name = "floor"
gap = "y"
acts_on = { v = "1" }
restitution = 0.0
)TOML",
                    {"g", "a"}, [](const Differentiated& run) {
                      const std::size_t last = run.solution.events.size() - 1;
                      const double rest = 2 - 0.8;
                      run.expect(run.time(last, "g"), 1 / 2.5);
                      run.expect(run.time(last, "a"), -2.0 / 6.25);
                      // y = a (T − g/a)³/6
                      run.expect(run.end("y", "g"), -rest * rest / 2);
                      run.expect(run.end("y", "a"),
                                 rest * rest * rest / 6 + 2.5 * rest * rest / 2 * 2 / 6.25);
                    });
}

TEST_CASE("a ball that comes to rest has a time of rest with derivatives") {
  at_all_tolerances(R"TOML(
[parameters]
e = 0.5
g = 9.81
h = 1.0
[states]
y = "h"
v = 0.0
x = 0.0
[time]
end = 3.0
[derivatives]
y = "v"
v = "-g"
x = "1 + 0.5*x"
[[contacts]]
name = "floor"
gap = "y"
acts_on = { v = "1" }
restitution = "e"
)TOML",
                    {"e", "g", "h", "x"}, [](const Differentiated& run) {
                      const std::size_t last = run.solution.events.size() - 1;
                      REQUIRE(run.solution.events[last].kind == EventKind::zeno);
                      const double t1 = std::sqrt(2 / 9.81);
                      run.expect(run.time(last, "h"), 0.5 * t1 * 3);
                      run.expect(run.time(last, "g"), -0.5 * t1 / 9.81 * 3);
                      run.expect(run.time(last, "e"), t1 * 2 / 0.25);
                      run.expect(run.end("y", "e"), 0);
                      run.expect(run.end("v", "h"), 0);
                      run.expect(run.end("x", "x"), std::exp(1.5));
                    });
}

TEST_CASE("an accumulation of edges has a limit with derivatives") {
  at_all_tolerances(R"TOML(
initial = "flight"
[parameters]
e = 0.5
g = 9.81
[states]
y = 1.0
v = 0.0
[time]
end = 3.0
[[locations]]
name = "flight"
[locations.derivatives]
y = "v"
v = "-g"
[[locations]]
name = "rest"
[locations.derivatives]
y = 0.0
v = 0.0
[[edges]]
name = "bounce"
from = "flight"
to = "flight"
when = "y"
direction = "falling"
set = { y = 0.0, v = "-e*v" }
zeno = "rest"
)TOML",
                    {"e", "g", "y"}, [](const Differentiated& run) {
                      const std::size_t last = run.solution.events.size() - 1;
                      REQUIRE(run.solution.events[last].kind == EventKind::zeno);
                      const double t1 = std::sqrt(2 / 9.81);
                      run.expect(run.time(last, "y"), 0.5 * t1 * 3);
                      run.expect(run.time(last, "e"), t1 * 2 / 0.25);
                      run.expect(run.time(last, "g"), -0.5 * t1 / 9.81 * 3);
                      run.expect(run.end("y", "e"), 0);
                      run.expect(run.end("v", "y"), 0);
                    });
}

TEST_CASE("a time event moves only with the parameter that is its time") {
  at_all_tolerances(R"TOML(
[parameters]
T = 0.4
[states]
x = 0.0
[time]
end = 1.0
[derivatives]
x = "if(t > T, 3, 1)"
)TOML",
                    {"T", "x"}, [](const Differentiated& run) {
                      run.expect(run.end("x", "T"), -2);
                      run.expect(run.end("x", "x"), 1);
                      run.expect(run.time(0, "T"), 1);
                      run.expect(run.time(0, "x"), 0);
                    });
}

TEST_CASE("derivatives by several parameters are right between steps, too") {
  Options options;
  options.output_times = {0.3, 0.75, 1.9};
  const Differentiated run = differentiated(R"TOML(
[parameters]
a = 0.7
b = 0.2
[states]
x = 2.0
y = 1.0
[time]
end = 2.0
[derivatives]
x = "-a*x"
y = "b"
)TOML",
                                            {"a", "x", "b"}, 1e-9, options);
  for (std::size_t k = 0; k < options.output_times.size(); ++k) {
    const double t = options.output_times[k], decay = std::exp(-0.7 * t);
    const Matrix expected{{-2 * t * decay, decay, 0}, {0, 0, t}};
    for (const Matrix& found : {run.found().outputs()[k], run.found()(t), run.found().before(t)})
      for (Index i = 0; i < 2; ++i)
        for (Index j = 0; j < 3; ++j) run.expect(found(i, j), expected(i, j));
  }
}

TEST_CASE("a sampled controller has the derivatives of its difference equation") {
  at_all_tolerances(R"TOML(
[parameters]
k = 0.6
d = 0.1
[states]
x = 2.0
[discrete]
u = 0.0
[time]
end = 2.75
[derivatives]
x = "u + d"
[[every]]
name = "control"
period = 0.5
set = { u = "-k*x" }
)TOML",
                    {"k", "x", "d"}, [](const Differentiated& run) {
                      // x⁺ = (1 − k/2) x + d/2 from sample to sample, and half of that step at the end.
                      const double k = 0.6, d = 0.1, T = 0.5;
                      double x = 2, by_k = 0, by_x = 1, by_d = 0;
                      for (int j = 0; j <= 5; ++j) {
                        const double h = j < 5 ? T : 0.25;
                        by_k = (1 - k * h) * by_k - h * x;
                        by_x = (1 - k * h) * by_x;
                        by_d = (1 - k * h) * by_d + h;
                        x = (1 - k * h) * x + h * d;
                      }
                      run.expect(run.end("x", "k"), by_k);
                      run.expect(run.end("x", "x"), by_x);
                      run.expect(run.end("x", "d"), by_d);
                      run.expect(run.time(0, "x"), 0);
                      CHECK(std::isinf(run.found().exists_until()));
                    });
}

TEST_CASE("a jump at a known time carries derivatives over a surface") {
  at_all_tolerances(R"TOML(
[parameters]
p = 0.3
[states]
x = 0.2
[time]
end = 2.0
[surfaces]
side = "x - 1"
[derivatives]
x = "-x*(2 + sgn(side))"
[[every]]
name = "kick"
at = [1.0]
set = { x = "x^2 + 5*p" }
)TOML",
                    {"p", "x"}, [](const Differentiated& run) {
                      // Down to x₁ = 0.2/e, up to a = x₁² + 1.5, and down three times as fast to 1, at 1 + ln(a)/3.
                      const double x1 = 0.2 * std::exp(-1.0), a = x1 * x1 + 1.5;
                      const double end = std::exp(-(1 - std::log(a) / 3)), by_a = end / (3 * a);
                      run.expect(run.end("x", "p"), 5 * by_a);
                      run.expect(run.end("x", "x"), by_a * 2 * x1 * std::exp(-1.0));
                    });
}

TEST_CASE("a jump with a step beside it has no derivative, nor has a period of steps of the time") {
  const std::string sampled = R"TOML(
[parameters]
T = 0.5
k = 0.5
[states]
x = 1.0
[discrete]
u = 0.0
[time]
end = 2.0
[derivatives]
x = "u"
[[every]]
period = "T"
set = { u = "-k*sgn(x - 1)" }
)TOML";
  CHECK_THROWS_AS(differentiated(R"TOML(
[parameters]
T = 0.5
[states]
x = 1.0
[time]
end = 2.0
[derivatives]
x = "floor(t/T)"
)TOML",
                                 {"T"}, 1e-6),
                  std::invalid_argument);
  const Model model = parse_model(sampled, "test.toml");
  const ModelInstance instance = model.instantiate({});
  Options options;
  options.sensitivities = by_initial_values(instance.system, {"x"});
  const Solution solution =
      Simulator(instance.problem(), options).run({.start = 0, .end = 2, .state = instance.state});
  REQUIRE(solution.outcome.reached_end());
  CHECK(solution.sensitivities->exists_until() == 0);
  CHECK(solution.sensitivities->reason().find("kink or a step") != std::string::npos);
}

TEST_CASE("a touch ends the existence of the derivative, and the solution goes on with its own") {
  Options options;
  options.method = Method::dop853;
  const Differentiated run = differentiated(R"TOML(
[parameters]
depth = 0.7e-6
k = 1.0
[states]
x = 1.0
y = 0.0
[time]
end = 4.5
[derivatives]
x = "-sin(t)"
y = "k*sgn(x + 1 - depth) - y"
)TOML",
                                            {"k", "depth"}, 1e-6, options);
  REQUIRE(run.solution.events.size() == 1);
  REQUIRE(run.solution.events[0].kind == EventKind::grazing);
  CHECK_FALSE(run.found().events()[0].exists);
  CHECK(run.found().exists_until() == run.solution.events[0].t);
  CHECK_FALSE(run.found().reason().empty());
  run.expect(run.end("y", "k"), 1 - std::exp(-4.5));
  run.expect(run.end("y", "depth"), 0);
}

TEST_CASE("resets that set each other off in rounds hand on the derivatives of all") {
  at_all_tolerances(R"TOML(
[parameters]
p = 0.4
[states]
x = 0.0
y = 0.0
z = 0.0
[time]
end = 1.0
[derivatives]
x = 1.0
y = 0.5
z = 0.0
[[resets]]
name = "first"
when = "x - p"
direction = "rising"
set = { y = "y + 2*p" }
[[resets]]
name = "second"
when = "y - 0.6"
direction = "rising"
set = { z = "z + y^2", y = 0.0 }
)TOML",
                    {"p"}, [](const Differentiated& run) {
                      // At t = p: y = 0.5 p + 2 p = 2.5 p, z = 6.25 p²; then y = 0.5 (T − p).
                      run.expect(run.end("z", "p"), 12.5 * 0.4);
                      run.expect(run.end("y", "p"), -0.5);
                    });
}

TEST_CASE("a block held by static friction breaks away with a jump of its acceleration") {
  at_all_tolerances(R"TOML(
[parameters]
mu = 0.5
rho = 1.4
[states]
v = 0.0
[time]
end = 2.0
[surfaces]
slip = { value = "v", break_away = "rho" }
[derivatives]
v = "-mu*sgn(slip) + t"
)TOML",
                    {"mu", "rho"}, [](const Differentiated& run) {
                      // v = (T² − ρ²μ²)/2 − μ (T − ρμ)
                      run.expect(run.time(0, "mu"), 1.4);
                      run.expect(run.time(0, "rho"), 0.5);
                      run.expect(run.end("v", "mu"), -1.4 * 1.4 * 0.5 - 2 + 2 * 1.4 * 0.5);
                      run.expect(run.end("v", "rho"), -1.4 * 0.25 + 0.25);
                    });
}

TEST_CASE("the saltation matrix of an impact is told with full events") {
  Options options;
  options.full_events = true;
  const Differentiated run = differentiated(R"TOML(
[states]
y = 1.0
v = 0.0
[time]
end = 0.6
[derivatives]
y = "v"
v = "-9.81"
[[contacts]]
name = "floor"
gap = "y"
acts_on = { v = "1" }
restitution = 0.5
)TOML",
                                            {"y"}, 1e-9, options);
  const Matrix& saltation = run.found().events().at(0).saltation;
  REQUIRE(saltation.rows() == 2);
  const double u = std::sqrt(2 * 9.81);
  run.expect(saltation(0, 0), -0.5);
  run.expect(saltation(0, 1), 0);
  run.expect(saltation(1, 0), 1.5 * 9.81 / u);
  run.expect(saltation(1, 1), -0.5);
}

TEST_CASE("a parameter that is made of another one hands its derivative on") {
  at_all_tolerances(R"TOML(
[parameters]
p = 0.5
q = "p^2"
[states]
x = "q"
[time]
end = 2.0
[derivatives]
x = "q"
)TOML",
                    {"p"}, [](const Differentiated& run) { run.expect(run.end("x", "p"), 3); });
}

TEST_CASE("a parameter that is made of another one moves with it, whatever else is asked for") {
  // x(2) = x(0) + 2 r with r = q + p, q = p², x(0) = q: by p 2p + 2 (2p + 1), by q as such 1 + 2, by r as such 2.
  at_all_tolerances(R"TOML(
[parameters]
p = 0.5
q = "p^2"
r = "q + p"
[states]
x = "q"
[time]
end = 2.0
[derivatives]
x = "r"
)TOML",
                    {"r", "p", "q"}, [](const Differentiated& run) {
                      run.expect(run.end("x", "p"), 5);
                      run.expect(run.end("x", "q"), 3);
                      run.expect(run.end("x", "r"), 2);
                    });
}

TEST_CASE("a parameter that is set is made of no other one") {
  const Model model = parse_model(R"TOML(
[parameters]
a = 1.0
b = "2*a"
[states]
x = 0.0
[time]
end = 1.0
[derivatives]
x = "b"
)TOML",
                                  "test.toml");
  const Settings settings{{"b", 3}};
  const ModelInstance instance = model.instantiate(settings);
  Options options;
  options.sensitivities = sensitivities_by(model, settings, instance, {"a", "b"});
  const Solution solution =
      Simulator(instance.problem(), options).run({.start = 0, .end = 1, .state = instance.state});
  REQUIRE(solution.sensitivities);
  CHECK(solution.sensitivities->final()(0, 0) == doctest::Approx(0));
  CHECK(solution.sensitivities->final()(0, 1) == doctest::Approx(1));
}

TEST_CASE("a number of elements has no derivative, and the reason names it") {
  const Model model = parse_model(R"TOML(
[parameters]
N = 3
[states]
x = { size = "N", value = "1" }
[time]
end = 1.0
[derivatives]
x = "-x[i]"
)TOML",
                                  "test.toml");
  CHECK_THROWS_AS(sensitivities_by(model, {}, model.instantiate({}), {"N"}), std::invalid_argument);
  CHECK_THROWS_AS(sensitivities_by(model, {}, model.instantiate({}), {"M"}), std::invalid_argument);
  CHECK_THROWS_AS(sensitivities_by(model, {}, model.instantiate({}), {"x1", "x1"}), std::invalid_argument);
}

TEST_CASE("derivatives leave the run as it is") {
  const std::string text = R"TOML(
[parameters]
mu = 0.4
[states]
x = 2.0
v = 0.0
[time]
end = 60.0
[derivatives]
x = "v"
v = "-x - mu*sgn(v) + cos(0.5*t)"
)TOML";
  const Model model = parse_model(text, "test.toml");
  const ModelInstance instance = model.instantiate({});
  Options options;
  const Run wanted{.start = instance.start, .end = instance.end, .state = instance.state};
  const Solution plain = Simulator(instance.problem(), options).run(wanted);
  options.sensitivities = sensitivities_by(model, {}, instance, {"mu", "x", "v"});
  const Solution with = Simulator(instance.problem(), options).run(wanted);
  CHECK(plain.statistics.steps == with.statistics.steps);
  CHECK(plain.statistics.field_evaluations == with.statistics.field_evaluations);
  REQUIRE(plain.events.size() == with.events.size());
  for (std::size_t k = 0; k < plain.events.size(); ++k) CHECK(plain.events[k].t == with.events[k].t);
  CHECK(plain.final.state == with.final.state);
}

TEST_CASE("the derivatives of a tank go on when it is empty") {
  at_all_tolerances(R"TOML(
[parameters]
k = 0.305
[states]
h = 0.03
y = 0.0
[time]
end = 2.0
[derivatives]
h = "-k*sqrt(max(h, 0))"
y = "sqrt(max(h, 0))"
)TOML",
                    {"k"}, [](const Differentiated& run) {
                      // All of the level goes through: h(0) = k·y at the end. Errors of a level are errors of its root in y.
                      const double allowed = 10 * std::sqrt(run.rtol);
                      CHECK(std::abs(run.end("y", "k") + 0.03 / (0.305 * 0.305)) <= allowed);
                      CHECK(std::abs(run.end("h", "k")) <= allowed);
                      CHECK(run.found().reason() == "");
                    });
}
