#include "slideway/filippov/classify.hpp"

#include <cmath>
#include <limits>

namespace slideway {

namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

// A sliding motion through a two-fold: w(λ) = 0 to first order in time after it, with both components zero at it, is
//     (1 − λ) ẇ⁻(λ) + (1 + λ) ẇ⁺(λ) = 0,   each rate affine in λ.
struct TwoFoldSliding {
  bool exists = false;
  bool repels = false;
  double lambda = kNotANumber;
};

TwoFoldSliding two_fold_sliding(const TwoFoldRates& rates) {
  const double a0 = 0.5 * (rates.minus_along_minus + rates.minus_along_plus);
  const double a1 = 0.5 * (rates.minus_along_plus - rates.minus_along_minus);
  const double b0 = 0.5 * (rates.plus_along_minus + rates.plus_along_plus);
  const double b1 = 0.5 * (rates.plus_along_plus - rates.plus_along_minus);
  const double quadratic = b1 - a1;
  const double linear = a1 - a0 + b0 + b1;
  const double constant = a0 + b0;
  double roots[2] = {kNotANumber, kNotANumber};
  const double scale = std::abs(a0) + std::abs(a1) + std::abs(b0) + std::abs(b1);
  if (!(scale > 0)) return {};
  if (std::abs(quadratic) <= 1e-12 * scale) {
    if (std::abs(linear) > 1e-12 * scale) roots[0] = -constant / linear;
  } else {
    const double discriminant = linear * linear - 4 * quadratic * constant;
    if (discriminant >= 0) {
      const double q = -0.5 * (linear + std::copysign(std::sqrt(discriminant), linear));
      roots[0] = q / quadratic;
      if (q != 0) roots[1] = constant / q;
    }
  }
  TwoFoldSliding result;
  for (const double lambda : roots) {
    if (!(std::abs(lambda) <= 1)) continue;
    const double minus_rate = a0 + a1 * lambda;
    const double plus_rate = b0 + b1 * lambda;
    const bool repels = !(minus_rate > 0 && plus_rate < 0);
    // An attracting motion is the one that is followed; a repelling one is reported when there is no other.
    if (!result.exists || (result.repels && !repels)) result = {true, repels, lambda};
  }
  return result;
}

PointClass make(PointKind kind, SideSet continuations, double lambda, bool repels, std::string_view reason) {
  return {kind, lambda, continuations, repels, reason};
}

PointClass classify_two_fold(int minus_sign, int plus_sign, const TwoFoldRates& rates) {
  PointClass result;
  result.kind = PointKind::two_fold;
  result.lambda = kNotANumber;
  if (minus_sign < 0) result.continuations.insert(Side::minus);
  const TwoFoldSliding sliding = two_fold_sliding(rates);
  if (sliding.exists) {
    result.continuations.insert(Side::sliding);
    result.lambda = sliding.lambda;
    result.sliding_repels = sliding.repels;
  }
  if (plus_sign > 0) result.continuations.insert(Side::plus);
  static constexpr std::string_view folds[2][2] = {
      {"w- and w+ both vanish: a two-fold (invisible from -, invisible from +)",
       "w- and w+ both vanish: a two-fold (invisible from -, visible from +)"},
      {"w- and w+ both vanish: a two-fold (visible from -, invisible from +)",
       "w- and w+ both vanish: a two-fold (visible from -, visible from +)"}};
  result.reason = folds[minus_sign < 0 ? 1 : 0][plus_sign > 0 ? 1 : 0];
  // A field that rests on the surface holds what the other one pushes onto it: the motion is the one at that end of λ.
  if (minus_sign == 0 && plus_sign < 0)
    return make(
        PointKind::two_fold, {Side::sliding}, -1, false,
        "w- vanishes with its derivatives: the field rests, and the other one pushes onto the surface");
  if (plus_sign == 0 && minus_sign > 0)
    return make(
        PointKind::two_fold, {Side::sliding}, 1, false,
        "w+ vanishes with its derivatives: the field rests, and the other one pushes onto the surface");
  if (minus_sign == 0 || plus_sign == 0) {
    result.kind = PointKind::degenerate;
    result.reason = "w- and w+ vanish with their derivatives: the fields do not leave the surface";
  }
  return result;
}

}  // namespace

bool component_vanishes(const NormalMotion& motion) {
  return motion.vanishes || std::abs(motion.w) <= motion.w_zero;
}

