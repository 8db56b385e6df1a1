#include "apps/orbit_guess.hpp"

#include <cmath>

namespace slideway::apps {

namespace {

// A transient of whole periods keeps its length, whatever rounding says of their number.
constexpr double kWholePeriods = 1 - 1e-9;

}  // namespace

std::optional<OrbitGuess> orbit_guess(const OrbitQuestion& question, const ModelInstance& instance,
                                      const Options& options) {
  const Simulator simulator(instance.problem(), options);
  Run run{.start = instance.start, .end = instance.start + question.transient, .state = instance.state};
  if (question.section && !question.period)
    return guess_at_section(simulator, run, *question.section, question.returns);
  const std::optional<double> period =
      question.period ? question.period : schedule_period(instance.problem());
  if (!period) return std::nullopt;
  run.end = instance.start + *period * std::ceil(question.transient / *period * kWholePeriods);
  return guess_after(simulator, run, *period);
}

}  // namespace slideway::apps
