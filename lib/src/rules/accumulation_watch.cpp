#include "rules/accumulation_watch.hpp"

#include <algorithm>
#include <cmath>

#include "core/copy_numbers.hpp"
#include "simulate/precision.hpp"

namespace slideway {

namespace {

constexpr std::size_t kMost = 64;

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

}  // namespace

bool Accumulation::is_hidden_by(double accuracy) const {
  const double next = remaining * (1 - ratio);
  return kRatioEnds * accuracy >= kSteadyRatio * std::max(ratio, kFastRatio) * (1 - ratio) * next;
}

void Accumulation::blur(double accuracy) {
  error += kRatioEnds * accuracy * ratio / ((1 - ratio) * (1 - ratio)) + accuracy;
  at_resolution = at_resolution || is_hidden_by(accuracy);
}

void AccumulationWatch::note(double t, Index id, const Vector& x, double accuracy) {
  if (held_ == 0) {
    began_ = t;
    has_dropped_ = false;
  }
  alike_ = held_ > 0 && notes_[held_ - 1].id == id ? alike_ + 1 : 1;
  if (held_ == kMost) {
    if (keeps_scale_ && !has_dropped_) scale_of_dropped_.setZero(x.size());
    has_dropped_ = true;
    for (std::size_t k = 0; keeps_scale_ && k < kMost / 2; ++k) {
      scale_of_dropped_ = scale_of_dropped_.cwiseMax(notes_[k].x.cwiseAbs());
    }
    std::rotate(notes_.begin(), notes_.begin() + kMost / 2, notes_.end());
    held_ -= kMost / 2;
  }
  if (held_ == notes_.size()) notes_.emplace_back();
  Note& note = notes_[held_++];
  note.t = t;
  note.id = id;
  note.accuracy = accuracy;
  copy_numbers(x, note.x);
  const std::size_t farthest = std::min(periods_.back(), held_ - 1);
  may_repeat_ = false;
  for (std::size_t k = 1; k <= farthest && !may_repeat_; ++k) may_repeat_ = notes_[held_ - 1 - k].id == id;
}

void AccumulationWatch::clear() { held_ = 0; }

Vector AccumulationWatch::scale() const {
  Vector scale = has_dropped_ ? scale_of_dropped_ : notes_.front().x.cwiseAbs();
  for (std::size_t k = 0; k < held_; ++k) scale = scale.cwiseMax(notes_[k].x.cwiseAbs());
  return scale;
}

bool AccumulationWatch::repeats(std::size_t period, std::size_t times) const {
  const std::size_t n = held_;
  if (n < (times + 1) * period + 1) return false;
  if (least_ids_ > 1 && alike_ >= period) return false;
  for (std::size_t k = 0; k < times * period; ++k) {
    if (notes_[n - 1 - k].id != notes_[n - 1 - k - period].id) return false;
  }
  return true;
}

bool AccumulationWatch::shrinks(double part) const {
  if (!may_repeat_) return false;
  const std::size_t n = held_;
  const auto shrinks_in = [&](std::size_t period) {
    if (!repeats(period, 1)) return false;
    const double turn = notes_[n - 1 - period].t;
    return notes_[n - 1].t - turn < part * (turn - notes_[n - 1 - 2 * period].t);
  };
  return std::any_of(periods_.begin(), periods_.end(), [&](std::size_t period) {
    return shrinks_in(period) || (period % 2 == 0 && shrinks_in(period / 2));
  });
}

std::optional<Accumulation> AccumulationWatch::limit() const {
  if (!may_repeat_) return std::nullopt;
  const std::size_t n = held_;
  for (const std::size_t period : periods_) {
    if (!repeats(period, 2)) continue;
    const Note& now = notes_[n - 1];
    const Note& turn = notes_[n - 1 - period];
    const double last = now.t - turn.t;
    const double before = turn.t - notes_[n - 1 - 2 * period].t;
    const double earlier = notes_[n - 1 - 2 * period].t - notes_[n - 1 - 3 * period].t;
    if (!(last > 0) || !(before > 0) || !(earlier > 0)) continue;
    const double ratio = last / before;
    const double change = std::abs(before / earlier - ratio);
    if (!(ratio < 0.9999) || change > kSteadyRatio * std::max(ratio, kFastRatio) * (1 - ratio)) continue;
    return accumulation(period, ratio, change);
  }
  return std::nullopt;
}

std::optional<Accumulation> AccumulationWatch::limit_of_two_turns() const {
  if (!may_repeat_) return std::nullopt;
  const std::size_t n = held_;
  for (const std::size_t period : periods_) {
    if (!repeats(period, 1)) continue;
    const double turn = notes_[n - 1 - period].t;
    const double ratio = (notes_[n - 1].t - turn) / (turn - notes_[n - 1 - 2 * period].t);
    if (ratio > 0 && ratio < kFastRatio) return accumulation(period, ratio, ratio);
  }
  return std::nullopt;
}

std::optional<Accumulation> AccumulationWatch::accumulation(std::size_t period, double ratio,
                                                            double change) const {
  const std::size_t n = held_;
  const Note& now = notes_[n - 1];
  const Note& turn = notes_[n - 1 - period];
  const double last = now.t - turn.t;
  Accumulation result;
  result.ratio = ratio;
  result.period = period;
  const double turns = ratio / (1 - ratio);
  result.remaining = last * turns;
  const double accuracy = std::max({now.accuracy, turn.accuracy, notes_[n - 1 - 2 * period].accuracy});
  result.error = last * change / ((1 - ratio) * (1 - ratio));
  result.blur(accuracy);
  for (std::size_t k = 0; k < period; ++k) result.ids.push_back(notes_[n - 1 - k].id);
  std::sort(result.ids.begin(), result.ids.end());
  result.ids.erase(std::unique(result.ids.begin(), result.ids.end()), result.ids.end());
  if (result.ids.size() < least_ids_) return std::nullopt;
  result.state = limit_of_turns(now.x, turn.x, notes_[n - 1 - 2 * period].x, ratio);
  return result;
}

}  // namespace slideway
