// Large systems with local events: slideway with them followed where they are, and all at once.
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>

#include <fmt/core.h>

#include "validation/benchmarks/local_problems.hpp"

using namespace slideway;
using namespace slideway::benchmarks;

int main(int count, char** words) {
  const std::string kind = count > 1 ? words[1] : "chain";
  const Index size = count > 2 ? std::atol(words[2]) : 1000;
  const double end = count > 3 ? std::atof(words[3]) : 50;
  const double rtol = count > 4 ? std::atof(words[4]) : 1e-6;
  const std::string local = count > 5 ? words[5] : "on";
  const auto clock = [] { return std::chrono::steady_clock::now(); };
  const auto began = clock();
  const LocalProblem problem = kind == "chain"     ? chain_of_blocks(size)
                               : kind == "lattice" ? lattice_of_blocks(size)
                                                   : air_conditioners(size);
  const double made = std::chrono::duration<double>(clock() - began).count();
  Options options{.rtol = rtol};
  options.recording = Recording::nothing;
  options.local_events = local_events_from(local);
  options.max_events = 100'000'000;
  const Solution solution =
      Simulator(problem.system, options).run({.start = 0, .end = end, .state = problem.start});
  const double whole = std::chrono::duration<double>(clock() - began).count();
  fmt::print(
      "{} {} t={} rtol={} {}: {} events, run {:.3f} s (made in {:.3f}, all {:.3f}), steps {}, {} at {} {}\n",
      kind, size, end, rtol, local, solution.events.size(), solution.statistics.wall_seconds, made, whole,
      solution.statistics.steps, to_string(solution.outcome.status), solution.outcome.t,
      solution.outcome.message);
  for (const std::string& warning : solution.warnings) fmt::print("  {}\n", warning);
  return 0;
}
