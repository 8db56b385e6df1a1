// The cost of a method's restart at an event.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "slideway/model/from_functor.hpp"
#include "test/simulate/hybrid.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

// x'' = −3 sgn(x): parabolas, with the period 4 √(2a/3) at the amplitude a.
struct Switched {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = x[1];
    dx[1] = -3.0 * lambda[0];
  }
};

}  // namespace

TEST_CASE("a restart costs a few tolerances with every method") {
  const double amplitude = 0.1;
  const double period = 4 * std::sqrt(2 * amplitude / 3);
  constexpr int turns = 50;
  const System system = from_functor(Switched{}, {.states = 2, .surfaces = 1});
  for (const Method method : every_method) {
    for (const double rtol : {1e-4, 1e-5, 1e-6, 1e-8}) {
      CAPTURE(std::string(to_string(method)));
      CAPTURE(rtol);
      const Solution solution = run(system, {amplitude, 0}, turns * period, with(method, rtol));
      REQUIRE(solution.events.size() == 2 * turns);
      // An error δ of the speed √(0.6) at a crossing moves the next by 2δ/3, and there are two in a turn.
      CHECK(std::abs(solution.events.back().t - (turns - 0.25) * period) < 4 * 2 * turns * rtol);
      CHECK(std::abs(solution.final.state[0] - amplitude) < 4 * 2 * turns * rtol);
      CHECK(std::abs(solution.final.state[1]) < 3 * 4 * 2 * turns * rtol);
    }
  }
}
