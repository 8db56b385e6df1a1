#include "integrate/guard_scan.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cmath>
#include <cstdint>
#include <exception>
#include <limits>
#include <utility>

#include "core/constants.hpp"
#include "integrate/zero_between.hpp"

namespace slideway {

namespace {

constexpr double kPredictionTolerance = 0.01;
// A minimum whose estimate stays above this part of the scale cannot reach zero while the prediction holds to 1 %.
constexpr double kDipMargin = 0.15;
// A guard is nearly back at zero within this part of its scale.
constexpr double kNearlyBack = 1e-3;
// A guard that keeps within this part of its threshold at five points of a step does not pass the threshold between them.
constexpr double kQuiet = 0.5;
// One that is this many times farther below zero than it moves between five points of a step stays below between them.
constexpr double kFarBelow = 4;
constexpr double kGrowth = 2.0;
// The first step of a march, as a part of the interval, where the points before it tell nothing of steps.
constexpr double kCautiousPart = 0.125;
// The first step of a march is sampled after this part of it, for the slopes at its start.
constexpr double kEarlyPart = 1e-3;
// A first step that a guard may dip in is shortened to this part of the way to where its slope leads to zero.
constexpr double kPartOfWay = 0.5;
// A guard this much closer to zero than one march step before may vanish within the accuracy of location.
constexpr double kNearlyZero = 1e-6;
// Just after a zero a guard has grown by the accuracy of location over the step, far below kNearlyZero of its size at the step's end; after
// a jump it has its size at once. The part lies between, and PoleCheck decides.
constexpr double kSteepPart = 1e-3;
// kJustAfter tells how far after a point without a value one is asked for instead, in units of rounding.
constexpr double kJustAfter = 8;
// A march step of at most this many of the smallest steps, 4ε|t| each, is shorter than 400 times the accuracy of location, 100ε|t|. A motion
// in so short a time could hardly be located: the step shows what rounding does to a guard.
constexpr double kNoMotion = 1e4;
// The largest difference of values of one size that count as equal.
constexpr double kRounding = 64 * kEpsilon;

// Weights of the polynomial through `count` nodes for its value at t …
void value_weights(const double* nodes, Index count, double t, double* weights) {
  for (Index i = 0; i < count; ++i) {
    double above = 1;
    double below = 1;
    for (Index j = 0; j < count; ++j) {
      if (j == i) continue;
      above *= t - nodes[j];
      below *= nodes[i] - nodes[j];
    }
    weights[i] = above / below;
  }
}

// … and for its derivative at t.
void slope_weights(const double* nodes, Index count, double t, double* weights) {
  for (Index i = 0; i < count; ++i) {
    double below = 1;
    double sum = 0;
    for (Index k = 0; k < count; ++k) {
      if (k == i) continue;
      below *= nodes[i] - nodes[k];
      double above = 1;
      for (Index j = 0; j < count; ++j) {
        if (j != i && j != k) above *= t - nodes[j];
      }
      sum += above;
    }
    weights[i] = sum / below;
  }
}

// is_far_below_zero() tells whether a guard with these values in a step does not come up to zero in it, by far.
bool is_far_below_zero(double highest, double lowest) { return highest + kFarBelow * (highest - lowest) < 0; }

// The guards at the quarters between a and b, a column each.
Matrix sample_within(double a, double b, Index guards, GuardSampler& sampler) {
  Matrix values(guards, 3);
  Vector at_quarter(guards);
  for (Index k = 0; k < 3; ++k) {
    sampler.sample(a + 0.25 * static_cast<double>(k + 1) * (b - a), at_quarter);
    values.col(k) = at_quarter;
  }
  return values;
}

}  // namespace

double location_accuracy(double t, double step) {
  return 100 * kEpsilon * std::max(std::abs(t), std::abs(step));
}

GuardScan::GuardScan(Index guards, double max_step)
    : guards_(guards),
      max_step_(max_step),
      values_(Matrix::Zero(guards, kHistory)),
      armed_(static_cast<std::size_t>(guards), 0),
      arm_above_(Vector::Zero(guards)),
      arrive_below_(Vector::Zero(guards)),
      new_values_(Vector::Zero(guards)),
      noise_(Vector::Zero(guards)),
      jitter_(Vector::Zero(guards)),
      scratch_(Vector::Zero(guards)),
      slope_start_(Vector::Zero(guards)),
      slope_end_(Vector::Zero(guards)),
      scale_(Vector::Zero(guards)),
      failures_(static_cast<std::size_t>(guards), 0) {
  candidates_.reserve(static_cast<std::size_t>(guards));
  watched_.reserve(static_cast<std::size_t>(guards));
  arrival_.guards.assign(static_cast<std::size_t>(guards), 0);
}

void GuardScan::start(double t, ConstVectorRef values, ConstVectorRef arm_above, ConstVectorRef arrive_below,
                      double first_step) {
  count_ = 1;
  times_[0] = t;
  values_.col(columns_[0]) = values;
  step_ = std::min(first_step, max_step_);
  unjudged_ = false;
  arm_above_ = arm_above;
  arrive_below_ = arrive_below;
  jitter_.setZero();
  std::fill(failures_.begin(), failures_.end(), 0);
  arm();
}

// arm() uses the values where the march starts.
void GuardScan::arm() {
  watched_.clear();
  unarmed_ = 0;
  const double* values = values_.data() + columns_[0] * guards_;
  for (Index i = 0; i < guards_; ++i) {
    const bool armed = values[i] > arm_above_[i];
    armed_[static_cast<std::size_t>(i)] = armed;
    if (!armed && std::isinf(arm_above_[i]) && std::isinf(arrive_below_[i])) continue;
    watched_.push_back(i);
    if (!armed) ++unarmed_;
  }
}

void GuardScan::start_idle(double t, double first_step) {
  count_ = 1;
  times_[0] = t;
  step_ = std::min(first_step, max_step_);
  watched_.clear();
  unarmed_ = 0;
}

bool GuardScan::waits(Index i) const {
  return std::isinf(arrive_below_[i]) && values_at(0)[i] < -arm_above_[i];
}

// side_of() is the side on which a guard keeps away from zero, 0 where that is not known.
double GuardScan::side_of(Index i) const {
  return armed_[static_cast<std::size_t>(i)] ? 1 : waits(i) ? -1 : 0;
}

bool GuardScan::nearly_zero() const {
  for (const Index i : watched_) {
    if (armed_[static_cast<std::size_t>(i)] == 0) continue;
    if (count_ < 2 || values_at(0)[i] <= kNearlyZero * std::abs(values_at(1)[i])) return true;
  }
  return false;
}

void GuardScan::push(double t) {
  const Index kept = std::min<Index>(count_, kHistory - 1);
  const Index oldest = columns_[kHistory - 1];
  for (Index k = kHistory - 1; k > 0; --k) {
    times_[k] = times_[k - 1];
    columns_[k] = columns_[k - 1];
  }
  times_[0] = t;
  columns_[0] = oldest;
  values_.col(oldest) = new_values_;
  count_ = kept + 1;
  if (unarmed_ == 0) return;
  for (const Index i : watched_) {
    char& armed = armed_[static_cast<std::size_t>(i)];
    if (!armed && new_values_[i] > arm_above_[i]) {
      armed = 1;
      --unarmed_;
    }
  }
}

// predict() calls use(i, error of prediction, error allowed) for each guard that is armed or waits.
template <class Use>
void GuardScan::predict(double t, bool with_noise, const Use& use) const {
  double weights[kHistory];
  value_weights(times_, count_, t, weights);
  const double* columns[kHistory];
  for (Index k = 0; k < count_; ++k) columns[k] = values_.data() + columns_[k] * guards_;
  for (const Index i : watched_) {
    if (!armed_[static_cast<std::size_t>(i)] && !waits(i)) continue;
    double predicted = 0;
    double scale = std::abs(new_values_[i]);
    for (Index k = 0; k < count_; ++k) {
      const double value = columns[k][i];
      predicted += weights[k] * value;
      scale = std::max(scale, std::abs(value));
    }
    use(i, std::abs(new_values_[i] - predicted),
        kPredictionTolerance * scale + (with_noise ? noise_[i] + jitter_[i] : 0));
  }
}

// The largest (error of prediction)/(error allowed) over the armed guards.
double GuardScan::prediction_error(double t, bool with_noise) const {
  double worst = 0;
  predict(t, with_noise, [&](Index, double error, double allowed) {
    // The division is needed for the worst guard only.
    if (error > worst * allowed) worst = allowed > 0 ? error / allowed : 1e300;
  });
  return worst;
}

// A guard that is the difference of larger terms moves by rounding from one number of the clock to the next. The prediction of a jump or a
// pole fails in few steps, and that of rounding in all of them.
void GuardScan::note_jitter(double t) {
  // Each failure shortens a step to 0.7 of it at most: from kNoMotion of the smallest steps to 4 of these a jump takes ln 2500/ln(1/0.7) = 22
  // failures. Two jumps take fewer than this.
  constexpr int kManyFailures = 64;
  // A rounding q fails by up to 16q where a cubic predicts from four equal steps, and by q at least. The largest failure so far grows to its
  // bound in a few failures from here.
  constexpr double kWider = 4;
  predict(t, true, [&](Index i, double error, double allowed) {
    if (error > allowed && ++failures_[static_cast<std::size_t>(i)] > kManyFailures)
      jitter_[i] = std::max(jitter_[i], kWider * error);
  });
}

double GuardScan::sample_near(double t, GuardSampler& sampler, VectorRef values) {
  try {
    sampler.sample(t, values);
    return t;
  } catch (const std::exception&) {
    const double after = t + kJustAfter * kEpsilon * std::max(std::abs(t), std::abs(times_[0]));
    if (!(after > t)) throw;
    sampler.sample(after, values);
    return after;
  }
}

double GuardScan::sample_one_near(double t, Index guard, GuardSampler& sampler) {
  try {
    return sampler.sample_one(t, guard, scratch_);
  } catch (const std::exception&) {
    const double after = t + kJustAfter * kEpsilon * std::max(std::abs(t), std::abs(times_[0]));
    if (!(after > t)) throw;
    return sampler.sample_one(after, guard, scratch_);
  }
}

const Arrival& GuardScan::advance(double t_end, GuardSampler& sampler) {
  arrival_.found = arrival_.steep = false;
  const double interval_start = times_[0];
  bool noise_known = false;
  bool start_known = false;
  // way_to_zero() samples slopes at the start of the first step, which has no points before it. It returns how far they lead until a
  // guard that is positive at both ends would be zero. A convex guard is not zero before that.
  const auto way_to_zero = [&](double step) {
    double way = std::numeric_limits<double>::infinity();
    const auto is_positive = [&](Index i) {
      return armed_[static_cast<std::size_t>(i)] != 0 && values_at(0)[i] > 0 && new_values_[i] > 0;
    };
    if (std::none_of(watched_.begin(), watched_.end(), is_positive)) return way;
    const double early = times_[0] + kEarlyPart * step;
    try {
      sampler.sample(early, slope_start_);
    } catch (const std::exception&) {
      return way;
    }
    for (const Index i : watched_) {
      const double value = values_at(0)[i];
      const double fall = value - slope_start_[i];
      if (is_positive(i) && fall > 0) way = std::min(way, value / fall * (early - times_[0]));
    }
    return way;
  };
  if (std::exchange(unjudged_, false) && count_ < 3)
    step_ = std::min(step_, kCautiousPart * (t_end - times_[0]));
  while (times_[0] < t_end) {
    const double from = times_[0];
    const double remaining = t_end - from;
    const double smallest = 4 * kEpsilon * std::max(std::abs(from), std::abs(t_end));
    double step = std::max(std::min(step_, max_step_), smallest);
    const bool to_end = step >= remaining * (1 - 1e-9);
    if (to_end) step = remaining;
    const double t = to_end ? t_end : from + step;
    double sampled_at = t;
    try {
      sampled_at = sample_near(t, sampler, new_values_);
    } catch (const std::exception&) {
      // A guard need not have a value beyond an arrival; a guard that loses its value before an arrival is
      // an error.
      if (step > 4 * smallest) {
        step_ = step / 8;
        continue;
      }
      if (!imminent().found) throw;
      return arrival_;
    }

    // One point predicts that the guards stay as they are.
    if (count_ == 1 && !std::exchange(start_known, true) && kEarlyPart * step > 4 * smallest &&
        prediction_error(t, false) > 1) {
      const double way = way_to_zero(step);
      if (way < step) {
        step_ = kPartOfWay * way;
        continue;
      }
    }

    // Fewer than three points give no estimate of the error; the first steps are small instead.
    double error = 0;
    if (count_ >= 3) {
      error = prediction_error(t, false);
      if (error > 1) {
        if (noise_known) error = prediction_error(t, true);
        // The noise must be that of this place: beside a pole it is many times the noise a little later.
        if (!noise_known || error <= 1) {
          sampler.noise(sampled_at, noise_);
          noise_known = true;
          error = prediction_error(t, true);
        }
        if (error > 1 && step <= kNoMotion * smallest) {
          note_jitter(t);
          error = prediction_error(t, true);
        }
      }
      if (error > 1 && step > 4 * smallest) {
        // The first judgement also judges the steps before it: when it fails, they are taken again, smaller.
        if (count_ == 3 && times_[2] >= interval_start && error > 8) {
          times_[0] = times_[2];
          std::swap(columns_[0], columns_[2]);
          count_ = 1;
          step_ = step / 32;
          arm();
        } else {
          step_ = step * std::clamp(0.9 / std::sqrt(std::sqrt(error)), 0.1, 0.7);
        }
        continue;
      }
    }

    if (search(from, t, sampler)) return arrival_;
    push(t);
    const double growth = error > 0 ? std::clamp(0.9 / std::sqrt(std::sqrt(error)), 0.3, kGrowth) : kGrowth;
    step_ = to_end ? std::max(step_, step * growth) : step * growth;
  }
  return arrival_;
}

const Arrival& GuardScan::advance_at_once(double t_end, GuardSampler& sampler) {
  arrival_.found = arrival_.steep = false;
  sampler.sample(t_end, new_values_);
  if (!search(times_[0], t_end, sampler)) go_on_at(t_end);
  return arrival_;
}

const Arrival& GuardScan::pass(double t_end, ConstVectorRef values) {
  new_values_ = values;
  go_on_at(t_end);
  return nothing();
}

void GuardScan::go_on_at(double t) {
  step_ = std::max(step_, t - times_[0]);
  unjudged_ = true;
  push(t);
}

// locate() returns where guard + level crosses zero downward between a and b.
double GuardScan::locate(Index guard, double a, double value_a, double b, double value_b, double level,
                         GuardSampler& sampler) {
  // Another guard may have been located at a itself.
  if (!(value_a + level > 0) || !(a < b)) return a;
  if (value_b + level == 0) return b;
  const auto value = [&](double t) { return sample_one_near(t, guard, sampler) + level; };
  return zero_between(value, {a, value_a + level}, {b, value_b + level});
}

// The extremum of sign·g between a and b from below: looks for the smallest value and stops caring once it is below
// `enough`. Returns that value, `where` its time.
double GuardScan::lowest(Index guard, double sign, double enough, double a, double b, GuardSampler& sampler,
                         double& where) {
  double lowest = std::numeric_limits<double>::infinity();
  // The minimiser resolves 1e-8 of one: of the interval then, not of the time.
  const auto value = [&](double part) {
    const double t = std::min(a + part * (b - a), b);
    const double g = sign * sample_one_near(t, guard, sampler);
    if (g < lowest) {
      lowest = g;
      where = t;
    }
    // Past `enough` the depth does not matter: a flat floor lets the minimiser stop soon.
    return std::max(g, enough);
  };
  std::uintmax_t iterations = 60;
  boost::math::tools::brent_find_minima(value, 0.0, 1.0, std::numeric_limits<double>::digits / 2, iterations);
  return lowest;
}

bool GuardScan::may_dip(double a, double b) const {
  const double step = b - a;
  const double before = a - times_[1];
  const double* at_a = values_.data() + columns_[0] * guards_;
  const double* at_before = values_.data() + columns_[1] * guards_;
  for (const Index i : watched_) {
    const double side = side_of(i);
    if (side == 0) continue;
    const double value_a = side * at_a[i];
    const double value_b = side * new_values_[i];
    const double now = (value_b - value_a) / step;
    const double last = (value_a - side * at_before[i]) / before;
    const double steepest = std::max(std::abs(now), std::abs(last));
    if (std::min(value_a, value_b) > 4 * steepest * step) continue;
    // A guard does not dip either if it clearly rises from the start of the step, or clearly still falls at
    // its end.
    const double slope_a = (last * step + now * before) / (step + before);
    const double slope_b = now + (now - last) * step / (step + before);
    if (slope_a > 0.5 * steepest || slope_b < -0.5 * steepest) continue;
    return true;
  }
  return false;
}

// The slopes at both ends, by the polynomial through the new point and the last ones, and the scale of every guard.
void GuardScan::fit_slopes(double a, double b) {
  double nodes[kHistory];
  const Index held = std::min<Index>(count_, kHistory - 1);
  nodes[0] = b;
  for (Index k = 0; k < held; ++k) nodes[k + 1] = times_[k];
  double weights[kHistory];
  slope_weights(nodes, held + 1, a, weights);
  slope_start_ = weights[0] * new_values_;
  for (Index k = 0; k < held; ++k) slope_start_ += weights[k + 1] * values_at(k);
  slope_weights(nodes, held + 1, b, weights);
  slope_end_ = weights[0] * new_values_;
  scale_ = new_values_.cwiseAbs();
  for (Index k = 0; k < held; ++k) {
    slope_end_ += weights[k + 1] * values_at(k);
    scale_ = scale_.cwiseMax(values_at(k).cwiseAbs());
  }
}

// Flags the armed guards that are about to reach zero, within `reach` after t, where they have these values: at the slope since a
// time that is clearly earlier. `newest` is the last point of the march before t.
bool GuardScan::flag_imminent(double t, ConstVectorRef values, Index newest, double accuracy, double reach) {
  Index k = newest;
  while (k + 1 < count_ && t - times_[k] < 1e3 * accuracy) ++k;
  bool any = false;
  for (const Index i : watched_) {
    if (!armed_[static_cast<std::size_t>(i)] || !(values[i] > 0)) continue;
    const double slope = (values[i] - values_at(k)[i]) / (t - times_[k]);
    if (!(values[i] <= -slope * reach)) continue;
    arrival_.guards[static_cast<std::size_t>(i)] = 1;
    any = true;
  }
  return any;
}

const Arrival& GuardScan::imminent() {
  std::fill(arrival_.guards.begin(), arrival_.guards.end(), char{0});
  arrival_.t = times_[0];
  arrival_.found = arrival_.steep = false;
  if (count_ < 2) return arrival_;
  const double accuracy = location_accuracy(times_[0], times_[0] - times_[1]);
  arrival_.found = flag_imminent(times_[0], values_at(0), 1, accuracy, accuracy);
  return arrival_;
}

bool GuardScan::search(double a, double b, GuardSampler& sampler) {
  // Most guards are too far from zero to reach it within the step at any slope they have shown.
  const bool shaped = count_ >= 2 && may_dip(a, b);
  if (shaped) fit_slopes(a, b);

  candidates_.clear();
  risen_.clear();
  Matrix within;
  double earliest = std::numeric_limits<double>::infinity();
  for (const Index i : watched_) {
    if (!armed_[static_cast<std::size_t>(i)]) {
      look_at_unarmed(i, a, b, sampler, within, earliest);
      const bool is_below = !armed_[static_cast<std::size_t>(i)] && !(new_values_[i] > 0);
      if (shaped && is_below && waits(i)) look_for_dip(i, a, b, sampler, earliest);
    } else if (new_values_[i] > 0) {
      if (shaped) look_for_dip(i, a, b, sampler, earliest);
    } else if (!shaped || !comes_back(i) || !look_for_dip(i, a, b, sampler, earliest)) {
      candidates_.push_back({i, a, values_at(0)[i], 0});
    }
  }
  if (candidates_.empty()) {
    arm_risen(b);
    return false;
  }

  locate_first(b, sampler, earliest);
  // A kink of a guard is the zero of another guard: a dip down to the kink shows where the other guard arrives.
  while (add_past_zero(a, b, sampler, earliest)) locate_first(b, sampler, earliest);
  // A candidate that has not come up by then waits.
  for (const Candidate& candidate : candidates_) {
    if (!candidate.armed_here || candidate.left < earliest) continue;
    armed_[static_cast<std::size_t>(candidate.guard)] = 0;
    ++unarmed_;
  }
  arm_risen(earliest);
  arrival_.found = true;
  arrival_.t = earliest;
  flag_arrived(a, b, sampler);
  return true;
}

void GuardScan::arm_risen(double until) {
  for (const Candidate& risen : risen_) {
    if (risen.left > until) continue;
    armed_[static_cast<std::size_t>(risen.guard)] = 1;
    --unarmed_;
  }
}

// `within` holds samples inside the interval, once a guard has asked for them.
void GuardScan::look_at_unarmed(Index i, double a, double b, GuardSampler& sampler, Matrix& within,
                                double& earliest) {
  const double value_a = values_at(0)[i];
  const double value_b = new_values_[i];
  // A guard may rise far above its threshold and be nearly back at zero at b.
  const bool is_back = value_b <= arm_above_[i] && (value_a > 0 || count_ == 1);
  if (!is_back && !(value_b < -arrive_below_[i])) return;
  // Most of them lie within their rounding or far below zero, and the same samples tell it of all.
  const double quiet = kQuiet * arm_above_[i];
  const bool is_quiet = value_b >= -std::min(quiet, arrive_below_[i]);
  const bool is_far = is_far_below_zero(std::max(value_a, value_b), std::min(value_a, value_b));
  if ((is_quiet || is_far) && within.size() == 0) within = sample_within(a, b, guards_, sampler);
  if (is_quiet && within.row(i).cwiseAbs().maxCoeff() <= quiet) return;
  const bool stays_below =
      is_far && is_far_below_zero(std::max({value_a, value_b, within.row(i).maxCoeff()}),
                                  std::min({value_a, value_b, within.row(i).minCoeff()}));
  // It may have left and come back within this step: then the way back is an ordinary zero.
  double peak_time = 0;
  const double peak = stays_below ? value_b : -lowest(i, -1, -2 * arm_above_[i], a, b, sampler, peak_time);
  if (peak > arm_above_[i] && value_b > 0) {
    risen_.push_back({i, peak_time, peak, 0});
  } else if (peak > arm_above_[i]) {
    take_excursion(i, peak_time, peak, b, sampler, earliest);
  } else if (value_b < -arrive_below_[i]) {
    candidates_.push_back({i, a, value_a, arrive_below_[i]});
  }
}

// comes_back() tells whether it is nearly zero at the end, rising: its first zero is another one then.
bool GuardScan::comes_back(Index i) const {
  return slope_end_[i] > 0 && -new_values_[i] <= kNearlyBack * scale_[i];
}

// look_for_dip() takes a guard that is on one side at both ends, or comes back to it at the last one.
bool GuardScan::look_for_dip(Index i, double a, double b, GuardSampler& sampler, double& earliest) {
  const double side = side_of(i);
  if (!(side * slope_start_[i] < 0) || !(side * slope_end_[i] > 0)) return false;
  const double value_a = values_at(0)[i];
  // A convex guard is nowhere lower than the point where the tangents at both ends meet.
  const double meeting =
      (new_values_[i] - value_a - slope_end_[i] * (b - a)) / (slope_start_[i] - slope_end_[i]);
  const double lower_bound = side * (value_a + slope_start_[i] * meeting);
  if (lower_bound > kDipMargin * scale_[i]) return false;
  double lowest_time = 0;
  const double value_lowest =
      side * lowest(i, side, side > 0 ? 0 : -2 * arm_above_[i], a, b, sampler, lowest_time);
  if (side > 0 && value_lowest <= 0) {
    earliest = std::min(earliest, locate(i, a, value_a, lowest_time, value_lowest, 0, sampler));
    candidates_.push_back({i, a, value_a, 0});
    return true;
  }
  if (side < 0 && value_lowest > arm_above_[i]) {
    take_excursion(i, lowest_time, value_lowest, b, sampler, earliest);
    return true;
  }
  return false;
}

// A guard that is positive at `peak_time`, and not at b.
void GuardScan::take_excursion(Index i, double peak_time, double peak, double b, GuardSampler& sampler,
                               double& earliest) {
  armed_[static_cast<std::size_t>(i)] = 1;
  --unarmed_;
  earliest = std::min(earliest, locate(i, peak_time, peak, b, new_values_[i], 0, sampler));
  candidates_.push_back({i, peak_time, peak, 0, true});
}

// Each located root shortens the interval in which the others matter: the one that seems to be first comes first.
void GuardScan::locate_first(double b, GuardSampler& sampler, double& earliest) {
  const auto estimate = [&](const Candidate& candidate) {
    const double value_b = new_values_[candidate.guard] + candidate.level;
    const double value = candidate.value + candidate.level;
    return value > 0 && value_b < value ? candidate.left + (b - candidate.left) * (value / (value - value_b))
                                        : b;
  };
  std::sort(candidates_.begin(), candidates_.end(), [&](const Candidate& first, const Candidate& second) {
    return estimate(first) < estimate(second);
  });
  for (const Candidate& candidate : candidates_) {
    const Index i = candidate.guard;
    double right = b;
    double value_right = new_values_[i];
    if (earliest < b) {
      right = earliest;
      value_right = sample_one_near(right, i, sampler);
    }
    if (!(candidate.left < right) || value_right + candidate.level > 0) continue;
    earliest = std::min(
        earliest, locate(i, candidate.left, candidate.value, right, value_right, candidate.level, sampler));
  }
}

bool GuardScan::add_past_zero(double a, double b, GuardSampler& sampler, double earliest) {
  if (!(a < earliest) || !(earliest < b)) return false;
  sample_near(earliest, sampler, scratch_);
  const std::size_t known = candidates_.size();
  for (const Index i : watched_) {
    if (!armed_[static_cast<std::size_t>(i)] || !(scratch_[i] < 0)) continue;
    const auto is_it = [i](const Candidate& one) { return one.guard == i; };
    if (std::none_of(candidates_.begin(), candidates_.end(), is_it))
      candidates_.push_back({i, a, values_at(0)[i], 0});
  }
  return candidates_.size() > known;
}

// Simultaneous: zero within the accuracy of location.
void GuardScan::flag_arrived(double a, double b, GuardSampler& sampler) {
  std::fill(arrival_.guards.begin(), arrival_.guards.end(), char{0});
  const double accuracy = location_accuracy(arrival_.t, b - a);
  sample_near(std::min(b, arrival_.t + accuracy), sampler, scratch_);
  bool any = false;
  for (const Candidate& candidate : candidates_) {
    // A guard just after its zero is far nearer to zero than at the end of the step.
    if (std::abs(scratch_[candidate.guard]) >= kSteepPart * std::abs(new_values_[candidate.guard]))
      arrival_.steep = true;
    if (candidate.left > arrival_.t || scratch_[candidate.guard] + candidate.level > 0) continue;
    arrival_.guards[static_cast<std::size_t>(candidate.guard)] = 1;
    any = true;
  }
  // The accuracy may reach beyond b.
  const double beyond = arrival_.t + accuracy - b;
  if (beyond > 0 && flag_imminent(b, new_values_, 0, accuracy, beyond)) any = true;
  if (any) return;
  // A touch, or a zero of rounding, may be positive again just after: the guard closest to zero then is the one that arrived, with
  // those that cannot be told from it.
  const auto closest = std::min_element(candidates_.begin(), candidates_.end(),
                                        [&](const Candidate& first, const Candidate& second) {
                                          return scratch_[first.guard] < scratch_[second.guard];
                                        });
  const double least = scratch_[closest->guard];
  for (const Candidate& candidate : candidates_) {
    const Index i = candidate.guard;
    const double size = std::max(std::abs(values_at(0)[i]), std::abs(new_values_[i]));
    if (i == closest->guard || scratch_[i] - least <= kRounding * size)
      arrival_.guards[static_cast<std::size_t>(i)] = 1;
  }
}

}  // namespace slideway
