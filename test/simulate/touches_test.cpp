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
