#include "rules/accumulation.hpp"

#include <algorithm>
#include <cmath>

#include "simulate/precision.hpp"

namespace slideway {

namespace {

// x∞ from the states at the ends of the last three turns. Each component by its own ratio, where it has one that a limit can
// be told from: speeds need not shrink as times do.
Vector limit_of_turns(const Vector& now, const Vector& turn, const Vector& before, double ratio) {
  Vector limit = now;
  const double largest = 1 - kOwnRatio * (1 - ratio);
  for (Index j = 0; j < now.size(); ++j) {
    const double last = now[j] - turn[j];
    const double own = last / (turn[j] - before[j]);
    const double used = std::abs(own) < largest ? own : ratio;
    limit[j] += last * used / (1 - used);
  }
  return limit;
}

// repeats() tells whether the events of the last turn are those of the turn before, so many times.
bool repeats(EventSpan events, const TurnFilter& filter, std::size_t period, std::size_t times) {
  const std::size_t n = events.size();
  if (n < (times + 1) * period + 1) return false;
  const auto is_last = [&](const PastEvent& event) { return event.id == events.back().id; };
  const EventSpan turn = events.last(period);
  if (filter.least_ids > 1 && std::all_of(turn.begin(), turn.end(), is_last)) return false;
  for (std::size_t k = 0; k < times * period; ++k) {
    if (events[n - 1 - k].id != events[n - 1 - k - period].id) return false;
  }
  return true;
}

std::optional<Accumulation> accumulation(EventSpan events, const TurnFilter& filter, std::size_t period,
                                         double ratio, double change) {
  const std::size_t n = events.size();
  const PastEvent& now = events[n - 1];
  const PastEvent& turn = events[n - 1 - period];
  const double last = now.t - turn.t;
  Accumulation result;
  result.ratio = ratio;
  result.period = period;
  const double turns = ratio / (1 - ratio);
  result.remaining = last * turns;
  const double accuracy = std::max({now.accuracy, turn.accuracy, events[n - 1 - 2 * period].accuracy});
  // The ratio may go on to change by as much each turn. The sum of r^(n−1)·n(n + 1)/2 over all turns n is 1/(1 − r)³.
  result.error = last * change / ((1 - ratio) * (1 - ratio) * (1 - ratio));
  result.blur(accuracy);
  for (std::size_t k = 0; k < period; ++k) result.ids.push_back(events[n - 1 - k].id);
  std::sort(result.ids.begin(), result.ids.end());
  result.ids.erase(std::unique(result.ids.begin(), result.ids.end()), result.ids.end());
  if (result.ids.size() < filter.least_ids) return std::nullopt;
  result.state = limit_of_turns(now.x, turn.x, events[n - 1 - 2 * period].x, ratio);
  return result;
}

}  // namespace

bool Accumulation::is_hidden_by(double accuracy) const {
  const double next = remaining * (1 - ratio);
  return kRatioEnds * accuracy >= kSteadyRatio * std::max(ratio, kFastRatio) * (1 - ratio) * next;
}

void Accumulation::blur(double accuracy) {
  error += kRatioEnds * accuracy * ratio / ((1 - ratio) * (1 - ratio)) + accuracy;
  at_resolution = at_resolution || is_hidden_by(accuracy);
}

bool may_repeat(EventSpan events, const TurnFilter& filter) {
  if (events.empty()) return false;
  const std::size_t farthest = std::min(filter.periods.back(), events.size() - 1);
  const EventSpan before = events.last(farthest + 1).first(farthest);
  return std::any_of(before.begin(), before.end(),
                     [&](const PastEvent& event) { return event.id == events.back().id; });
}

bool shrinks(EventSpan events, const TurnFilter& filter, double part) {
  if (!may_repeat(events, filter)) return false;
  const std::size_t n = events.size();
  const auto shrinks_in = [&](std::size_t period) {
    if (!repeats(events, filter, period, 1)) return false;
    const double turn = events[n - 1 - period].t;
    return events[n - 1].t - turn < part * (turn - events[n - 1 - 2 * period].t);
  };
  return std::any_of(filter.periods.begin(), filter.periods.end(), [&](std::size_t period) {
    return shrinks_in(period) || (period % 2 == 0 && shrinks_in(period / 2));
  });
}

std::optional<Accumulation> limit_of(EventSpan events, const TurnFilter& filter) {
  if (!may_repeat(events, filter)) return std::nullopt;
  const std::size_t n = events.size();
  for (const std::size_t period : filter.periods) {
    if (!repeats(events, filter, period, 2)) continue;
    const PastEvent& now = events[n - 1];
    const PastEvent& turn = events[n - 1 - period];
    const double last = now.t - turn.t;
    const double before = turn.t - events[n - 1 - 2 * period].t;
    const double earlier = events[n - 1 - 2 * period].t - events[n - 1 - 3 * period].t;
    if (!(last > 0) || !(before > 0) || !(earlier > 0)) continue;
    const double ratio = last / before;
    const double change = std::abs(before / earlier - ratio);
    if (!(ratio < kLargestRatio) || change > kSteadyRatio * std::max(ratio, kFastRatio) * (1 - ratio))
      continue;
    return accumulation(events, filter, period, ratio, change);
  }
  return std::nullopt;
}

std::optional<Accumulation> limit_of_two_turns(EventSpan events, const TurnFilter& filter) {
  if (!may_repeat(events, filter)) return std::nullopt;
  const std::size_t n = events.size();
  for (const std::size_t period : filter.periods) {
    if (!repeats(events, filter, period, 1)) continue;
    const double turn = events[n - 1 - period].t;
    const double ratio = (events[n - 1].t - turn) / (turn - events[n - 1 - 2 * period].t);
    if (ratio > 0 && ratio < kFastRatio) return accumulation(events, filter, period, ratio, ratio);
  }
  return std::nullopt;
}

}  // namespace slideway
