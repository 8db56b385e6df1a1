// Filippov's (bilinear) combination of the corners of the λ-box:
//
//     f(λ) = Σ_s  ∏ᵢ (1 + sᵢ λᵢ)/2 · f(s),      s ∈ {−1, +1}ᵐ.
//
// A corner whose weight is zero, and does not vary, is never evaluated: its field need not even be defined.
// So only the surfaces with λᵢ strictly between −1 and +1 count, 2ᵏ corners for k of them.
//
// It must not know where the corner values come from.
#pragma once

#include <string>
#include <type_traits>

#include "slideway/autodiff/dual.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/core/types.hpp"
#include "slideway/detail/core/scratch.hpp"

namespace slideway {

inline constexpr Index most_blended_surfaces = 12;

// Is λ exactly −1 or +1, and does it stay there?
inline bool is_vertex(double lambda) { return lambda == 1 || lambda == -1; }
template <class T>
bool is_vertex(const Dual<T>& lambda) {
  return is_vertex(lambda.value) && lambda.derivative == T(0.0);
}
inline bool is_exact_zero(double weight) { return weight == 0; }
template <class T>
bool is_exact_zero(const Dual<T>& weight) {
  return is_exact_zero(weight.value) && is_exact_zero(weight.derivative);
}

// The slow path of blend_corners, where no λ fixes the signs. It is apart, so that the fast path does not pay for it.
template <class Scalar, class Lambda, class View, class Evaluate>
[[gnu::noinline]] void blend_all_corners(const Lambda& lambda, View& result, const char* where,
                                         const Evaluate& evaluate) {
  const Index m = lambda.size();
  ScratchFrame frame;
  Eigen::Map<Vector> sign_values(frame.take<double>(m), m);
  auto* blended = frame.take<Index>(m);
  Index count = 0;
  for (Index i = 0; i < m; ++i) {
    sign_values[i] = value_of(lambda[i]) > 0 ? 1.0 : -1.0;
    if (!is_vertex(lambda[i])) blended[count++] = i;
  }
  const Eigen::Ref<const Vector> signs(sign_values);
  if (count == 0) {
    evaluate(signs, result);
    return;
  }
  if (count > most_blended_surfaces) {
    refuse({.what = "too many surfaces between their two sides at once for blending corners",
            .where = where,
            .expected = "at most " + std::to_string(most_blended_surfaces),
            .got = std::to_string(count),
            .advice = "write the field with lambda itself, through from_functor"});
  }

  using Plain = typename View::PlainObject;
  auto* numbers = frame.take<Scalar>(result.size());
  View corner(Eigen::Map<Plain>(numbers, result.rows(), result.cols()));
  result.setConstant(Scalar(0.0));
  for (Index corner_number = 0; corner_number < (Index{1} << count); ++corner_number) {
    Scalar weight(1.0);
    for (Index k = 0; k < count; ++k) {
      const double sign = (corner_number >> k) % 2 == 1 ? 1.0 : -1.0;
      sign_values[blended[k]] = sign;
      weight *= 0.5 * (1.0 + sign * lambda[blended[k]]);
    }
    if (is_exact_zero(weight)) continue;
    corner.setConstant(Scalar(0.0));
    evaluate(signs, corner);
    result += weight * corner;
  }
}

// result = Σ weight · corner, where evaluate(signs, corner) sets `corner`, of the shape of `result`, to the
// value at the vertex `signs` (a ConstVectorRef of exact ±1). `where` names the door in a refusal.
template <class Scalar, class Lambda, class View, class Evaluate>
void blend_corners(const Lambda& lambda, View& result, const char* where, const Evaluate& evaluate) {
  // Most calls are at a vertex, where plain numbers are the signs already.
  if constexpr (std::is_same_v<Lambda, Eigen::Ref<const Vector>>) {
    Index at = 0;
    while (at < lambda.size() && is_vertex(lambda[at])) ++at;
    if (at == lambda.size()) {
      evaluate(lambda, result);
      return;
    }
  }
  blend_all_corners<Scalar>(lambda, result, where, evaluate);
}

}  // namespace slideway
