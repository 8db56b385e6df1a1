// A state that the integrator cannot tell from another, to learn what its errors do to a function of the state:
//     x(j) + s(j)/weights(j),   ¾ ≤ |s(j)| ≤ 5/4, with mixed signs
// All errors of one sign would cancel in what sees differences of states only: springs, relative velocities, diffusion.
//
// It must not know whose errors they are.
#pragma once

#include "slideway/core/types.hpp"

namespace slideway {

// error_of() is the error of a state of this weight, in units of the state. It is exactly 0 for states without errors, as discrete states
// are, whose weight is 1e100: no tolerance has a weight near 1e50, and factors of a run do not lead there.
inline double error_of(double weight) { return weight < 1e50 ? 1 / weight : 0; }

// weights(i) > 0, in 1/unit of x(i). States without errors keep their bits.
inline void add_errors(ConstVectorRef weights, VectorRef x) {
  // Multiples of the golden ratio, modulo one, are spread evenly and no two near each other are alike.
  constexpr double golden = 0.6180339887498949;
  double part = 0;
  for (Index j = 0; j < x.size(); ++j) {
    part += golden;
    if (part >= 1) part -= 1;
    if (const double error = error_of(weights[j]); error > 0)
      x[j] += (part < 0.5 ? -(0.75 + part) : 0.25 + part) * error;
  }
}

}  // namespace slideway
