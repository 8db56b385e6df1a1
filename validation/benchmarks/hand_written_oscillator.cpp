// Whether the hand-written program finds all 797 mode changes of 200 periods, and what that costs.
// usage: benchmark_hand_written_oscillator [largest slip step] [largest stick step]
#include <cmath>
#include <cstdlib>
#include <numbers>

#include <fmt/core.h>

#include "validation/benchmarks/hand_written_oscillator.hpp"
#include "validation/closed_form_oscillator.hpp"

int main(int count, char** words) {
  using namespace slideway;
  benchmarks::HandWrittenOscillator problem;
  if (count > 1) problem.largest_slip_step = std::atof(words[1]);
  if (count > 2) problem.largest_stick_step = std::atof(words[2]);
  const double end = 200 * 2 * std::numbers::pi / problem.frequency;
  const validation::OscillatorMotion exact = validation::ClosedFormOscillator({.end = end}).solve();

  fmt::print("{:<6} {:>6} {:>7} {:>10} {:>8} {:>9} {:>8} {:>9}\n", "method", "rtol", "events", "time error",
             "steps", "field", "roots", "Jacobians");
  bool complete = true;
  for (const bool stiff : {true, false}) {
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
      benchmarks::HandWrittenProgram program(problem, stiff, rtol, rtol / 100);
      const benchmarks::HandWrittenResult result = program.run({2, 0}, end);
      double error = 0;
      bool same = result.times.size() == exact.events.size();
      for (std::size_t k = 0; same && k < result.times.size(); ++k) {
        same = result.modes[k + 1] == exact.events[k].to;
        error = std::max(error, std::abs(result.times[k] - static_cast<double>(exact.events[k].t)));
      }
      complete = complete && same;
      fmt::print("{:<6} {:>6.0e} {:>7} {:>10} {:>8} {:>9} {:>8} {:>9}\n", stiff ? "bdf" : "adams", rtol,
                 result.times.size(), same ? fmt::format("{:.1e}", error) : "wrong", result.steps,
                 result.field_evaluations, result.guard_evaluations, result.jacobian_evaluations);
    }
  }
  return complete ? 0 : 1;
}
