// The determinants of the connected components of D = ∂w_S/∂λ_S, in units of what they were at first.
//
// λᵢ = −Nᵢ/det D by Cramer's rule, with Nᵢ and det D polynomials in the entries of w and D. The reduced components of surface i,
// wᵢ at λᵢ = ∓1 with wⱼ = 0 solved for the other sliding relays, are
//     rᵢ∓ = −Sᵢ (λᵢ ± 1),   Sᵢ = det D / det D_R,    D_R: D without row and column i.
// They have no pole where λ has one, det D = 0, but one of their own where det D_R = 0. Their numerators have none at all:
//     (det D / det D⁰) (1 ± λᵢ),    D⁰: D when the mode was begun.
// With one surface this is w∓ in units of what the relay did to w at first. A component that no other one sees has its own ratio.
//
// It must not know how λ is solved for, nor time.
#pragma once

#include <Eigen/SparseCore>
#include <vector>

#include "slideway/core/types.hpp"

namespace slideway {

class DeterminantRatios {
 public:
  // Forgets the components and D⁰.
  void reset() { components_.clear(); }
  // ratio[j] of every column j of the `size`×`size` matrix with these entries; those of the first call after reset() are D⁰, and
  // its entries tell the components, zeros among them included. False where a determinant is not finite or D⁰ is singular.
  bool find(Index size, const std::vector<Eigen::Triplet<double>>& entries, Vector& ratio);

 private:
  // A determinant as its sign and the logarithm of its size: products of thousands of entries leave the range of a double.
  struct Determinant {
    double sign = 0;
    double log_size = 0;
  };
  struct Component {
    std::vector<Index> members;
    Determinant first;
  };

  void split(Index size, const std::vector<Eigen::Triplet<double>>& entries);
  Determinant determinant_of(const Component& component);

  std::vector<Component> components_;
  std::vector<Index> component_of_, place_;                 // by row
  std::vector<std::vector<Eigen::Triplet<double>>> parts_;  // by component, in its own numbering
  Matrix dense_;
};

}  // namespace slideway
