// Dips through a surface beside the tolerances: what is deeper is followed, what is shallower is a touch, and the log says so.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "slideway/model/from_functor.hpp"
#include "test/simulate/hybrid.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

// y = cos t comes `depth` below the surface. Below it the fields are alike across it, or push back.
struct Dip {
  double depth = 0;
  bool sticks = false;
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0] + (1 - depth); }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::sin;
    dx[0] = -sin(t);
    if (sticks) dx[0] += 0.5 * (1 - lambda[0]);
    dx[1] = (sticks ? 0 : 1) * lambda[0] - x[1];
  }
};

// y slides until q = 1, which leaves it along its surface. At q = 1.5 a kick sets y = 1 − depth and q = 0: y turns two
// units of time later.
struct KickedDip {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = x[1] - lambda[0];
    dx[1] = 0.5;
  }
};

Solution dip(double depth, bool sticks, Method method, double rtol) {
  const System system = from_functor(Dip{depth, sticks}, {.states = 2, .surfaces = 1});
  return run(system, {1, 0}, 4.5, with(method, rtol));
}

std::vector<EventKind> kinds(const Solution& solution) {
  std::vector<EventKind> result;
  for (const EventRecord& event : solution.events) result.push_back(event.kind);
  return result;
}

// The tolerance of the guard at the surface, with the usual atol of rtol/100.
double tolerance_of(double rtol) { return 1.01 * rtol; }

}  // namespace

TEST_CASE("a dip deeper than the tolerance of its guard is followed") {
  for (const Method method :
       {Method::automatic, Method::bdf, Method::adams, Method::dopri5, Method::dop853, Method::rodas}) {
    for (const double rtol : {1e-4, 1e-5, 1e-6, 1e-8, 1e-10}) {
      for (const double part : {1.5, 3.0, 10.0, 30.0, 100.0}) {
        // The errors of a multistep method are larger than a dip so small, and its solution need not come to the surface.
        if (method == Method::bdf && (rtol < 1e-4 || part < 10)) continue;
        if (method == Method::adams && part < 10) continue;
        CAPTURE(std::string(to_string(method)));
        CAPTURE(rtol);
        CAPTURE(part);
        const double depth = part * tolerance_of(rtol);
        CHECK(kinds(dip(depth, false, method, rtol)) ==
              std::vector<EventKind>{EventKind::crossing, EventKind::crossing});
        CHECK(kinds(dip(depth, true, method, rtol)) ==
              std::vector<EventKind>{EventKind::sliding_entry, EventKind::sliding_exit});
      }
    }
  }
}

TEST_CASE("a surface that was left along before a jump has no wider tolerance after it") {
  for (const Method method : {Method::automatic, Method::dop853, Method::rodas}) {
    for (const double rtol : {1e-4, 1e-6, 1e-8}) {
      CAPTURE(std::string(to_string(method)));
      CAPTURE(rtol);
      const double depth = 5 * 0.01 * rtol;
      const auto kick = reset("kick", component(1, 1.5), Direction::rising, [depth](VectorRef x) {
        x[0] = 1 - depth;
        x[1] = 0;
      });
      const System system = from_functor(KickedDip{}, {.states = 2, .surfaces = 1}).with_events({kick});
      const Solution solution = run(system, {0, 0.5}, 4.5, with(method, rtol));
      CHECK(kinds(solution) == std::vector<EventKind>{EventKind::sliding_exit, EventKind::reset,
                                                      EventKind::sliding_entry, EventKind::sliding_exit});
    }
  }
}

