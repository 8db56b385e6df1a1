#include "run/warnings.hpp"

#include <cmath>
#include <exception>
#include <optional>
#include <utility>

#include "core/number_text.hpp"
#include "simulate/precision.hpp"
#include "simulate/silent_events.hpp"
#include "slideway/model/tolerance_advice.hpp"

namespace slideway {

namespace {

std::string kind_of(const Watched& watched) {
  return watched.kind == WatchedKind::stop ? "stop" : watched.kind == WatchedKind::edge ? "edge" : "reset";
}

}  // namespace

void append_shrinking_steps(const RunState& now, const StepSizes& step_sizes,
                            std::vector<std::string>& warnings) {
  const double resolution = gathered_errors(now.options.rtol) * now.options.rtol;
  const std::optional<StepSizes::Shrinking> shrinking = step_sizes.shrink_into(now.t, resolution);
  if (!shrinking) return;
  warnings.push_back("the steps shrank geometrically into the end, t = " + number_text(now.t) + ", from " +
                     number_text(shrinking->first) + " at t = " + number_text(shrinking->since) + " to " +
                     number_text(shrinking->last) +
                     ": the solution or one of its derivatives may be infinite here, and the last "
                     "values tell only that they are large; end the run earlier, or with a stop");
}

void append_silent_guards(RunState& now, Status status, std::vector<std::string>& warnings) {
  if (!now.x.allFinite()) return;
  EventWatch& watch = now.here->watch;
  const GuardTable& guards = now.here->guards;
  std::vector<std::string> silent;
  const Vector weights = now.errors.accumulated().cwiseInverse();
  try {
    for (Index e = 0; e < watch.size(); ++e) {
      const Watched& watched = watch[e];
      if (watched.kind == WatchedKind::record || watched.direction == Direction::any ||
          guards.event(e).has_fired)
        continue;
      // Its jumps past zero were asked to be none; and a run that stopped within an instant left what was due there.
      const bool is_excused = !watched.across_jumps || status != Status::reached_end;
      if (guards.event(e).was_ahead && is_excused) continue;
      if (watched.initially == Initially::wait && !guards.event(e).was_ahead) continue;
      // An event that is beyond zero at the start of a run in a given mode may have fired before that run.
      if (!guards.event(e).was_ahead && now.run.mode) continue;
      const double value = now.here->event_value(now.t, now.x, e);
      if (!(value < 0)) continue;
      const double near =
          kZeroFactor * watch.rounding(now.t, now.x, e) + watch.tolerance(now.t, now.x, e, weights);
      if (!(value < -near)) continue;
      silent.push_back(silent_event_warning(kind_of(watched), watched.name, watched.when.value(now.t, now.x),
                                            watched.direction == Direction::rising,
                                            guards.event(e).was_ahead));
    }
  } catch (const std::exception&) {
    // A guard without a value here says nothing.
  }
  append_silent(silent, warnings);
}

void append_below_tolerance(const RunState& now, const Trajectory& trajectory,
                            std::vector<std::string>& warnings) {
  constexpr std::size_t most = 5;
  constexpr int times = 64;
  if (!now.x.allFinite()) return;
  const Vector& atol = now.errors.atol();
  try {
    std::vector<std::string> guards = guards_below_tolerance(now.here->evaluator, now.x, atol);
    if (guards.size() > most) guards.resize(most);
    warnings.insert(warnings.end(), guards.begin(), guards.end());
  } catch (const std::exception&) {
    // A guard without a value at the origin says nothing.
  }
  const Index moving = now.x.size() - now.here->system.discrete();
  Vector largest = now.x.cwiseAbs().cwiseMax(now.run.state.cwiseAbs()).head(moving);
  if (!(largest.array() < atol.head(moving).array()).all() || trajectory.steps() == 0) return;
  for (int k = 1; k < times; ++k) {
    const double t = trajectory.start() + (trajectory.end() - trajectory.start()) * k / times;
    largest = largest.cwiseMax(trajectory(t).head(moving).cwiseAbs());
  }
  if (const std::optional<std::string> told =
          states_below_tolerance(now.here->system.state_names(), largest, now.run.state.head(moving),
                                 atol.head(moving), now.options.rtol))
    warnings.push_back(*told);
}

void append_steep_switches(const RunState& now, const StepEnds& ends, double stiff_from,
                           std::vector<std::string>& warnings) {
  const Method method = now.options.method;
  if (method != Method::bdf && method != Method::rodas && std::isnan(stiff_from)) return;
  for (std::string& text : steep_switches(now.tools.automaton(), ends, now.errors.atol(), now.options.rtol))
    warnings.push_back(std::move(text));
}

}  // namespace slideway
