// All λ of sliding along several surfaces at once, w_Z(λ) = 0 in the box [−1, 1]^Z, for a multi-affine w.
//
// With one surface λ comes from a linear equation. With more the box is subdivided: a multi-affine function lies between its
// corner values, so boxes of one sign go, and a box on which the Jacobian cannot become singular holds at most one root,
// found by Newton's method. Where the Jacobian is singular everywhere the λ that solves w = 0 nearest to a given one stands for all
// of them (dependent_relays.hpp).
//
// Pure functions of numbers. They must not know systems, integrators or time.
#pragma once

#include <optional>
#include <vector>

#include "filippov/vertex_table.hpp"

namespace slideway {

// Roots of w(λ) = 0 nearer to each other than this are one root; the values that Newton's method ends at differ by less.
inline constexpr double kSameRoot = 1e-7;

// All λ_Z in the box with w_Z(λ) = 0, the other entries of λ fixed. Roots within `slack` outside the box count. `incomplete` is
// set where a singular Jacobian may hide others.
std::vector<Vector> sliding_roots(const VertexTable& table, const std::vector<Index>& sliding,
                                  const Vector& lambda, double slack, bool& incomplete);

struct SlidingRoot {
  Vector lambda;  // over the sliding entries
  Matrix
      unseen;  // directions in which it can go with w staying zero, one per column; empty where there are none
};

// The same where the Jacobian may be singular everywhere. |wᵢ| at or below w_zero counts as zero; the slack is per surface. `near`
// is a λ of all surfaces in [−1, 1]: of the roots of a singular Jacobian the one nearest to it is found.
std::vector<SlidingRoot> all_sliding_roots(const VertexTable& table, const std::vector<Index>& sliding,
                                           const Vector& lambda, const Vector& near, const Vector& w_zero,
                                           const Vector& slack, bool& incomplete);

// nearest_dependent_root() finds λ over the sliding entries with w = 0 within the bounds, nearest to `near`, where the Jacobian is
// singular everywhere. It returns nothing where Newton's method finds none.
std::optional<Vector> nearest_dependent_root(const VertexTable& table, const std::vector<Index>& sliding,
                                             const Vector& lambda, const Vector& near, const Vector& w_zero);

}  // namespace slideway
