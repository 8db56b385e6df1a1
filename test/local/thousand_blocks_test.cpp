// A thousand blocks, block by block beside the run that stops all of them.
#include <doctest/doctest.h>

#include <algorithm>
#include <vector>

#include "slideway/simulate/simulator.hpp"
#include "test/local/same_changes.hpp"
#include "validation/benchmarks/local_problems.hpp"

using namespace slideway;
using namespace slideway::benchmarks;
using namespace test;

namespace {

Solution run(const LocalProblem& problem, double end, double rtol, LocalEvents local) {
  Options options{.rtol = rtol};
  options.recording = Recording::nothing;
  options.local_events = local;
  return Simulator(problem.system, options).run({.start = 0, .end = end, .state = problem.start});
}

double distance(const Solution& a, const Solution& b) {
  return (a.final.state - b.final.state).lpNorm<Eigen::Infinity>();
}

// At each tolerance the local run has the events of the exact one, and is no farther from it than the run that stops all blocks.
void check_at_tolerances(const LocalProblem& problem, double end) {
  const Solution exact = run(problem, end, 1e-12, LocalEvents::off);
  for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
    CAPTURE(rtol);
    const Solution global = run(problem, end, rtol, LocalEvents::off);
    const Solution local = run(problem, end, rtol, LocalEvents::on);
    CHECK(local.warnings.empty());
    CHECK(local.outcome.reached_end());
    const Difference mine = difference_of(local, exact);
    const Difference theirs = difference_of(global, exact);
    CHECK(mine.surfaces.empty());
    CHECK(theirs.surfaces.empty());
    CHECK(mine.furthest <= 3 * theirs.furthest + 10 * rtol);
    CHECK(distance(local, exact) <= 3 * distance(global, exact) + 10 * rtol);
  }
}

}  // namespace

TEST_CASE("a chain of a thousand blocks has the events of the run that stops all of them") {
  check_at_tolerances(chain_of_blocks(1000), 4);
}

TEST_CASE("a lattice of a thousand blocks has the events of the run that stops all of them") {
  check_at_tolerances(lattice_of_blocks(32), 2);
}
