#include "simulate/event_watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/constants.hpp"
#include "core/rounding.hpp"
#include "core/state_errors.hpp"
#include "simulate/precision.hpp"

namespace slideway {

namespace {

// A time that is not a number is nowhere.
bool is_at(double kept_t, const std::vector<double>& kept, double t, ConstVectorRef x,
           const std::vector<Index>& states) {
  if (kept_t != t) return false;
  for (std::size_t k = 0; k < states.size(); ++k)
    if (kept[k] != x[states[k]]) return false;
  return true;
}

void keep(ConstVectorRef x, const std::vector<Index>& states, std::vector<double>& kept) {
  kept.resize(states.size());
  for (std::size_t k = 0; k < states.size(); ++k) kept[k] = x[states[k]];
}

}  // namespace

EventWatch::EventWatch(const System& system) {
  states_ = system.states();
  for (const Event& event : system.events()) {
    const WatchedKind kind = event.action == Action::record ? WatchedKind::record
                             : event.action == Action::stop ? WatchedKind::stop
                                                            : WatchedKind::reset;
    add({.kind = kind,
         .name = event.name,
         .when = event.when,
         .direction = event.direction,
         .reset = event.reset,
         .across_jumps = event.across_jumps,
         .event = watched_.size(),
         .delay = event.delay,
         .priority = event.priority,
         .initially = event.initially,
         .at_zero = event.at_zero,
         .holds_at_zero = event.holds_at_zero});
  }
}

void EventWatch::add_edges(const Automaton& automaton, std::size_t location,
                           const std::vector<std::size_t>& without) {
  for (std::size_t k = 0; k < automaton.edges().size(); ++k) {
    const Edge& edge = automaton.edges()[k];
    if (edge.from != automaton.locations()[location].name) continue;
    if (std::find(without.begin(), without.end(), k) != without.end()) continue;
    add({.kind = WatchedKind::edge,
         .name = edge.name,
         .when = edge.when,
         .direction = edge.direction,
         .reset = edge.reset,
         .across_jumps = edge.across_jumps,
         .edge = k,
         .delay = edge.delay,
         .priority = edge.priority,
         .initially = edge.initially,
         .at_zero = edge.at_zero,
         .holds_at_zero = edge.holds_at_zero});
  }
}

void EventWatch::add(Watched watched) {
  Seen& seen = seen_.emplace_back();
  if (auto shape = watched.when.shape(states_)) {
    seen.shape = std::move(*shape);
  } else {
    seen.shape.states.resize(at(states_));
    std::iota(seen.shape.states.begin(), seen.shape.states.end(), Index{0});
  }
  // A crossing in either direction is one of the guard, whatever condition is meant.
  if (watched.direction == Direction::any) {
    watched.at_zero = AtZero::unknown;
    watched.holds_at_zero = {};
  }
  has_conditions_ = has_conditions_ || watched.is_condition();
  watched_.push_back(std::move(watched));
}

AtZero EventWatch::at_zero(double t, ConstVectorRef x, Index e) const {
  const Watched& one = (*this)[e];
  if (!one.holds_at_zero) return one.at_zero;
  return one.holds_at_zero.value(t, x) > 0 ? AtZero::holds : AtZero::fails;
}

const std::vector<double>& EventWatch::slopes(double t, ConstVectorRef x, Index e) {
  Seen& seen = seen_[at(e)];
  if (seen.has_slopes || is_at(seen.slopes_t, seen.slopes_x, t, x, seen.shape.states)) return seen.slopes;
  seen.slopes_t = std::numeric_limits<double>::quiet_NaN();
  (*this)[e].when.slopes(t, x, seen.shape.states, seen.slopes);
  seen.has_slopes = seen.shape.affine;
  seen.slopes_t = t;
  keep(x, seen.shape.states, seen.slopes_x);
  return seen.slopes;
}

void EventWatch::forget_slopes() {
  for (Seen& seen : seen_) {
    seen.slopes_t = seen.error_t = std::numeric_limits<double>::quiet_NaN();
    if (!seen.shape.affine) seen.slope_t = std::numeric_limits<double>::quiet_NaN();
  }
}

template <class Size>
double EventWatch::sum_along_gradient(double t, ConstVectorRef x, Index e, const Size& size) {
  const std::vector<double>& along = slopes(t, x, e);
  const std::vector<Index>& states = seen_[at(e)].shape.states;
  double sum = 0;
  for (std::size_t k = 0; k < states.size(); ++k) sum += std::abs(along[k]) * size(states[k]);
  return sum;
}

double EventWatch::slope_in_time(double t, ConstVectorRef x, Index e) {
  Seen& seen = seen_[at(e)];
  const bool is_known = (seen.shape.affine && !std::isnan(seen.slope_t)) ||
                        is_at(seen.slope_t, seen.slope_x, t, x, seen.shape.states);
  if (is_known) return seen.slope_in_time;
  seen.slope_t = std::numeric_limits<double>::quiet_NaN();
  seen.slope_in_time = (*this)[e].when.slope_in_time(t, x, seen.shape.states);
  seen.slope_t = t;
  keep(x, seen.shape.states, seen.slope_x);
  return seen.slope_in_time;
}

std::optional<AffineGuard> EventWatch::affine(Index e, ConstVectorRef zero) {
  const GuardShape& shape = seen_[at(e)].shape;
  if (!shape.affine) return std::nullopt;
  AffineGuard result;
  result.origin = (*this)[e].when.value(0, zero);
  result.by_time = slope_in_time(0, zero, e);
  result.weights = slopes(0, zero, e);
  bool finite = std::isfinite(result.origin) && std::isfinite(result.by_time);
  for (std::size_t k = 0; k < shape.states.size(); ++k) {
    result.states.push_back(static_cast<int>(shape.states[k]));
    finite = finite && std::isfinite(result.weights[k]);
  }
  if (!finite) return std::nullopt;
  return result;
}

double EventWatch::rate(double t, ConstVectorRef x, ConstVectorRef velocity, Index e) {
  const Seen& seen = seen_[at(e)];
  const std::vector<Index>& states = seen.shape.states;
  if (!seen.has_slopes && !states.empty()) return (*this)[e].when.rate(t, x, 1, velocity, &states);
  double rate = slope_in_time(t, x, e);
  for (std::size_t k = 0; k < states.size(); ++k) rate += seen.slopes[k] * velocity[states[k]];
  return rate;
}

double EventWatch::rounding(double t, ConstVectorRef x, Index e) {
  const double states = sum_along_gradient(t, x, e, [&](Index j) { return std::abs(x[j]); });
  return rounding_of(states + std::abs(slope_in_time(t, x, e) * t), running_error(t, x, e));
}

double EventWatch::running_error(double t, ConstVectorRef x, Index e) {
  Seen& seen = seen_[at(e)];
  if (is_at(seen.error_t, seen.error_x, t, x, seen.shape.states)) return seen.error;
  seen.error_t = std::numeric_limits<double>::quiet_NaN();
  seen.error = (*this)[e].when.running_error(t, x);
  seen.error_t = t;
  keep(x, seen.shape.states, seen.error_x);
  return seen.error;
}

double EventWatch::rounding_of_errors(double t, ConstVectorRef x, Index e, ConstVectorRef weights) {
  return rounding(t, x, e) + kRoundingFactor * kEpsilon * tolerance(t, x, e, weights);
}

double EventWatch::tolerance(double t, ConstVectorRef x, Index e, ConstVectorRef weights) {
  return sum_along_gradient(t, x, e, [&](Index j) { return error_of(weights[j]); });
}

double EventWatch::rate_rounding(double t, ConstVectorRef x, ConstVectorRef velocity, Index e) {
  const double states = sum_along_gradient(t, x, e, [&](Index j) { return std::abs(velocity[j]); });
  return kRateRounding * kEpsilon * (states + std::abs(slope_in_time(t, x, e)));
}

}  // namespace slideway
