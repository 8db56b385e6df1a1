// The equilibrium of another mode that a boundary equilibrium meets, along a curve of them in two parameters.
//
// With m and m' the margins of both, dm/dp and dm'/dp are normals of the curve. Where they point to the same side, both equilibria are admissible
// there: a non-smooth fold. Else the equilibrium persists. It must not know how curves are followed.
#pragma once

#include <memory>
#include <optional>

#include "orbit/equilibrium_family.hpp"
#include "slideway/core/types.hpp"
#include "slideway/orbit/boundary_equilibria.hpp"

namespace slideway {

class BoundaryPartner {
 public:
  // The mode is the one beyond the limit of this number that has an equilibrium at the zero u of the family; none where there is no such mode.
  BoundaryPartner(const EquilibriumRange& range, SlidingRule rule, double t, const Vector& sizes,
                  EquilibriumFamily& family, Index limit, const Vector& u);

  // The mode of the other equilibrium.
  std::optional<Mode> mode() const;

  struct Meeting {
    BoundaryEquilibriumKind kind = BoundaryEquilibriumKind::alone;
    std::optional<Equilibrium> other = {};
    double determinant = 1;  // of its F_z, in units of the rows of all derivatives
  };
  // At a zero u of the family and its limit. Throws what the problem throws.
  Meeting at(const Vector& u);

 private:
  std::optional<Vector> unknowns_at(EquilibriumFamily& other, const Vector& u);

  EquilibriumFamily& family_;
  Index limit_;
  std::unique_ptr<EquilibriumFamily> other_;
};

// The determinant of F_z at u, in units of the rows of all derivatives.
double scaled_determinant(EquilibriumFamily& family, const Vector& u);

}  // namespace slideway
