// The effect of the errors of a few steps on a guard that has just been zero, by every method and at every tolerance.
#include <cmath>
#include <numbers>
#include <string>
#include <vector>

#include "test/simulate/model_text.hpp"

namespace slideway::test {

namespace {

// s1 is left along its surface at 5.4972. A crossing of s2 follows at 5.5320, and at 5.5407 the solution comes back to s1 and slides
// on it for 0.07. A program with explicit modes and Runge-Kutta steps of 0.001 found these times.
const std::string short_way_off = R"toml(
[states]
x1 = 0.518
x2 = -0.119
x3 = 0.215
[time]
end = 6.5
[surfaces]
s1 = "-0.364*x1 + 0.735*x2 + 0.536"
s2 = "0.216*x1 + 0.46*x2 + 0.735*x3 + 0.436"
[derivatives]
x1 = "-1.1*x1 - 0.949*sgn(s2)*if(s1 > 0, 0.116, 1.28) + 0.277*sin(2.22*t)"
x2 = "-0.852*x2 + if(s1 > 0, -1.05, 1.32) + 0.454*abs(0.517*x1 + 0.726*x2 + 0.442*x3 + 0.0727) + 1.03*sin(1.15*t)"
x3 = "-1.27*x3 + 1.11*sin(1.85*t)"
)toml";

// A body is thrown off a floor at rest on it, where the floor's acceleration passes that of the fall: its gap opens with t³.
const std::string thrown_off = R"toml(
[states]
x = -0.127
v = 0.9798
[time]
end = 4.5
[derivatives]
x = "v"
v = "-1.84"
[[contacts]]
name = "floor"
gap = "x - (-0.127 + 0.276*sin(3.55*t))"
acts_on = { v = "1" }
restitution = 0.232
)toml";

}  // namespace

TEST_CASE(
    "a dip soon after a surface was left is deeper than the errors of the few steps since, whatever happens "
    "elsewhere") {
  for (const Method method :
       {Method::automatic, Method::bdf, Method::adams, Method::dopri5, Method::dop853, Method::rodas}) {
    for (const double rtol : {1e-4, 1e-5, 1e-6, 1e-8, 1e-10}) {
      CAPTURE(std::string(to_string(method)));
      CAPTURE(rtol);
      const Finished finished = run(short_way_off, method, rtol);
      std::vector<double> entries, exits;
      for (const EventRecord& event : finished.solution.events) {
        if (event.surface_names[0] != "s1") continue;
        if (event.kind == EventKind::sliding_entry) entries.push_back(event.t);
        if (event.kind == EventKind::sliding_exit) exits.push_back(event.t);
      }
      REQUIRE(entries.size() == 2);
      REQUIRE(exits.size() == 2);
      CHECK(std::abs(entries[1] - 5.540655661) < 100 * rtol + 1e-8);
      CHECK(std::abs(exits[1] - 5.610607250) < 100 * rtol + 1e-8);
    }
  }
}

TEST_CASE("a gap that the first steps after a release take below zero is no contact again") {
  for (const Method method :
       {Method::automatic, Method::bdf, Method::adams, Method::dopri5, Method::dop853, Method::rodas}) {
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
      CAPTURE(std::string(to_string(method)));
      CAPTURE(rtol);
      const Finished finished = run(thrown_off, method, rtol);
      CHECK(finished.solution.outcome.reached_end());
      // It is thrown off twice, where 0.276·3.55² sin(3.55 t) = 1.84, and comes to rest between.
      std::vector<double> releases;
      for (const EventRecord& event : finished.solution.events)
        if (event.kind == EventKind::release) releases.push_back(event.t);
      REQUIRE(!releases.empty());
      const double phase = std::asin(1.84 / (0.276 * 3.55 * 3.55));
      for (const double t : releases)
        CHECK(std::abs(std::remainder(3.55 * t - phase, 2 * std::numbers::pi)) < 1e-6 + 10 * rtol);
    }
  }
  // At a release of this one the errors of bdf go on beyond what a single tolerance allows.
  const Finished finished = run(R"toml(
[states]
x1 = 1.823
v1 = -0.723
x2 = 0.336
v2 = 0.0666
[time]
end = 4.5
[derivatives]
x1 = "v1"
v1 = "-1.84"
x2 = "v2"
v2 = "-1.46"
[[contacts]]
gap = "x1 - ((-0.127) + (0.276 * sin((3.55 * t))))"
acts_on = { v1 = "1" }
restitution = 0.232
[[contacts]]
gap = "x2 - ((-0.754) + (0.367 * sin((1.62 * t))))"
acts_on = { v2 = "1" }
restitution = 0.286
)toml",
                                Method::bdf, 1e-10);
  CHECK(finished.solution.outcome.reached_end());
  CHECK(finished.solution.statistics.steps < 1000);
}

}  // namespace slideway::test
