// Zeros of small systems of equations by Newton's method with steps of bounded length, and the shortest step where the derivative is
// singular or not square.
//
// It must not know what the equations mean.
#pragma once

#include <functional>
#include <optional>

#include "slideway/core/types.hpp"

namespace slideway {

// A pivot below this part of the largest entry is rounding: derivatives that are differences have errors of about
// 1e-10.
inline constexpr double kEquilibriumRankZero = 1e-9;

// newton_zero() knows a zero that is not simple to this accuracy: it gains a digit in three steps there, and rounding leaves half of the digits.
// Two zeros that are nearer than this, in sizes of the unknowns, count as one.
inline constexpr double kConvergedSlowly = 1e-6;

// Writes F(z), k entries, and J(i,j) = ∂Fᵢ/∂z_j. Unknowns are scaled: a change by 1 is that of their sizes.
using ValueAndJacobian = std::function<void(const Vector& z, Vector& value, Matrix& jacobian)>;

// Each equation in units of its largest derivative.
void scale_rows(Matrix& jacobian, Vector& value);
// The largest scaled equation; 0 without equations.
double scaled_residual(const ValueAndJacobian& equations, const Vector& z);
// The zero that the method comes to from z, to rounding where it is simple. It is empty where the method does not converge or an equation
// has no finite value. It throws what the equations throw.
std::optional<Vector> newton_zero(const ValueAndJacobian& equations, Vector z);

}  // namespace slideway