TEST_CASE("a dip shallower than the tolerance is a touch, and the log says how deep it is") {
  for (const bool sticks : {false, true}) {
    for (const Method method : {Method::dop853, Method::rodas}) {
      for (const double rtol : {1e-4, 1e-6, 1e-8}) {
        CAPTURE(sticks);
        CAPTURE(std::string(to_string(method)));
        CAPTURE(rtol);
        const Solution solution = dip(0.7 * tolerance_of(rtol), sticks, method, rtol);
        CHECK(solution.final.mode.word() == "+");
        REQUIRE(kinds(solution) == std::vector<EventKind>{EventKind::grazing});
        const EventRecord& touch = solution.events.front();
        CAPTURE(touch.reason);
        CHECK(touch.w_plus[0] < 0);
        CHECK(touch.reason.find("vanishes") == std::string::npos);
        const std::size_t goes = touch.reason.find("goes ");
        REQUIRE(goes != std::string::npos);
        CHECK(std::stod(touch.reason.substr(goes + 5)) ==
              doctest::Approx(0.7 * tolerance_of(rtol)).epsilon(0.01));
        const std::size_t from = touch.reason.find("from ");
        REQUIRE(from != std::string::npos);
        CHECK(std::stod(touch.reason.substr(from + 5)) == doctest::Approx(tolerance_of(rtol)).epsilon(0.01));
      }
    }
  }
}

namespace {

struct ShortStick {
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[1] - 0.4698;
    h[1] = x[1] + 0.2799;
  }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::cos, std::exp;
    dx[0] = -0.2 * x[0] * x[0] * x[0] + 0.1153 * x[1] * x[1] + 1.0388 * lambda[1];
    dx[1] = -0.2 * x[1] * x[1] * x[1] - 0.0802 * x[0] * x[1] - 0.1117 * exp(-x[1] * x[1]) -
            0.703 * cos(1.398 * t) - 0.7 * lambda[0] - 0.7 * lambda[1];
  }
};

struct DoubleCrossing {
  void guards(auto t, const auto& x, auto&& h) const {
    using std::cos;
    h[0] = x[2] - 0.075 * x[0];
    h[1] = x[1] - 0.4884 * cos(2.8963 * t);
  }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::cos, std::exp, std::sin, std::tanh;
    dx[0] = -0.2 * x[0] * x[0] * x[0] + 1.534 * exp(-x[1] * x[1]) - 1.0098 * sin(x[1]) + 0.374 +
            2.2478 * lambda[1] - 0.735 * cos(x[1]) * lambda[0];
    dx[1] = -0.2 * x[1] * x[1] * x[1] - 0.3829 * exp(-x[1] * x[1]) + 0.7703 * cos(2.3587 * t);
    dx[2] = -0.2 * x[2] * x[2] * x[2] - 0.2136 * tanh(x[1] - x[2]) - 1.8762 * tanh(x[2] - x[1]) + 0.7485 -
            0.0838 * lambda[0] * lambda[1];
  }
};

// The times of the events on this surface from t on.
std::vector<double> times(const Solution& solution, Index surface, double from) {
  std::vector<double> result;
  for (const EventRecord& event : solution.events) {
    if (event.t > from && event.surfaces[0] == surface) result.push_back(event.t);
  }
  return result;
}

}  // namespace

TEST_CASE("a short stick and a double crossing of twenty tolerances are found by every method") {
  const System stick = from_functor(ShortStick{}, {.states = 2, .surfaces = 2});
  const System crossing = from_functor(DoubleCrossing{}, {.states = 3, .surfaces = 2});
  for (const Method method :
       {Method::automatic, Method::bdf, Method::adams, Method::dopri5, Method::dop853, Method::rodas}) {
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
      CAPTURE(std::string(to_string(method)));
      CAPTURE(rtol);
      // The errors of a guard are felt with its slopes, 0.045 and 0.11.
      const double accuracy = 100 * rtol;
      const Solution sticks = run(stick, {-0.112, -1.912}, 5, with(method, rtol));
      const std::vector<double> stick_times = times(sticks, 0, 3);
      REQUIRE(stick_times.size() == 2);
      CHECK(std::abs(stick_times[0] - 3.175787728) < accuracy + 1e-8);
      CHECK(std::abs(stick_times[1] - 3.221466205) < accuracy + 1e-8);
      const Solution crosses = run(crossing, {-0.444, -0.066, -1.166}, 5, with(method, rtol));
      const std::vector<double> crossing_times = times(crosses, 1, 3);
      REQUIRE(crossing_times.size() >= 2);
      CHECK(std::abs(crossing_times[0] - 3.210762568) < accuracy + 1e-8);
      CHECK(std::abs(crossing_times[1] - 3.248829614) < accuracy + 1e-8);
    }
  }
}
