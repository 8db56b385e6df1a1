// RunEngine at its end: sentences about what went through but is probably not meant.

#include <cmath>
#include <exception>

#include "run/run_engine.hpp"
#include "simulate/run_shared.hpp"
#include "simulate/silent_events.hpp"

namespace slideway {

namespace {

std::string kind_of(const Watched& watched) {
  return watched.kind == WatchedKind::stop ? "stop" : watched.kind == WatchedKind::edge ? "edge" : "reset";
}

}  // namespace

void RunEngine::warn_of_silent_guards() {
  if (!now_.x.allFinite()) return;
  EventWatch& watch = now_.here->watch;
  const GuardTable& guards = now_.here->guards;
  std::vector<std::string> silent;
  const Vector weights = now_.errors.accumulated().cwiseInverse();
  try {
    for (Index e = 0; e < watch.size(); ++e) {
      const Watched& watched = watch[e];
      if (watched.kind == WatchedKind::record || watched.direction == Direction::any ||
          guards.event(e).has_fired)
        continue;
      // Its jumps past zero were asked to be none; and a run that stopped within an instant left what was due there.
      const bool is_excused = !watched.across_jumps || log_.solution().outcome.status != Status::reached_end;
      if (guards.event(e).was_ahead && is_excused) continue;
      if (watched.initially == Initially::wait && !guards.event(e).was_ahead) continue;
      // An event that is beyond zero at the start of a run in a given mode may have fired before that run.
      if (!guards.event(e).was_ahead && now_.run.mode) continue;
      const double value = now_.here->event_value(now_.t, now_.x, e);
      if (!(value < 0)) continue;
      const double near = kZeroFactor * watch.rounding(now_.t, now_.x, e) +
                          watch.tolerance(now_.t, now_.x, e, weights);
      if (!(value < -near)) continue;
      silent.push_back(
          silent_event_warning(kind_of(watched), watched.name, watched.when.value(now_.t, now_.x),
                               watched.direction == Direction::rising, guards.event(e).was_ahead));
    }
  } catch (const std::exception&) {
    // A guard without a value here says nothing.
  }
  append_silent(silent, log_.solution().warnings);
}

}  // namespace slideway
