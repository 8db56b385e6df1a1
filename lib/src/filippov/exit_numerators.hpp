// ExitNumerators finds numbers that are zero where a sliding relay reaches ±1. They have no pole, as λ has where D = ∂w_S/∂λ_S is
// singular.
//
// Where w = w⁰ + D(λ − λ⁰), λᵢ = Nᵢ/det D by Cramer's rule, and Nᵢ and det D are polynomials in the entries of w⁰ and D. The
// reduced components of surface i, wᵢ at λᵢ = ∓1 with wⱼ = 0 solved for the other sliding relays, are
//     rᵢ∓ = −Sᵢ (λᵢ ± 1),   Sᵢ = det D / det D_R,    D_R: D without row and column i.
// They have no pole where λ has one, det D = 0, but one of their own where det D_R = 0. Their numerators have none at all:
//     (det D ± Nᵢ) / det D¹ = δᵢ ± δᵢλᵢ,    δᵢ = det D / det D¹,    D¹: D when the mode was begun.
// With one surface this is w∓ in units of what the relay did to w at first. Each connected component of D has a δ of its own.
//
// It must not know how w and D are found, nor time.
#pragma once

#include <Eigen/SparseCore>
#include <vector>

#include "slideway/core/types.hpp"

namespace slideway {

class ExitNumerators {
 public:
  // Forgets the components and D¹.
  void reset() { components_.clear(); }
  // find() takes D as its entries, zeros of its pattern among them, and w and λ at the same point. D of the
  // first call after reset() is D¹, and its entries tell the components. It sets ratio[i] = δᵢ and product[i] =
  // δᵢλᵢ, which are finite where D is singular too. It returns false where they are not finite or D¹ is
  // singular.
  bool find(const std::vector<Eigen::Triplet<double>>& entries, ConstVectorRef w, ConstVectorRef lambda,
            Vector& ratio, Vector& product);

 private:
  // A determinant as its sign and the logarithm of its size: products of thousands of entries leave the range of a double.
  struct Determinant {
    double sign = 0;
    double log_size = 0;
    double in_units_of(const Determinant& unit) const;
  };
  struct Component {
    std::vector<Index> members;
    Determinant first;
  };

  void split(Index size, const std::vector<Eigen::Triplet<double>>& entries);
  // det D of this component, and D⁻¹w in `change`; D is moved by its rounding where it is singular to the last bit.
  Determinant solve(std::size_t component, ConstVectorRef w, Vector& change);

  std::vector<Component> components_;
  std::vector<Index> component_of_, place_;                 // by row
  std::vector<std::vector<Eigen::Triplet<double>>> parts_;  // by component, in its own numbering
};

}  // namespace slideway
