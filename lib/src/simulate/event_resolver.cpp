#include "simulate/event_resolver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace slideway {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// Below this part of the larger component a normal component is looked at more closely.
constexpr double kSuspicious = 0.05;
// The two exit guards of a two-fold do not fire together; the other one is then this near to zero, in units of what the
// integrator cannot tell from zero.
constexpr double kTwoFoldTolerance = 10;
// The step of a difference along a field, as a part of the time in which the state changes.
constexpr double kDifferenceStep = 1e-2;

bool contains(const std::vector<Side>& sides, Side side) {
  return std::find(sides.begin(), sides.end(), side) != sides.end();
}

}  // namespace

EventResolver::EventResolver(Evaluator& evaluator, Ambiguity policy, double rtol)
    : evaluator_(evaluator), field_(evaluator), geometry_(evaluator), policy_(policy), rtol_(rtol) {
  const Index n = evaluator.system().states();
  const Index m = evaluator.system().surfaces();
  lambda_ = Vector::Zero(m);
  curvatures_ = Vector::Zero(m);
  rates_ = Vector::Zero(m);
  for (Vector* vector :
       {&gradient_, &field_minus_, &field_plus_, &acceleration_, &shifted_, &shifted_field_, &state_scale_}) {
    *vector = Vector::Zero(n);
  }
}

// The time in which a state changes by a noticeable part of its size, or of the size below which it does not count.
double EventResolver::time_scale(ConstVectorRef dx) const {
  double scale = 1;
  for (Index j = 0; j < dx.size(); ++j) {
    if (dx[j] != 0) scale = std::min(scale, state_scale_[j] / std::abs(dx[j]));
  }
  return scale;
}

// w of the surface along the field at λ = side.
double EventResolver::component(double t, ConstVectorRef x, double side) {
  lambda_[surface_] = side;
  evaluator_.field(t, x, lambda_, shifted_field_);
  evaluator_.guard_rates(t, x, shifted_field_, rates_);
  return rates_[surface_];
}

