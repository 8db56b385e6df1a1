// Runs ask for no memory per step, and per event for little more than its record keeps.
#include <doctest/doctest.h>

#include <cmath>

#include "slideway/model/from_functor.hpp"
#include "slideway/simulate/simulator.hpp"
#include "test/allocation_count.hpp"

#if SLIDEWAY_COUNTS_ALLOCATIONS

namespace slideway {
namespace {

// A block with dry friction and a driving force: it sticks and slips twice a period or more.
struct DrivenBlock {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1]; }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::cos;
    dx[0] = x[1];
    dx[1] = -x[0] - 0.4 * lambda[0] + cos(0.5 * t);
  }
};

struct Count {
  Index allocations = 0;
  Index steps = 0;
  Index events = 0;
};

Count follow(const System& system, Method method, double rtol, double end) {
  Options options;
  options.rtol = rtol;
  options.method = method;
  options.recording = Recording::nothing;
  const Simulator simulator(system, options);
  const Vector state = Eigen::Vector2d(2, 0);
  const std::size_t before = allocations().calls;
  const Solution solution = simulator.run({.start = 0, .end = end, .state = state});
  Count count{static_cast<Index>(allocations().calls - before), solution.statistics.steps,
              static_cast<Index>(solution.events.size())};
  REQUIRE(solution.outcome.reached_end());
  return count;
}

// Two of them: the states, the modes, the surface and its name, three numbers and the reason.
constexpr double kKeptByRecord = 10;

}  // namespace

TEST_CASE("a run that records nothing asks for no memory per step") {
  const System system = from_functor(DrivenBlock{}, {.states = 2, .surfaces = 1});
  struct Pair {
    Method method;
    double loose, strict;
  };
  // The automatic method has more than one of its methods at work at either.
  for (const auto& [method, loose_rtol, strict_rtol] :
       {Pair{Method::dopri5, 1e-5, 1e-9}, Pair{Method::dop853, 1e-5, 1e-13},
        Pair{Method::automatic, 1e-8, 1e-13}, Pair{Method::adams, 1e-5, 1e-11},
        Pair{Method::bdf, 1e-5, 1e-9}}) {
    CAPTURE(to_string(method));
    const Count loose = follow(system, method, loose_rtol, 500);
    const Count strict = follow(system, method, strict_rtol, 500);
    REQUIRE(loose.events == strict.events);
    REQUIRE(strict.steps > 2 * loose.steps);
    CHECK(strict.allocations <= loose.allocations + 20);
  }
}

TEST_CASE("an event asks for little more memory than its record keeps") {
  const System system = from_functor(DrivenBlock{}, {.states = 2, .surfaces = 1});
  const Count half = follow(system, Method::dopri5, 1e-6, 500);
  const Count whole = follow(system, Method::dopri5, 1e-6, 1000);
  REQUIRE(whole.events > half.events + 100);
  const double per_event = static_cast<double>(whole.allocations - half.allocations) /
                           static_cast<double>(whole.events - half.events);
  CHECK(per_event <= 2.2 * kKeptByRecord);
}

}  // namespace slideway

#endif
