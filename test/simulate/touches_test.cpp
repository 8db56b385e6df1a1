#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "slideway/model/from_functor.hpp"
#include "test/simulate/hybrid.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

// p circles; z follows the side of the surface, on which the speed of p does not depend.
struct Circle {
  double height = 1;
  bool curved = false;
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[0] + height;
    if (curved) h[0] = h[0] * (2.0 + x[2]);
  }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = -x[1];
    dx[1] = x[0];
    dx[2] = 0.3 * lambda[0] - x[2];
  }
};

}  // namespace

TEST_CASE("a surface that is touched every turn by fields alike on both sides is never crossed") {
  for (const bool curved : {false, true}) {
    CAPTURE(curved);
    const System system = from_functor(Circle{.curved = curved}, {.states = 3, .surfaces = 1});
    for (const Method method : every_method) {
      for (const double rtol : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-10, 1e-12}) {
        CAPTURE(std::string(to_string(method)));
        CAPTURE(rtol);
        const Solution solution = run(system, {1, 0, 0}, 30, with(method, rtol));
        REQUIRE(solution.outcome.reached_end());
        CHECK(solution.events.empty());
        CHECK(solution.final.mode.word() == "+");
        CHECK(std::abs(solution.final.state[0] - std::cos(30.0)) < 1000 * rtol);
        CHECK(std::abs(solution.final.state[2] + 0.3 * std::expm1(-30.0)) < 1000 * rtol);
      }
    }
  }
}

TEST_CASE("a surface that is dipped through by more than the tolerances is crossed twice every turn") {
  const double height = 0.99;
  const System system = from_functor(Circle{.height = height}, {.states = 3, .surfaces = 1});
  const double down = std::acos(-height);
  for (const Method method : every_method) {
    for (const double rtol : {1e-5, 1e-6, 1e-8, 1e-10, 1e-12}) {
      CAPTURE(std::string(to_string(method)));
      CAPTURE(rtol);
      const Solution solution = run(system, {1, 0, 0}, 12, with(method, rtol));
      REQUIRE(solution.outcome.reached_end());
      REQUIRE(solution.events.size() == 4);
      CHECK(std::abs(solution.events[0].t - down) < 10000 * rtol);
      CHECK(std::abs(solution.events[1].t - (8 * std::atan(1.0) - down)) < 10000 * rtol);
    }
  }
}

namespace {

// A block at rest that friction of 1 holds against a force of (1 + beyond) sin(w t), in units of its own.
struct LimitedFriction {
  double w = 1, beyond = 0, size = 1;
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1]; }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::sin;
    dx[0] = x[1];
    dx[1] = size * ((1 + beyond) * sin(w * t) - 0.5 * x[0] - lambda[0]);
  }
};

}  // namespace

TEST_CASE("friction that just reaches its limit lets nothing go, and lets go a little beyond it") {
  for (const double w : {1.0, 0.7, 1.9}) {
    for (const double size : {1.0, 0.3, 40.0}) {
      for (const Method method : test::every_method) {
        for (const double rtol : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11, 1e-12}) {
          CAPTURE(w);
          CAPTURE(size);
          CAPTURE(std::string(to_string(method)));
          CAPTURE(rtol);
          const auto run_beyond = [&](double beyond) {
            const System system =
                from_functor(LimitedFriction{w, beyond, size}, {.states = 2, .surfaces = 1});
            return test::run(system, {0, 0}, 6 / w, test::with(method, rtol));
          };
          const Solution reaching = run_beyond(0);
          REQUIRE(reaching.outcome.reached_end());
          CHECK(reaching.events.empty());
          const Solution exceeding = run_beyond(1e-3);
          REQUIRE(exceeding.outcome.reached_end());
          REQUIRE(!exceeding.events.empty());
          CHECK(exceeding.events.front().kind == EventKind::sliding_exit);
          CHECK(exceeding.events.front().t == doctest::Approx(std::asin(1 / 1.001) / w).epsilon(1e-7));
        }
      }
    }
  }
}