// Only where the second derivative vanishes too (a cam lifts off like t³), so a difference is good enough.
double EventResolver::third_derivative(double t, ConstVectorRef x, ConstVectorRef dx, ConstVectorRef ddx,
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

NormalMotion EventResolver::motion(double t, ConstVectorRef x, double side, ConstVectorRef dx, double w,
                                   double w_scale, bool vanishes) {
  NormalMotion motion;
  motion.w = w;
  motion.vanishes = vanishes;
  const double rounding = 16 * kEpsilon * (gradient_.cwiseAbs().dot(dx.cwiseAbs()) + w_scale);
  motion.w_zero = rounding;
  if (!vanishes && std::abs(w) > kSuspicious * w_scale) return motion;

  lambda_[surface_] = side;
  evaluator_.field_along(t, x, lambda_, 1, dx, shifted_field_, acceleration_);
  evaluator_.guard_curvatures(t, x, lambda_, dx, curvatures_);
  motion.curvature = curvatures_[surface_];
  const double scale = time_scale(dx);
  // Differences, where the model has no exact derivatives, are good to about 1e-6 of the terms.
  const double accuracy =
      evaluator_.normal_dx_source() == DerivativeSource::finite_difference ? 1e-5 : 256 * kEpsilon;
  const double w_terms = gradient_.cwiseAbs().dot(dx.cwiseAbs()) + w_scale;
  motion.curvature_zero =
      accuracy * (gradient_.cwiseAbs().dot(acceleration_.cwiseAbs()) + w_terms / scale);
  // A dip of this speed stays within the rounding of the surface.
  motion.w_zero = std::max(rounding, std::sqrt(2 * std::abs(motion.curvature) * surface_rounding_));
  if (component_vanishes(motion) && std::abs(motion.curvature) <= motion.curvature_zero) {
    motion.third = third_derivative(t, x, dx, acceleration_, scale);
    motion.third_zero = 4 * motion.curvature_zero / (kDifferenceStep * scale);
  }
  return motion;
}

TwoFoldRates EventResolver::two_fold_rates(double t, ConstVectorRef x) {
  const auto rate = [&](double side, const Vector& direction) {
    const double step = 1e-3 * time_scale(direction);
    shifted_ = x + step * direction;
    const double ahead = component(t + step, shifted_, side);
    shifted_ = x - step * direction;
    const double behind = component(t - step, shifted_, side);
    return (ahead - behind) / (2 * step);
  };
  return {rate(-1, field_minus_), rate(-1, field_plus_), rate(1, field_minus_), rate(1, field_plus_)};
}

Resolution EventResolver::resolve(double t, ConstVectorRef x, const Mode& mode, const Meeting& meeting,
                                  ConstVectorRef weights) {
  const Index i = meeting.surface;
  surface_ = i;
  state_scale_ = weights.cwiseInverse() / rtol_;
  Mode open = mode;
  open.set(i, Side::plus);
  field_.set_mode(open);
  lambda_.setZero();
  open.fill_lambda(lambda_);
  {
    const NeighbourFields& fields = field_.neighbours(t, x, i);
    field_minus_ = fields.minus;
    field_plus_ = fields.plus;
    rates_.setZero();
  }
  const double w_minus = field_.neighbours(t, x, i).w_minus;
  const double w_plus = field_.neighbours(t, x, i).w_plus;
  gradient_ = geometry_.gradient(t, x, i);
  surface_rounding_ = geometry_.rounding(t, x, i);
  const double tolerance = gradient_.cwiseAbs().cwiseQuotient(weights).sum();
  const double w_scale = std::max(std::abs(w_minus), std::abs(w_plus));

  bool minus_vanishes = meeting.minus_vanishes;
  bool plus_vanishes = meeting.plus_vanishes;
  const bool was_sliding = !meeting.at_start && mode.slides_on(i);
  if (was_sliding && minus_vanishes != plus_vanishes) {
    const double side = minus_vanishes ? 1 : -1;
    const double other = minus_vanishes ? w_plus : w_minus;
    Vector nudged = x + weights.cwiseInverse();
    double spread = std::abs(component(t, nudged, side) - other);
    nudged = x - weights.cwiseInverse();
    spread = std::max(spread, std::abs(component(t, nudged, side) - other));
    if (std::abs(other) <= kTwoFoldTolerance * spread) minus_vanishes = plus_vanishes = true;
  }

  NormalMotion minus = motion(t, x, -1, field_minus_, w_minus, w_scale, minus_vanishes);
  NormalMotion plus = motion(t, x, 1, field_plus_, w_plus, w_scale, plus_vanishes);

  // A dip that the integrator cannot tell from a touch, above a field that would bring it back at once, is a touch: the
  // sliding it would start ends before it can be resolved.
  bool touch = false;
  if (!meeting.at_start && mode[i] == Side::plus && !component_vanishes(plus) && plus.w < 0 && minus.w > 0 &&
      plus.curvature > plus.curvature_zero && plus.w * plus.w <= 2 * plus.curvature * tolerance) {
    plus.vanishes = touch = true;
  }
  if (!meeting.at_start && mode[i] == Side::minus && !component_vanishes(minus) && minus.w > 0 && plus.w < 0 &&
      -minus.curvature > minus.curvature_zero && minus.w * minus.w <= -2 * minus.curvature * tolerance) {
    minus.vanishes = touch = true;
  }

  TwoFoldRates rates;
  const bool both_vanish = component_vanishes(minus) && component_vanishes(plus);
  if (both_vanish) rates = two_fold_rates(t, x);
  PointClass point = classify(minus, plus, rates);

  Resolution result;
  EventRecord& event = result.event;
  event.t = t;
  event.surfaces = {i};
  event.surface_names = {evaluator_.system().surface_names()[static_cast<std::size_t>(i)]};
  event.before = x;
  event.after = x;
  event.w_minus = {w_minus};
  event.w_plus = {w_plus};
  event.lambda = {std::numeric_limits<double>::quiet_NaN()};
  event.reason = point.reason;
  if (!meeting.at_start) event.from = mode;

  std::vector<Side> sides = point.continuations;
  bool unique = sides.size() == 1;
  // Sliding on through a two-fold into a repelling stretch can be left at any time.
  if (unique && sides.front() == Side::sliding && point.sliding_repels) unique = false;
  // Fields that are one and the same have one continuation, whatever it is called.
  const double field_scale =
      std::max(field_minus_.lpNorm<Eigen::Infinity>(), field_plus_.lpNorm<Eigen::Infinity>());
  const double field_gap = (field_plus_ - field_minus_).lpNorm<Eigen::Infinity>();
  if (both_vanish && field_gap <= 16 * kEpsilon * field_scale) {
    const Side stay = meeting.at_start || was_sliding ? Side::plus : mode[i];
    sides = {stay};
    unique = true;
    event.reason = "the fields on both sides are the same and do not leave the surface";
  } else if (point.kind == PointKind::degenerate && sides.empty()) {
    sides = {Side::minus, Side::sliding, Side::plus};
  }

  const auto with_side = [&](Side side) {
    Mode next = mode;
    next.set(i, side);
    return next;
  };
  Side chosen = Side::sliding;
  if (unique) {
    chosen = sides.front();
    result.decided = true;
  } else {
    for (const Side side : sides) event.continuations.push_back(with_side(side));
    const Side wanted = policy_ == Ambiguity::minus  ? Side::minus
                        : policy_ == Ambiguity::plus ? Side::plus
                                                     : Side::sliding;
    result.decided = policy_ != Ambiguity::stop && contains(sides, wanted);
    chosen = wanted;
  }

  if (result.decided) {
    result.mode = with_side(chosen);
    event.to = result.mode;
    if (chosen == Side::sliding) {
      event.lambda = {std::isnan(point.lambda) ? sliding_lambda(w_minus, w_plus) : point.lambda};
      // The signs the components have just after, where one is zero now.
      const bool repels = point.sliding_repels;
      result.sigma_minus = repels ? -1 : 1;
      result.sigma_plus = repels ? 1 : -1;
    }
  }

  const bool two_fold = point.kind == PointKind::two_fold || (both_vanish && !unique);
  if (!unique) {
    event.kind = two_fold ? EventKind::two_fold : EventKind::repelling;
  } else if (meeting.at_start) {
    result.eventful = false;
  } else if (two_fold) {
    event.kind = EventKind::two_fold;
  } else if (chosen == mode[i]) {
    event.kind = EventKind::grazing;
    const bool tangent = chosen == Side::plus ? component_vanishes(plus) : component_vanishes(minus);
    result.eventful = touch || (chosen != Side::sliding && tangent);
    if (touch) event.reason = "a touch within the tolerances: " + point.reason;
  } else if (chosen == Side::sliding) {
    event.kind = EventKind::sliding_entry;
  } else if (was_sliding) {
    event.kind = EventKind::sliding_exit;
  } else {
    event.kind = EventKind::crossing;
  }
  return result;
}

}  // namespace slideway
