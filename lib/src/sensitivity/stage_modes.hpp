// The stages of Radau IIA for a field that is linear with one J, x' = J x: with A⁻¹ = T Λ T⁻¹ their equations
//     (A⁻¹/h ⊗ I − I ⊗ J) Z = R      fall apart into      (λ/h I − J) w = (T⁻¹ R) of one mode,      Z = T w,
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

  // w of a pair is complex, u + i v: Z = `from` u + `from_imaginary` v, and its right-hand side is `to` R + i `to_imaginary` R.
  struct Pair {
    std::complex<double> value;
    Vector to, to_imaginary, from, from_imaginary;
  };
  struct Real {
    double value;
    Vector to, from;
  };

  Matrix inverse;  // A⁻¹
  std::vector<Real> reals;
  std::vector<Pair> pairs;
};

}  // namespace slideway
