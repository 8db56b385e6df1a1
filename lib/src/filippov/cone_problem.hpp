// Contacts with friction in a plane: which of them part, stick or slip, and their forces or impulses.
//
//     w = q + Bz,   of every contact z = (P, Q₁, Q₂) and w = (u, s₁, s₂)
//     0 ≤ P − P₀ ⊥ u ≥ 0;     s = 0 with |Q| ≤ ρμP (sticks), or Q = −μP·s/|s| (slips)
//
// The friction of an impact, with the velocities after it in w, is against the last slip: Moreau's law (Unilateral contact and dry friction in finite
// freedom dynamics, 1988). With accelerations of surfaces without velocity it tells how their rest goes on.
//
// One contact alone is solved for at once: it sticks if it can, and otherwise its direction of slip is a zero of a function of one angle.
// Several take turns until none changes (Jean, The non-smooth contact dynamics method, 1999).
//
// Numbers only. It must not know contacts of systems, nor what w is.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "slideway/core/types.hpp"

namespace slideway {

// The rows of one contact in B, q and z.
struct ConeRows {
  Index normal = 0;
  Index tangential = -1;     // the first of two rows; none where the contact has no friction of its own
  double coefficient = 0;    // μ
  double ratio = 1;          // ρ
  double least = 0;          // P₀
  bool breaks_away = false;  // at the bound of what it holds, it slips
  Eigen::Vector2d slip =
      Eigen::Vector2d::Zero();  // before the impact: of several directions the nearest one is taken
};

struct ConeAnswer {
  bool solved = false;
  Vector z = {};
  // `sticks` tells of every contact whether it sticks, `directions` the direction s/|s| of those that slip.
  std::vector<char> sticks = {};
  std::vector<Eigen::Vector2d> directions = {};
  std::vector<char> begins = {};  // to slip, with s = 0
};

ConeAnswer solve_cones(const Matrix& B, const Vector& q, const std::vector<ConeRows>& contacts);

}  // namespace slideway
