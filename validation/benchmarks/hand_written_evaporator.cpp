// Whether the hand-written program crosses, returns and slides as the exact solution does, and what that costs.
#include <cmath>

#include <fmt/core.h>

#include "validation/benchmarks/hand_written_evaporator.hpp"

int main() {
  using namespace slideway;
  const double times[] = {-15 * std::log(0.6), 10.98419612553311376255196};
  const double p_end = std::sqrt(0.1 * 0.15 / 2);

  fmt::print("{:<6} {:>6} {:>6} {:>10} {:>11} {:>6} {:>6} {:>6} {:>9}\n", "method", "rtol", "modes",
             "time error", "final error", "steps", "field", "roots", "Jacobians");
  bool complete = true;
  for (const bool stiff : {true, false}) {
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
      benchmarks::HandWrittenProgram program(benchmarks::HandWrittenEvaporator{}, stiff, rtol, rtol / 100);
      const benchmarks::HandWrittenResult result = program.run({0, 0}, 60);
      const bool same = result.modes == "-+0";
      double error = 0;
      for (std::size_t k = 0; same && k < 2; ++k)
        error = std::max(error, std::abs(result.times[k] - times[k]));
      complete = complete && same;
      fmt::print("{:<6} {:>6.0e} {:>6} {:>10.1e} {:>11.1e} {:>6} {:>6} {:>6} {:>9}\n",
                 stiff ? "bdf" : "adams", rtol, result.modes, error, std::abs(result.final[0] - p_end),
                 result.steps, result.field_evaluations, result.guard_evaluations,
                 result.jacobian_evaluations);
    }
  }
  return complete ? 0 : 1;
}
