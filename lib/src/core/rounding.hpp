// What a guard cannot be told from zero by. A state or the time is known to a few units in its last place, which change the guard along its
// slopes; and two evaluations at one place differ by up to twice the running error μ (autodiff/rounded.hpp):
//
//     δ = max(16 ε Σ|∂ⱼg||xⱼ|,  2 ε μ).
//
// It must not know whose guard it is.
#pragma once

#include <algorithm>

#include "core/constants.hpp"

namespace slideway {

// `size` is Σ|∂ⱼg||xⱼ| with the time as one of the states, dimension of g; so is `running_error`.
inline double rounding_of(double size, double running_error) {
  constexpr double kUnitsOfStates = 16;
  return std::max(kUnitsOfStates * kEpsilon * size, 2 * kEpsilon * running_error);
}

}  // namespace slideway
