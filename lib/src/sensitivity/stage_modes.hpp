// The stages of Radau IIA for a field that is linear with one J, x' = J x: with A⁻¹ = T Λ T⁻¹ their equations
//     (A⁻¹/h ⊗ I − I ⊗ J) Z = R      fall apart into      (λ/h I − J) w = r of one mode each,      r = T⁻¹ R,      Z = T w,
// one for each real eigenvalue λ and one for each pair of complex ones (Hairer & Wanner, Solving Ordinary Differential Equations II, IV.8).
//
// It must not know what is integrated.
#pragma once

#include <complex>
#include <vector>

#include "sensitivity/radau.hpp"

namespace slideway {

struct StageModes {
  explicit StageModes(const Radau& formula);

  // A real mode has one row of T⁻¹ and one column of T. A pair has two of each: those of the real and of the imaginary part of w.
  struct Real {
    double value;
    Index row;
  };
  struct Pair {
    std::complex<double> value;
    Index row;
  };

  Matrix inverse;   // A⁻¹
  Matrix to, from;  // T⁻¹, T: real
  std::vector<Real> reals;
  std::vector<Pair> pairs;
};

}  // namespace slideway
