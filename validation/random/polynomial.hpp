// The first zero of a polynomial on an interval, with a certificate that there is none before it.
//
// It must not know where the polynomial comes from.
#pragma once

#include <span>

namespace slideway::validation::random {

using Real = long double;

// c[0] + c[1] s + c[2] s² + …
Real value_of(std::span<const Real> coefficients, Real s);

struct FirstZero {
  bool found = false;
  Real s = 0;
  bool touches = false;  // before it there is a point at which the polynomial can't be told from zero
};

// The first s in (0, length] at which the polynomial changes its sign to that of `direction`. An interval is left out where
// |c₀| > Σ|cⱼ|rʲ about its middle, and halved until this holds or the polynomial is monotone there.
FirstZero first_zero(std::span<const Real> coefficients, Real length, int direction);

}  // namespace slideway::validation::random
