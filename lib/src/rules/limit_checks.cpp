#include "rules/limit_checks.hpp"

#include <algorithm>
#include <cmath>

#include "rules/history.hpp"
#include "simulate/precision.hpp"

namespace slideway {

bool hardly_takes_time(const RunState& now, double interval, double remaining) {
  return interval <= kNoFlight * location_accuracy(now.t, 0) ||
         remaining <= kNothingLeft * location_accuracy(now.t, 0);
}

bool hardly_moves(const RunState& now, double time) {
  Vector velocity(now.x.size());
  now.here->evaluator.field(now.t, now.x, now.regime.lambda(), velocity);
  return velocity.cwiseProduct(now.weights).lpNorm<Eigen::Infinity>() * time <= kNoDifference;
}

bool hardly_leaves(const RunState& now, const EventSeries& turns, const Accumulation& accumulation) {
  Vector farthest = Vector::Zero(now.regime.mode().size());
  Vector h(now.regime.mode().size());
  for (std::size_t k = 0; k < accumulation.period; ++k) {
    now.here->evaluator.guards(now.t, turns.before_last(k).x, h);
    farthest = farthest.cwiseMax(h.cwiseAbs());
  }
  return std::any_of(accumulation.ids.begin(), accumulation.ids.end(), [&](Index i) {
    return farthest[i] <= kHardlyOff * now.here->geometry.rounding(now.t, now.x, i);
  });
}

std::vector<Index> surfaces_of_turn(const EventLog& events, std::size_t period) {
  std::vector<Index> surfaces;
  for (auto event = events.rbegin(); period > 0 && event != events.rend(); ++event) {
    if (!takes_part_in_turns(event->kind)) continue;
    surfaces.insert(surfaces.end(), event->surfaces.begin(), event->surfaces.end());
    --period;
  }
  // The record may begin within the turn.
  if (period > 0) return {};
  std::sort(surfaces.begin(), surfaces.end());
  surfaces.erase(std::unique(surfaces.begin(), surfaces.end()), surfaces.end());
  return surfaces;
}

void add_errors_of_surfaces(const RunState& now, const EventRecord& event, Accumulation& accumulation) {
  double rounding = 0, tolerance = 0;
  for (std::size_t k = 0; k < event.surfaces.size(); ++k) {
    const Index i = event.surfaces[k];
    const double speed = std::max(std::abs(event.w_minus[k]), std::abs(event.w_plus[k]));
    if (!(speed > 0)) continue;
    rounding = std::max(rounding, now.here->geometry.rounding(now.t, now.x, i) / speed);
    tolerance = std::max(tolerance, now.here->geometry.tolerance(now.t, now.x, i, now.weights) / speed);
  }
  accumulation.blur(rounding);
  // A size that is wrong by so much shrinks like the others.
  accumulation.error += tolerance / (1 - accumulation.ratio);
}

Vector limit_of_jumped(const Vector& x, const Vector& before_jump, const EventSeries& jumps,
                       const Accumulation& accumulation, const std::vector<Index>& states) {
  Vector limit = x;
  const std::size_t period = accumulation.period;
  const bool has_turns = accumulation.state.size() > 0;
  for (const Index j : states) {
    if (has_turns) {
      const double last = x[j] - jumps.before_last(period).x[j];
      const double own = last / (jumps.before_last(period).x[j] - jumps.before_last(2 * period).x[j]);
      if (std::abs(own) < kTurnShrinks) limit[j] += last * own / (1 - own);
    }
    const double before = before_jump[j];
    if (period > 1 || !(std::abs(x[j] - before) > kJumpRounding * std::abs(x[j]))) continue;
    // A speed across the guard is thrown back: (x − x∞) becomes −r(x − x∞). This limit is the more exact one
    // for such a state.
    const double thrown_back = (x[j] + accumulation.ratio * before) / (1 + accumulation.ratio);
    if (!has_turns || std::abs(thrown_back - limit[j]) <= kSameLimit * std::abs(x[j] - limit[j]))
      limit[j] = thrown_back;
  }
  return limit;
}

}  // namespace slideway