int leading_sign(const NormalMotion& motion) {
  const auto sign = [](double value, double zero) { return value > zero ? 1 : value < -zero ? -1 : 0; };
  if (!component_vanishes(motion)) return motion.w > 0 ? 1 : -1;
  if (motion.seen != 0) return motion.seen;
  if (const int second = sign(motion.curvature, motion.curvature_zero); second != 0) return second;
  return sign(motion.third, motion.third_zero);
}

double sliding_lambda(double w_minus, double w_plus) {
  return w_minus == w_plus ? kNotANumber : (w_minus + w_plus) / (w_minus - w_plus);
}

PointClass classify(const NormalMotion& minus, const NormalMotion& plus, const TwoFoldRates& rates) {
  const bool minus_zero = component_vanishes(minus);
  const bool plus_zero = component_vanishes(plus);
  const int minus_sign = leading_sign(minus);
  const int plus_sign = leading_sign(plus);

  if (minus_zero && plus_zero) return classify_two_fold(minus_sign, plus_sign, rates);

  if (!minus_zero && !plus_zero) {
    if (minus_sign > 0 && plus_sign > 0) {
      return make(PointKind::crossing_up, {Side::plus}, kNotANumber, false, "w- and w+ both positive");
    }
    if (minus_sign < 0 && plus_sign < 0) {
      return make(PointKind::crossing_down, {Side::minus}, kNotANumber, false, "w- and w+ both negative");
    }
    const double lambda = sliding_lambda(minus.w, plus.w);
    if (minus_sign > 0) {
      return make(PointKind::sliding, {Side::sliding}, lambda, false,
                  "w- positive and w+ negative: both fields push onto the surface");
    }
    return make(PointKind::repelling, {Side::minus, Side::sliding, Side::plus}, lambda, true,
                "w- negative and w+ positive: both fields leave the surface");
  }

  // A simple fold. `own` is the tangent field; it leaves on its own side when visible.
  const bool on_plus = plus_zero;
  const int own_sign = on_plus ? plus_sign : minus_sign;
  const int other_sign = on_plus ? minus_sign : plus_sign;
  const int outward = on_plus ? 1 : -1;
  const Side own_side = on_plus ? Side::plus : Side::minus;
  const Side other_side = on_plus ? Side::minus : Side::plus;
  const auto either = [&](std::string_view of_minus, std::string_view of_plus) {
    return on_plus ? of_plus : of_minus;
  };
  const bool other_arrives = other_sign == outward;
  if (own_sign == 0) {
    // The tangent field stays on the surface: following it is sliding with λ at its bound.
    SideSet sides{Side::sliding};
    if (!other_arrives) sides.insert(other_side);
    return make(PointKind::degenerate, sides, static_cast<double>(outward), !other_arrives,
                either("w- vanishes with its derivatives: the field stays on the surface",
                       "w+ vanishes with its derivatives: the field stays on the surface"));
  }
  const bool visible = own_sign == outward;
  PointKind kind = on_plus ? PointKind::visible_fold_plus : PointKind::visible_fold_minus;
  if (!visible) kind = on_plus ? PointKind::invisible_fold_plus : PointKind::invisible_fold_minus;
  if (visible && other_arrives) {
    return make(kind, {own_side}, kNotANumber, false,
                either("w- vanishes: both fields now point to the - side",
                       "w+ vanishes: both fields now point to the + side"));
  }
  if (visible) {
    return make(kind, {Side::minus, Side::sliding, Side::plus}, static_cast<double>(outward), true,
                either("w- vanishes at a visible fold while w+ leaves on the other side",
                       "w+ vanishes at a visible fold while w- leaves on the other side"));
  }
  if (other_arrives) {
    return make(kind, {Side::sliding}, static_cast<double>(outward), false,
                either("w- vanishes at an invisible fold: the field turns back onto the surface",
                       "w+ vanishes at an invisible fold: the field turns back onto the surface"));
  }
  return make(kind, {other_side}, kNotANumber, false,
              either("w- vanishes at an invisible fold and w+ leaves on the other side",
                     "w+ vanishes at an invisible fold and w- leaves on the other side"));
}

const char* to_string(PointKind kind) {
  switch (kind) {
    case PointKind::crossing_up: return "crossing upward";
    case PointKind::crossing_down: return "crossing downward";
    case PointKind::sliding: return "attracting sliding";
    case PointKind::repelling: return "repelling";
    case PointKind::visible_fold_minus: return "visible fold from -";
    case PointKind::invisible_fold_minus: return "invisible fold from -";
    case PointKind::visible_fold_plus: return "visible fold from +";
    case PointKind::invisible_fold_plus: return "invisible fold from +";
    case PointKind::two_fold: return "two-fold";
    case PointKind::degenerate: return "degenerate";
  }
  return "unknown";
}

}  // namespace slideway
