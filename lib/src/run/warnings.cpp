#include "run/warnings.hpp"

#include <exception>
#include <optional>

#include "core/number_text.hpp"
#include "simulate/precision.hpp"
#include "simulate/silent_events.hpp"

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

}  // namespace slideway
