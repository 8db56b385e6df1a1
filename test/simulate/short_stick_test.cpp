// Sticks so short that the dip which begins them is within what errors of integration may gather.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "slideway/model/from_functor.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway {
namespace {

constexpr double kBelt = 0.1;

// A block on a spring and a belt, pushed ever harder: x'' = −x + σ(−½ sgn(σ(x' − σ v)) + a t²/2), in either direction σ.
struct PushedBlock {
  double a = 0;
  double direction = 1;
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1] - direction * kBelt; }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = x[1];
    dx[1] = -x[0] - 0.5 * lambda[0] + direction * 0.5 * a * t * t;
  }
};

// It slips at t₀ with x = ½ + a t₀²/2. From then on v = a t + (v₀ − a t₀) cos s − a sin s, s = t − t₀, which after one turn
// would be 2πa faster than the belt.
struct Exact {
  explicit Exact(double acceleration) : a(acceleration) {
    // 0.4 + 0.1 t = 0.5 + a t²/2
    slips = 0.2 / (kBelt + std::sqrt(kBelt * kBelt - 0.2 * a));
    double low = slips + std::numbers::pi;
    double high = slips + 2 * std::numbers::pi;
    for (int halving = 0; halving < 60; ++halving) {
      const double middle = 0.5 * (low + high);
      (velocity(middle) < kBelt ? low : high) = middle;
    }
    sticks = high;
  }
  double velocity(double t) const {
    const double s = t - slips;
    return a * t + (kBelt - a * slips) * std::cos(s) - a * std::sin(s);
  }
  double a, slips = 0, sticks = 0;
};

// The errors of BDF are larger than this dip: its solution may miss the belt.
TEST_CASE("a short stick is found however near to the tolerances its dip is") {
  for (const Method method :
       {Method::dopri5, Method::dop853, Method::rodas, Method::adams, Method::automatic}) {
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
      for (const double direction : {1.0, -1.0}) {
        CAPTURE(std::string(to_string(method)));
        CAPTURE(rtol);
        CAPTURE(direction);
        // The dip is 18 times as deep as an error that is tolerated in the velocity.
        const double a = 18 * 0.11 * rtol / (2 * std::numbers::pi);
        const Exact exact(a);
        Options options;
        options.rtol = rtol;
        options.method = method;
        const System system = from_functor(PushedBlock{a, direction}, {.states = 2, .surfaces = 1});
        const Vector start = direction * Eigen::Vector2d(0.4, kBelt);
        const Solution solution = Simulator(system, options).run({.start = 0, .end = 8, .state = start});
        REQUIRE(solution.outcome.reached_end());
        REQUIRE(solution.events.size() == 3);
        CHECK(solution.events[0].kind == EventKind::sliding_exit);
        CHECK(solution.events[1].kind == EventKind::sliding_entry);
        CHECK(solution.events[2].kind == EventKind::sliding_exit);
        CHECK(std::abs(solution.events[0].t - exact.slips) <= 100 * rtol);
        // The errors of the velocity are felt with their square roots.
        const double half = exact.slips + 2 * std::numbers::pi - exact.sticks;
        CHECK(half > 0);
        CHECK(std::abs(solution.events[1].t - exact.sticks) < half);
      }
    }
  }
}

TEST_CASE("a dip far below the tolerances stays a touch") {
  for (const Method method : {Method::dopri5, Method::dop853, Method::rodas, Method::adams, Method::bdf}) {
    for (const double rtol : {1e-4, 1e-8}) {
      CAPTURE(std::string(to_string(method)));
      CAPTURE(rtol);
      Options options;
      options.rtol = rtol;
      options.method = method;
      const System system = from_functor(PushedBlock{1e-3 * rtol, 1}, {.states = 2, .surfaces = 1});
      const Solution solution =
          Simulator(system, options).run({.start = 0, .end = 40, .state = Eigen::Vector2d(0.4, kBelt)});
      REQUIRE(solution.outcome.reached_end());
      REQUIRE(!solution.events.empty());
      CHECK(solution.events.front().kind == EventKind::sliding_exit);
      for (std::size_t k = 1; k < solution.events.size(); ++k) {
        CHECK(solution.events[k].kind == EventKind::grazing);
      }
    }
  }
}

}  // namespace
}  // namespace slideway
