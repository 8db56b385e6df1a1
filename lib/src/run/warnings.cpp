// RunEngine at its end: sentences about what went through but is probably not meant.

#include <algorithm>
#include <cmath>
#include <exception>

#include "core/number_text.hpp"
#include "run/run_engine.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

namespace {

// Of many that are alike the first ones are told.
constexpr std::size_t kMostWarnings = 5;

std::string title(const Watched& watched) {
  const std::string kind = watched.kind == WatchedKind::stop   ? "stop"
                           : watched.kind == WatchedKind::edge ? "edge"
                                                               : "reset";
  return watched.name.empty() ? "a " + kind + " without a name" : kind + " '" + watched.name + "'";
}

}  // namespace

void RunEngine::warn_of_silent_guards() {
  if (!now_.x.allFinite()) return;
  EventWatch& watch = now_.here->watch;
  const GuardTable& guards = now_.here->guards;
  std::vector<Index> silent;
  noise_weights_ = now_.errors.accumulated().cwiseInverse();
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
                          watch.tolerance(now_.t, now_.x, e, noise_weights_);
      if (value < -near) silent.push_back(e);
    }
  } catch (const std::exception&) {
    // A guard without a value here says nothing.
  }
  for (std::size_t k = 0; k < std::min(kMostWarnings, silent.size()); ++k) warn_of(silent[k]);
  if (silent.size() > kMostWarnings) {
    log_.solution().warnings.push_back("the same is true of " +
                                       std::to_string(silent.size() - kMostWarnings) + " more");
  }
}

void RunEngine::warn_of(Index event) {
  const EventWatch& watch = now_.here->watch;
  const Watched& watched = watch[event];
  const double value = watched.when.value(now_.t, now_.x);
  const std::string direction = watched.direction == Direction::rising ? "rising" : "falling";
  log_.solution().warnings.push_back(
      title(watched) + " has never fired, and its guard is " + number_text(value) +
      " at the end, past zero (" + direction + ")" +
      (now_.here->guards.event(event).was_ahead
           ? ": it went past without being zero, as at a pole"
           : ": it has been there from the start, and fires only on a crossing"));
}

}  // namespace slideway
