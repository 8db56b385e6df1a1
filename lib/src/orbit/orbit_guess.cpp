// First approximations of periodic orbits, from the end of a run.
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/number_text.hpp"
#include "orbit/regular_times.hpp"
#include "orbit/schedule.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/orbit/periodic_orbit.hpp"

namespace slideway {

namespace {

Solution transient(const Simulator& simulator, const Run& run, const char* where) {
  Options options = simulator.options();
  options.sensitivities = {};
  options.recording = Recording::dense;
  options.output_times.clear();
  Solution solution = Simulator(simulator.automaton(), options).run(run);
  if (!solution.outcome.reached_end()) {
    refuse({.what = "the transient ends early",
            .where = where,
            .expected = "a solution up to t = " + number_text(run.end),
            .got = std::string(to_string(solution.outcome.status)) +
                   " at t = " + number_text(solution.outcome.t) +
                   (solution.outcome.message.empty() ? "" : ": " + solution.outcome.message)});
  }
  return solution;
}

// The fewest returns after which the last state is nearly the same as before.
std::size_t returns_of(const std::vector<Vector>& states) {
  constexpr std::size_t most = 32;
  constexpr double near = 1e-3;
  const std::size_t last = states.size() - 1;
  Vector size = Vector::Constant(states[last].size(), std::numeric_limits<double>::min());
  for (const Vector& state : states) size = size.cwiseMax(state.cwiseAbs());
  std::size_t best = 1;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 1; k <= std::min(most, last); ++k) {
    const double distance = (states[last] - states[last - k]).cwiseQuotient(size).lpNorm<Eigen::Infinity>();
    if (distance <= near) return k;
    if (distance < 0.1 * least) {
      least = distance;
      best = k;
    }
  }
  return best;
}

// Time events act after whole periods of theirs, and what comes back does so then.
double period_between(const Automaton& problem, double begin, double end) {
  constexpr double near = 0.1;  // of the period of time events
  const std::optional<double> schedule = schedule_period(problem);
  if (!schedule || !acts_at_known_times(problem, end)) return end - begin;
  const double rounds = std::round((end - begin) / *schedule);
  const bool is_near = rounds >= 1 && std::abs(end - begin - rounds * *schedule) <= near * *schedule;
  return is_near ? rounds * *schedule : end - begin;
}

}  // namespace

OrbitGuess guess_at_section(const Simulator& simulator, const Run& run, const PoincareSection& section,
                            Index returns) {
  const char* const where = "guess_at_section";
  check_section(section, simulator.automaton(), where);
  const Solution solution = transient(simulator, run, where);
  std::vector<double> times;
  std::vector<Vector> states;
  for (const EventRecord& event : solution.events) {
    if (!event.from || !arrives(section, simulator.system(), event)) continue;
    times.push_back(event.t);
    states.push_back(solution.trajectory.before(event.t));
  }
  const auto asked = static_cast<std::size_t>(std::max<Index>(returns, 1));
  if (times.size() < asked + 1) {
    refuse({.what = "the transient comes to the section too rarely",
            .where = where,
            .expected = "at least " + std::to_string(asked + 1) + " arrivals at '" + section.name + "'",
            .got = std::to_string(times.size()) + " up to t = " + number_text(run.end),
            .advice = "make the transient longer, or choose another section or direction"});
  }
  const std::size_t round = returns > 0 ? asked : returns_of(states);
  const double end = times.back(), begin = times[times.size() - 1 - round];
  const double t = regular_time(solution, begin, end, begin);
  return {.start = t,
          .period = period_between(simulator.automaton(), begin, end),
          .state = solution.trajectory(t),
          .location = solution.trajectory.location(t)};
}

OrbitGuess guess_after(const Simulator& simulator, const Run& run, double period) {
  const Solution solution = transient(simulator, run, "guess_after");
  return {.start = solution.final.t,
          .period = period,
          .state = solution.final.state,
          .location = solution.final.location};
}

}  // namespace slideway
