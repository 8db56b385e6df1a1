#include "filippov/point_classifier.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>

#include "core/constants.hpp"
#include "core/copy_numbers.hpp"
#include "core/number_text.hpp"
#include "core/patternless.hpp"
#include "core/state_errors.hpp"
#include "core/wide_loops.hpp"
#include "filippov/hidden_turn.hpp"
#include "slideway/core/finite.hpp"
#include "slideway/core/not_finite.hpp"
#include "slideway/detail/model/explained_field.hpp"

namespace slideway {

namespace {

// Below this part of the larger component a normal component is looked at more closely.
constexpr double kSuspiciousPart = 0.05;
// The two exit guards of a two-fold do not fire together. The component that has not fired is within this many
// units of the integrator's zero.
constexpr double kTwoFoldTolerance = 10;
// The greatest curvature of h is its size over the square of the time in which a state changes, times this factor.
constexpr double kSoonest = 20;
// The part of the flight before that a dip may last.
constexpr double kBriefly = 0.05;
// Tolerances are tight below this.
constexpr double kTight = 1e-8;
constexpr Index kStatesOneByOne = 32;
constexpr int kTrials = 8;
constexpr double kClearly = 100;
// The next three constants decide how often a close look is spared, and not what follows: clear_points_test.cpp compares both answers.
// Components are clearly not zero where both are above this part of the larger one.
constexpr double kClearPart = 0.1;
// One that vanishes is zero within this part of the other, and falls by that one's second part in the time in which the states change.
constexpr double kHardly = 1e-6;
constexpr double kClearFall = 1e-3;
// The step of a difference along a field, as a part of the time in which the state changes.
constexpr double kDifferenceStep = 1e-2;
// A gradient that is this part of the gradient a thousandth of that time away vanishes within a millionth of the time.
constexpr double kNoGradient = 1e-3;

// LargestProduct keeps four maxima, since each comparison waits for the one before.
struct LargestProduct {
  [[gnu::always_inline]] double operator()(Index size, const double* a, const double* b) const {
    constexpr Index lanes = 4;
    const Index in_lanes = size > kFewEntries ? size - size % lanes : 0;
    double largest[lanes] = {};
    for (Index first = 0; first < in_lanes; first += lanes) {
      for (Index k = 0; k < lanes; ++k) {
        const double product = std::abs(a[first + k] * b[first + k]);
        largest[k] = product > largest[k] ? product : largest[k];
      }
    }
    for (Index i = in_lanes; i < size; ++i) largest[0] = std::max(largest[0], std::abs(a[i] * b[i]));
    return std::max(std::max(largest[0], largest[1]), std::max(largest[2], largest[3]));
  }
};

// dips_within() tells whether the motion passes the surface from the side `sign` and is brought back within
// `depth`.
bool dips_within(const NormalMotion& motion, double sign, double depth) {
  const double back = sign * motion.curvature;
  return sign * motion.w < 0 && back > motion.curvature_zero && motion.w * motion.w <= 2 * back * depth;
}

// A dip along this motion, by a parabola.
void note_dip(const NormalMotion& motion, ClassifiedPoint& point) {
  point.touch = true;
  point.w_into = motion.w;
  point.turns_after = std::abs(motion.w / motion.curvature);
  point.depth = 0.5 * std::abs(motion.w) * point.turns_after;
}

// w∓ of the surface with the fields they are of, one of which is not a number.
struct OneSided {
  const System& system;
  Index surface;
  double w_minus, w_plus;
  const Vector& field_minus;
  const Vector& field_plus;
};

// The motion goes on where the field that has a value leaves the surface on its own side.
PointClass classify_one_sided(double t, ConstVectorRef x, const OneSided& at, Vector& lambda) {
  constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
  if (at.w_minus < 0)
    return {PointKind::crossing_down, kNotANumber, {Side::minus}, false, "w- negative, and no field above"};
  if (at.w_plus > 0)
    return {PointKind::crossing_up, kNotANumber, {Side::plus}, false, "w+ positive, and no field below"};
  const bool above = std::isnan(at.w_plus);
  std::string text = std::string(above ? "w+" : "w-") + " of surface '" +
                     at.system.surface_names()[static_cast<std::size_t>(at.surface)] +
                     "' is not a number at t = " + number_text(t) + ", where the solution has come to it";
  const Vector& field = above ? at.field_plus : at.field_minus;
  Index bad = 0;
  while (bad < field.size() && std::isfinite(field[bad])) ++bad;
  if (bad < field.size()) {
    text += std::string(": ") + (above ? "above" : "below") + " it the derivative of '" +
            at.system.state_names()[static_cast<std::size_t>(bad)] + "' has no value";
    if (const auto* const explained = at.system.definition().field.target<ExplainedField>()) {
      lambda[at.surface] = above ? 1 : -1;
      const std::string reason = explained->explain(t, x, lambda, bad);
      if (!reason.empty()) text += "; " + reason;
    }
  }
  throw NotFinite(text);
}

}  // namespace

double gathered_errors(double rtol) {
  return kGlobalError * (rtol < kTight ? std::pow(kTight / rtol, 1.0 / 6) : 1.0);
}

PointClassifier::PointClassifier(Evaluator& evaluator, const RelayStructure& structure, double rtol)
    : evaluator_(evaluator), geometry_(evaluator, structure), rtol_(rtol) {
  const Index n = evaluator.system().states();
  const Index m = evaluator.system().surfaces();
  lambda_ = Vector::Zero(m);
  curvatures_ = Vector::Zero(m);
  rates_ = Vector::Zero(m);
  for (Vector* vector : {&field_minus_, &field_plus_, &acceleration_, &acceleration_beside_, &shifted_,
                         &shifted_field_, &inside_}) {
    *vector = Vector::Zero(n);
  }
}

// The time in which a state changes by a noticeable part of its size, or of the size below which it does not count.
double PointClassifier::time_scale(ConstVectorRef dx, ConstVectorRef weights) const {
  // The state has the size 1/rtol in these units: dx·weights·rtol is a relative rate.
  const double fastest = rtol_ * run_loop(LargestProduct(), dx.size(), dx.data(), weights.data());
  return fastest * typical_time_ > 1 ? 1 / fastest : typical_time_;
}

// w of the surface along the field at λ = side.
double PointClassifier::component(double t, ConstVectorRef x, double side) {
  lambda_[surface_] = side;
  evaluator_.field(t, x, lambda_, shifted_field_);
  return evaluator_.guard_rate(t, x, shifted_field_, surface_);
}

// w of the surface along the fields of both sides; `side` is the side of the first.
PointClassifier::Components PointClassifier::components(double t, ConstVectorRef x, double side) {
  Vector& minus = shifted_field_;
  Vector& plus = inside_;
  evaluator_.neighbour_fields(t, x, lambda_, surface_, minus, plus);
  return {evaluator_.guard_rate(t, x, side < 0 ? minus : plus, surface_),
          evaluator_.guard_rate(t, x, side < 0 ? plus : minus, surface_)};
}

// d²h/dt² of the surface along the field at λ = side.
double PointClassifier::curvature(double t, ConstVectorRef x, double side) {
  lambda_[surface_] = side;
  evaluator_.field(t, x, lambda_, shifted_field_);
  evaluator_.guard_curvatures(t, x, lambda_, shifted_field_, curvatures_);
  return curvatures_[surface_];
}

double PointClassifier::curvature_along(double t, ConstVectorRef x, double side, ConstVectorRef dx) {
  if (const auto* const rates = evaluator_.affine_rates()) return affine_curvature(*rates, dx).first;
  lambda_[surface_] = side;
  evaluator_.field_along(t, x, lambda_, 1, dx, shifted_field_, acceleration_);
  evaluator_.guard_curvatures(t, x, lambda_, dx, acceleration_, curvatures_);
  return curvatures_[surface_];
}

// tolerance_of() returns Σⱼ|∂g/∂xⱼ|/weights(j), below which a function of the state counts as zero. A few random
// choices of signs stand in for the sum of magnitudes where there are many states.
template <class Function>
double PointClassifier::tolerance_of(const Function& function, ConstVectorRef x, double value,
                                     double interesting, ConstVectorRef weights) {
  const Index n = x.size();
  if (n <= kStatesOneByOne) {
    double sum = 0;
    for (Index j = 0; j < n; ++j) {
      shifted_ = x;
      shifted_[j] += error_of(weights[j]);
      sum += std::abs(function(shifted_) - value);
    }
    return sum;
  }
  double largest = 0;
  if (signs_.rows() != n) {
    signs_.resize(n, kTrials);
    for (int trial = 0; trial < kTrials; ++trial) {
      for (Index j = 0; j < n; ++j) {
        signs_(j, trial) = patternless(j, trial) > 0 ? 1 : -1;
      }
    }
  }
  for (int trial = 0; trial < kTrials; ++trial) {
    shifted_ = x + signs_.col(trial).cast<double>().cwiseProduct(
                       weights.unaryExpr([](double weight) { return error_of(weight); }));
    largest = std::max(largest, std::abs(function(shifted_) - value));
    // No choice of signs makes up for that.
    if (kClearly * largest < interesting) break;
  }
  return largest;
}

// The component w of λ = side has just vanished, and v is the other one. An error δx of the state moves the instant at which w
// vanishes, and there changes v by
//     ∂v·δx − ρ ∂w·δx,     ρ = v̇/ẇ along the field of w, with which sliding ends.
// Both vanish where v − ρw is no more than this. Where ẇ vanishes too, nothing is known of the instant, and ρ = 0.
bool PointClassifier::other_vanishes_too(double t, ConstVectorRef x, double side, double own, double other,
                                         ConstVectorRef weights) {
  const Vector& along = side < 0 ? field_minus_ : field_plus_;
  const double rounding = 16 * kEpsilon * sum_along_gradient([&](Index j) { return std::abs(along[j]); });
  // The rates of both are the same there, and so are their errors.
  const bool differ_by_constant =
      evaluator_.guards_are_affine() && evaluator_.relay_columns(t, x, lambda_) != nullptr;
  if (differ_by_constant || evaluator_.affine_rates()) return std::abs(other - own) <= rounding;
  const double step = 1e-3 * time_scale(along, weights);
  shifted_ = x + step * along;
  const Components ahead = components(t + step, shifted_, side);
  const double ratio = ahead.own != own ? (ahead.other - other) / (ahead.own - own) : 0;
  const auto at = [&](const Vector& state) {
    const Components beside = components(t, state, side);
    return beside.other - ratio * beside.own;
  };
  const double value = other - ratio * own;
  const double spread = tolerance_of(at, x, value, std::abs(value) / kTwoFoldTolerance, weights);
  return std::abs(value) <= kTwoFoldTolerance * spread + rounding;
}

// third_derivative() is asked only where the second derivative vanishes too (a cam lifts off like t³), so a
// difference is accurate enough.
double PointClassifier::third_derivative(double t, ConstVectorRef x, ConstVectorRef dx, ConstVectorRef ddx,
                                         double time_scale) {
  const double step = kDifferenceStep * time_scale;
  double curvature[2] = {0, 0};
  for (int k = 0; k < 2; ++k) {
    const double tau = k == 0 ? -step : step;
    shifted_ = x + tau * dx + (0.5 * tau * tau) * ddx;
    evaluator_.field(t + tau, shifted_, lambda_, shifted_field_);
    evaluator_.guard_curvatures(t + tau, shifted_, lambda_, shifted_field_, rates_);
    curvature[k] = rates_[surface_];
  }
  return (curvature[1] - curvature[0]) / (2 * step);
}

// The gradient of most guards has few entries.
void PointClassifier::learn_gradient(double t, ConstVectorRef x) {
  gradient_.clear();
  if (evaluator_.guards_are_affine()) {
    const auto& slopes = evaluator_.affine_dx();
    for (Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator entry(slopes, surface_); entry; ++entry)
      gradient_.push_back({entry.col(), std::abs(entry.value())});
    return;
  }
  const Vector& gradient = geometry_.gradient(t, x, surface_);
  for (Index j = 0; j < gradient.size(); ++j) {
    if (gradient[j] != 0) gradient_.push_back({j, std::abs(gradient[j])});
  }
}

// Σ|∂ⱼh| f(j).
template <class Function>
double PointClassifier::sum_along_gradient(const Function& function) const {
  double sum = 0;
  for (const auto& [state, size] : gradient_) sum += size * function(state);
  return sum;
}

std::pair<double, double> PointClassifier::affine_curvature(const Evaluator::AffineRates& rates,
                                                            ConstVectorRef dx) const {
  double curvature = rates.dt[surface_];
  double terms = std::abs(curvature);
  for (Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator entry(rates.dx, surface_); entry;
       ++entry) {
    const double term = entry.value() * dx[entry.col()];
    curvature += term;
    terms += std::abs(term);
  }
  return {curvature, terms};
}

NormalMotion PointClassifier::motion(double t, ConstVectorRef x, double side, ConstVectorRef dx, double w,
                                     double w_scale, bool vanishes, ConstVectorRef weights, bool in_full) {
  NormalMotion motion;
  motion.w = w;
  motion.vanishes = vanishes;
  const double rounding =
      16 * kEpsilon * (sum_along_gradient([&](Index j) { return std::abs(dx[j]); }) + w_scale);
  motion.w_zero = rounding;
  if (!vanishes && !in_full && std::abs(w) > kSuspiciousPart * w_scale) return motion;

  lambda_[surface_] = side;
  const double scale = time_scale(dx, weights);
  const double w_terms = sum_along_gradient([&](Index j) { return std::abs(dx[j]); }) + w_scale;
  const auto* const rates = evaluator_.affine_rates();
  if (rates) {
    double terms = 0;
    std::tie(motion.curvature, terms) = affine_curvature(*rates, dx);
    motion.curvature_zero = 256 * kEpsilon * (terms + w_terms / scale);
  } else {
    motion.curvature = curvature_along(t, x, side, dx);
    // Differences, where the model has no exact derivatives, are good to about 1e-6 of the terms.
    const double accuracy =
        evaluator_.normal_dx_source() == DerivativeSource::finite_difference ? 1e-5 : 256 * kEpsilon;
    motion.curvature_zero =
        accuracy *
        (sum_along_gradient([&](Index j) { return std::abs(acceleration_[j]); }) + w_terms / scale);
  }
  // A curvature that decides whether w counts must also hold beside this point.
  const bool decides = w != 0 && w * w <= 2 * std::abs(motion.curvature) * std::max(surface_rounding_, dip_);
  if (!std::isfinite(motion.curvature) || (decides && !rates && is_singular(t, x, motion.curvature, weights)))
    follow_singular(t, x, side, w, w_terms, scale, weights, motion);
  // A dip of this speed stays within the rounding of the surface.
  motion.w_zero = std::max(rounding, std::sqrt(2 * std::abs(motion.curvature) * surface_rounding_));
  if (component_vanishes(motion) && std::abs(motion.curvature) <= motion.curvature_zero) {
    if (rates) evaluator_.field_along(t, x, lambda_, 1, dx, shifted_field_, acceleration_);
    motion.third = third_derivative(t, x, dx, acceleration_, scale);
    motion.third_zero = 4 * motion.curvature_zero / (kDifferenceStep * scale);
  }
  return motion;
}

// only_reaches_limit() tells whether w goes beyond zero by no more than rounding: with ẅ to turn it back, w
// reaches ẇ²/(2|ẅ|).
bool PointClassifier::only_reaches_limit(double t, ConstVectorRef x, double side, ConstVectorRef dx,
                                         double w_scale, const NormalMotion& own, ConstVectorRef weights) {
  const double rate = own.curvature;
  const double scale = time_scale(dx, weights);
  // No component turns sooner than the state changes.
  const double rounding =
      16 * kEpsilon * (sum_along_gradient([&](Index j) { return std::abs(dx[j]); }) + w_scale);
  if (rate * rate * scale * scale > kSoonest * kSoonest * w_scale * rounding) return false;
  lambda_[surface_] = side;
  evaluator_.field_along(t, x, lambda_, 1, dx, shifted_field_, acceleration_);
  const double turn = -side * third_derivative(t, x, dx, acceleration_, scale);
  return turn > 0 && rate * rate <= 2 * turn * rounding;
}

TwoFoldRates PointClassifier::two_fold_rates(double t, ConstVectorRef x, ConstVectorRef weights) {
  const auto rate = [&](double side, const Vector& direction) {
    const double step = 1e-3 * time_scale(direction, weights);
    shifted_ = x + step * direction;
    const double ahead = component(t + step, shifted_, side);
    shifted_ = x - step * direction;
    const double behind = component(t - step, shifted_, side);
    return (ahead - behind) / (2 * step);
  };
  return {rate(-1, field_minus_), rate(-1, field_plus_), rate(1, field_minus_), rate(1, field_plus_)};
}

bool PointClassifier::dips_and_returns(double t, ConstVectorRef x, Side before, const ClassifiedPoint& at,
                                       double tolerance, double away, ConstVectorRef weights) {
  const double sign = before == Side::plus ? 1 : -1;
  const auto dips = [&](double side, const Vector& dx, double w) {
    if (!(sign * w < 0)) return false;
    if (const auto* const rates = evaluator_.affine_rates()) {
      // The test that costs least comes first.
      const double back = sign * affine_curvature(*rates, dx).first;
      if (std::isfinite(back) && !(back > 0 && w * w <= 2 * back * dip_)) return false;
    }
    // No field turns back sooner than its states change.
    const double turns = tolerance / time_scale(dx, weights);
    if (w * w > kSoonest * gathered_errors(rtol_) * turns * turns / rtol_) return false;
    const NormalMotion own = motion(t, x, side, dx, w, std::abs(w), false, weights, true);
    return dips_within(own, sign, dip_) && 2 * std::abs(w) <= kBriefly * std::abs(own.curvature) * away;
  };
  return dips(-1, field_minus_, at.w_minus) && dips(1, field_plus_, at.w_plus);
}

bool PointClassifier::only_touches(double t, ConstVectorRef x, Side before, const ClassifiedPoint& at,
                                   double away, ConstVectorRef weights) {
  // The gradient of an affine guard does not vanish.
  if (evaluator_.guards_are_affine()) return false;
  const double sign = before == Side::plus ? 1 : -1;
  const Vector& dx = sign > 0 ? field_plus_ : field_minus_;
  const double w = sign > 0 ? at.w_plus : at.w_minus;
  if (!(sign * w < 0)) return false;
  const auto is_beyond = [&](double time, const Vector& state) {
    return !(sign * evaluator_.guard_nearly(time, state, surface_) >= 0);
  };
  // A crossing shows in the time in which the state changes by the root of rounding.
  const double soon = std::sqrt(kEpsilon) * time_scale(dx, weights);
  shifted_ = x + soon * dx;
  if (is_beyond(t + soon, shifted_)) return false;
  const NormalMotion own = motion(t, x, sign, dx, w, std::abs(w), false, weights, true);
  const double back = sign * own.curvature;
  if (!(back > own.curvature_zero) || 2 * std::abs(w) > kBriefly * back * away) return false;
  const double turn = std::abs(w) / back;
  shifted_ = x + turn * dx + 0.5 * turn * turn * acceleration_;
  return !is_beyond(t + turn, shifted_);
}

bool PointClassifier::turns_unseen(double t, ConstVectorRef x, Side before, const ClassifiedPoint& at,
                                   ConstVectorRef weights) {
  // The gradient of an affine guard does not vanish.
  if (evaluator_.guards_are_affine()) return false;
  const double sign = before == Side::plus ? 1 : -1;
  const double here = evaluator_.guard_nearly(t, x, surface_);
  const auto turns_back = [&](double side, const Vector& dx, double w) {
    const NormalMotion own = motion(t, x, side, dx, w, std::abs(w), false, weights, true);
    if (!(sign * own.curvature > own.curvature_zero)) return false;
    // The turn of a component that vanishes is within the rounding of the guard.
    return component_vanishes(own) ||
           is_hidden_turn(w, own.curvature, time_scale(dx, weights), [&](double time) {
             shifted_ = x + time * dx + 0.5 * time * time * acceleration_;
             return evaluator_.guard_nearly(t + time, shifted_, surface_) - here;
           });
  };
  return turns_back(sign, sign > 0 ? field_plus_ : field_minus_, sign > 0 ? at.w_plus : at.w_minus) &&
         turns_back(-sign, sign > 0 ? field_minus_ : field_plus_, sign > 0 ? at.w_minus : at.w_plus);
}

bool PointClassifier::has_no_gradient(double t, ConstVectorRef x, ConstVectorRef weights) {
  if (evaluator_.guards_are_affine()) return false;
  const double here = geometry_.tolerance(t, x, surface_, weights);
  for (const Vector* along : {&field_minus_, &field_plus_}) {
    const double step = 1e-3 * time_scale(*along, weights);
    shifted_ = x + step * *along;
    if (here < kNoGradient * geometry_.tolerance(t + step, shifted_, surface_, weights)) return true;
  }
  return false;
}

std::optional<PointClass> PointClassifier::classify_clearly(double t, ConstVectorRef x, ConstVectorRef lambda,
                                                            const BothSides& at, const Met& met, Side before,
                                                            ConstVectorRef weights) {
  const double scale = std::max(std::abs(at.w_minus), std::abs(at.w_plus));
  double terms = scale;
  using Row = Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator;
  for (Row entry(evaluator_.affine_dx(), met.surface); entry; ++entry)
    terms +=
        std::abs(entry.value()) * std::max(std::abs(at.minus[entry.col()]), std::abs(at.plus[entry.col()]));
  // The first comparison is false of what is not finite.
  if (!(scale < kInfinity) || !(kClearPart * scale > kClearly * 16 * kEpsilon * terms)) return std::nullopt;
  NormalMotion minus{.w = at.w_minus, .vanishes = met.minus_vanishes};
  NormalMotion plus{.w = at.w_plus, .vanishes = met.plus_vanishes};
  if (before != Side::sliding) {
    const double sign = before == Side::plus ? 1 : -1;
    const double own = sign * (sign > 0 ? at.w_plus : at.w_minus);
    const double other = sign * (sign > 0 ? at.w_minus : at.w_plus);
    if (met.minus_vanishes || met.plus_vanishes || !(-own > kClearPart * scale) ||
        !(std::abs(other) > kClearPart * scale))
      return std::nullopt;
    if (other > 0) return classify(minus, plus, {});
    // A dip turns back no sooner than the states change, as in dips_and_returns().
    const auto leads_through = [&](double w, const Vector& dx) {
      const double turns = at.tolerance / time_scale(dx, weights);
      return w * w > kSoonest * gathered_errors(rtol_) * turns * turns / rtol_;
    };
    if (!leads_through(at.w_minus, at.minus) && !leads_through(at.w_plus, at.plus)) return std::nullopt;
    return classify(minus, plus, {});
  }
  if (met.minus_vanishes == met.plus_vanishes) return std::nullopt;
  NormalMotion& own = met.minus_vanishes ? minus : plus;
  const double side = met.minus_vanishes ? -1 : 1;
  const double other = met.minus_vanishes ? at.w_plus : at.w_minus;
  const Vector& along = met.minus_vanishes ? at.minus : at.plus;
  if (std::abs(own.w) > kHardly * scale || !(side * other > 0)) return std::nullopt;
  surface_ = met.surface;
  copy_numbers(lambda, lambda_);
  own.curvature = curvature_along(t, x, side, along);
  if (!(side * own.curvature * time_scale(along, weights) > kClearFall * scale)) return std::nullopt;
  return classify(minus, plus, {});
}

ClassifiedPoint PointClassifier::classify_at(double t, ConstVectorRef x, ConstVectorRef lambda,
                                             const Met& met, const Side* before, ConstVectorRef weights) {
  surface_ = met.surface;
  copy_numbers(lambda, lambda_);
  ClassifiedPoint result;
  evaluator_.neighbour_fields(t, x, lambda_, surface_, field_minus_, field_plus_);
  result.w_minus = evaluator_.guard_rate(t, x, field_minus_, surface_);
  result.w_plus = evaluator_.guard_rate(t, x, field_plus_, surface_);
  surface_rounding_ = geometry_.rounding(t, x, surface_);
  learn_gradient(t, x);
  const double tolerance = geometry_.tolerance(t, x, surface_, weights);
  dip_ = gathered_errors(rtol_) * tolerance;
  if (!all_finite(field_minus_) || !all_finite(field_plus_)) {
    field_on_side(t, x, -1, field_minus_, weights);
    field_on_side(t, x, 1, field_plus_, weights);
    result.w_minus = evaluator_.guard_rate(t, x, field_minus_, surface_);
    result.w_plus = evaluator_.guard_rate(t, x, field_plus_, surface_);
  }
  if (std::isnan(result.w_minus) || std::isnan(result.w_plus)) {
    const OneSided at{evaluator_.system(), surface_,     result.w_minus,
                      result.w_plus,       field_minus_, field_plus_};
    result.point = classify_one_sided(t, x, at, lambda_);
    return result;
  }
  const double w_scale = std::max(std::abs(result.w_minus), std::abs(result.w_plus));

  // Errors of the state can make a touch of two fields that are alike two crossings, or none.
  const bool comes_from_side = before && *before != Side::sliding && !met.dips;
  const bool only_reaches = comes_from_side && only_touches(t, x, *before, result, met.away, weights);
  const bool passes_both = only_reaches && result.w_minus * result.w_plus > 0;
  // A field that leads back to where the solution comes from has turned already.
  const double back = before && *before == Side::plus ? result.w_plus : -result.w_minus;
  const bool has_turned = comes_from_side && back > 0 && turns_unseen(t, x, *before, result, weights);
  if (passes_both || has_turned ||
      (comes_from_side && dips_and_returns(t, x, *before, result, tolerance, met.away, weights))) {
    result.same_way = true;
    const double side = *before == Side::plus ? 1 : -1;
    const Vector& inward = side > 0 ? field_plus_ : field_minus_;
    const double w = side > 0 ? result.w_plus : result.w_minus;
    note_dip(motion(t, x, side, inward, w, w_scale, false, weights, true), result);
    if (only_reaches || has_turned) result.depth = 0;
    result.point.kind = *before == Side::plus ? PointKind::visible_fold_plus : PointKind::visible_fold_minus;
    result.point.lambda = std::numeric_limits<double>::quiet_NaN();
    result.point.continuations = {*before};
    result.point.reason = "both fields bring it back";
    return result;
  }

  // Fields at a start that turn unseen leave on one side, whichever way they cross the surface here.
  for (const Side side : {Side::plus, Side::minus}) {
    if (before || !turns_unseen(t, x, side, result, weights)) continue;
    result.point.kind = side == Side::plus ? PointKind::visible_fold_plus : PointKind::visible_fold_minus;
    result.point.lambda = std::numeric_limits<double>::quiet_NaN();
    result.point.continuations = {side};
    result.point.reason = "both fields turn to it";
    return result;
  }

  bool minus_vanishes = met.minus_vanishes;
  bool plus_vanishes = met.plus_vanishes;
  if (before && *before == Side::sliding && minus_vanishes != plus_vanishes) {
    const double side = minus_vanishes ? -1 : 1;
    const double own = minus_vanishes ? result.w_minus : result.w_plus;
    const double other = minus_vanishes ? result.w_plus : result.w_minus;
    if (other_vanishes_too(t, x, side, own, other, weights)) minus_vanishes = plus_vanishes = true;
  }

  NormalMotion minus = motion(t, x, -1, field_minus_, result.w_minus, w_scale, minus_vanishes, weights);
  NormalMotion plus = motion(t, x, 1, field_plus_, result.w_plus, w_scale, plus_vanishes, weights);

  // The run saw the component fall through zero. Errors of the state can hide this at one point of a stiff
  // model; rounding may also have caused it.
  if (before && *before == Side::sliding && minus_vanishes != plus_vanishes) {
    const double side = minus_vanishes ? -1 : 1;
    NormalMotion& own = minus_vanishes ? minus : plus;
    const auto at = [&](const Vector& state) { return curvature(t, state, side); };
    if (only_reaches_limit(t, x, side, minus_vanishes ? field_minus_ : field_plus_, w_scale, own, weights)) {
      own.seen = minus_vanishes ? 1 : -1;
    } else if (own.curvature * side < 0 && tolerance_of(at, x, own.curvature, std::abs(own.curvature),
                                                        weights) >= std::abs(own.curvature)) {
      own.seen = minus_vanishes ? -1 : 1;
    }
  }

  // A dip below the integrator's accuracy counts as a touch where the field above brings it back at once. The
  // sliding that it would start ends before it can be resolved.
  const bool may_touch = before && !met.dips;
  // The derivatives of a component that is made to vanish decide on which side the field leaves.
  const auto touches = [&](NormalMotion& own, double side, const Vector& along) {
    if (only_reaches) own = motion(t, x, side, along, own.w, w_scale, true, weights, true);
    own.vanishes = true;
    note_dip(own, result);
    if (only_reaches) result.depth = 0;
  };
  if (may_touch && *before == Side::plus && !component_vanishes(plus) && minus.w > 0 &&
      (only_reaches || dips_within(plus, 1, dip_)))
    touches(plus, 1, field_plus_);
  if (may_touch && *before == Side::minus && !component_vanishes(minus) && plus.w < 0 &&
      (only_reaches || dips_within(minus, -1, dip_)))
    touches(minus, -1, field_minus_);

  const auto size = [&](const Vector& field) {
    return field.cwiseProduct(weights).lpNorm<Eigen::Infinity>();
  };
  const bool any_vanishes = component_vanishes(minus) || component_vanishes(plus);
  const bool is_one_field =
      any_vanishes &&
      size(field_plus_ - field_minus_) <= 16 * kEpsilon * std::max(size(field_minus_), size(field_plus_));
  // One field has one component, which vanishes on both sides or on none.
  if (is_one_field && component_vanishes(minus) != component_vanishes(plus)) {
    const double zero = std::max(minus.w_zero, plus.w_zero);
    minus.vanishes = plus.vanishes = w_scale <= zero;
  }
  result.minus_tangent = component_vanishes(minus);
  result.plus_tangent = component_vanishes(plus);
  TwoFoldRates rates;
  if (result.minus_tangent && result.plus_tangent) {
    if (!has_no_gradient(t, x, weights)) rates = two_fold_rates(t, x, weights);
    // Two fields of a two-fold can be equal in this one point and differ beside it.
    const bool part_at_once =
        std::abs(plus.curvature - minus.curvature) > plus.curvature_zero + minus.curvature_zero;
    result.same_fields = is_one_field && !part_at_once;
  }
  result.point = classify(minus, plus, rates);
  result.rates = rates;
  return result;
}

}  // namespace slideway
