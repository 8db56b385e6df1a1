// Relays whose effects on the surfaces they slide along are not independent: Dλ = r with a singular D.
//
//     twisting     x' = v,  v' = −a sgn x − b sgn v     at the origin: both ḧ₁ and w₂ are −aλ₁ − bλ₂
//     a kink       x' = v,  v' = −|x| − b sgn v         at the origin nothing depends on λ₁
// Any λ in the box that holds the surfaces will do where they all give the same field; the smallest is taken.
//
// Pure functions of numbers. They must not know systems, integrators or time.
#pragma once

#include <optional>

#include "slideway/core/types.hpp"

namespace slideway {

// Below this part of the largest pivot of D, its rows scaled to one, a pivot counts as zero.
inline constexpr double dependent_pivot = 1e-10;

// smallest_in_box() returns the λ of least norm with Dλ = r and lower ≤ λ ≤ upper (finite, lower ≤ 0 ≤ upper). It
// returns nothing when no λ in the box gives r within `tolerance` of the sizes of the rows of D. A row of zeros
// asks for |rᵢ| ≤ zero[i].
std::optional<Vector> smallest_in_box(const Matrix& D, const Vector& r, const Vector& lower,
                                      const Vector& upper, const Vector& zero, double tolerance);

// A basis of the λ that D does not see, one column each; no columns where D is regular.
Matrix unseen_directions(const Matrix& D);

// The least X with DX = R in the sense of least squares: ∂λ/∂x up to sign, where the rows of zeros in D hold by themselves.
Matrix solve_dependent(const Matrix& D, const Matrix& R);

// Rows and columns of D, as many as its rank, on which it is regular.
struct RegularPart {
  std::vector<Index> rows = {};
  std::vector<Index> columns = {};
};
RegularPart regular_part(const Matrix& D);

// second_order_return_factor() describes motion round a point where h₁' = κh₂ with κ ≠ 0, so that ḧ₁ = κw₂. One
// turn contracts the speed h₂ by this factor (< 1 attracts). It takes ḧ₁ at the four vertices (λ₁ bit 0, λ₂ bit 1)
// and the sign of κ, and returns 0 where the fields do not turn round the point.
double second_order_return_factor(const Vector& second_derivatives, double kappa);

}  // namespace slideway
