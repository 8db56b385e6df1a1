// What vanishes along a curve of one bifurcation of equilibria, as a function g of the unknowns u of their family:
//
//     SN   g of  (F_z  w; vᵀ  0)(q; g) = (0; 1),     HB   g = ∏(μᵢ + μⱼ) of the eigenvalues,     BE   g = the margin of a limit.
//
// F_z is exact; derivatives of g are differences of g, those of margins exact but for parameters. It must not know how zeros are found.
#pragma once

#include "orbit/equilibrium_family.hpp"
#include "slideway/core/types.hpp"
#include "slideway/orbit/equilibrium_branches.hpp"

namespace slideway {

class EquilibriumCondition {
 public:
  // The family is kept by reference. `limit` is the number of the limit that vanishes at a boundary equilibrium.
  EquilibriumCondition(EquilibriumFamily& family, EquilibriumBifurcation kind, Index limit);

  EquilibriumBifurcation kind() const { return kind_; }
  Index limit() const { return limit_; }
  // prepare() takes the borders w and v and the units of g at a zero u, on the side of those before. Values change by a smooth factor.
  void prepare(const Vector& u);
  // Throws what the family throws, and std::runtime_error where g has no value.
  void evaluate(const Vector& u, double& value, Vector& by_u);
  // Of SN, at the u of evaluate(): the derivative of g along the null vector q of length 1, which vanishes at a cusp.
  double bend(const Vector& by_u) const { return by_u.head(null_.size()).dot(null_) / null_.norm(); }

 private:
  double value_at(const Vector& u);
  double singular_value(const Vector& u);

  EquilibriumFamily& family_;
  EquilibriumBifurcation kind_;
  Index limit_;
  Vector row_units_ = {}, left_ = {}, right_ = {};  // of SN: the rows of F_z, w and v
  Vector null_ = {};                                // q of the last value
  double size_ = 0;                                 // of HB: the largest eigenvalue
};

}  // namespace slideway
