// Checks of a model that its author asks for: are the derivatives right, is f affine in each λᵢ separately
// (multi-affine), so that f at an interior λ is Filippov's combination, and are its values finite?
//
// Pure functions of a System and a point. They must not know time stepping or modes.
#pragma once

#include <string>

#include "slideway/model/system.hpp"

namespace slideway {

// The worst disagreement between a derivative in use and central differences.
struct DerivativeCheck {
  bool passed = true;
  std::string function = {};  // "field_dx", "guards_dx", … with the worst entry
  Index row = 0;
  Index column = 0;
  double used = 0;               // the derivative slideway would use
  double finite_difference = 0;  // its central difference
  double relative_error = 0;     // dimensionless, |used − difference| / scale of the row
  std::string message = {};      // one line a user can act on
  // Names a derivative that is infinite, and rightly so, as that of √x at 0; empty without one.
  std::string infinite = {};
};

// Compares every derivative of the definition, each function by itself, with central differences at (t, x, λ).
// The differences are taken with several step sizes, of which the one with the smallest estimated error counts,
// and a disagreement within that estimate is none. An entry that a pattern leaves out counts as 0. Matrices are
// dense, whatever the size of the system.
DerivativeCheck check_derivatives(const System& system, double t, ConstVectorRef x, ConstVectorRef lambda,
                                  double tolerance = 1e-5);

struct MultiAffineCheck {
  bool passed = true;
  Index state = 0;    // the worst component of f …
  Index surface = 0;  // … and the λ it is not affine in
  double relative_error = 0;
  std::string message = {};
};

// check_multi_affine() compares f at generic interior λ with the affine interpolant between λᵢ = −1 and +1, surface
// by surface (λ³ − λ vanishes at −1, 0 and 1, so the probes avoid them). Surfaces whose relays the pattern shows to
// act on different states are probed at once. With more than 8 surfaces, the 7 after a probed one are interior and
// the rest at a vertex. A surface is left out where the field on a side is not finite at x.
MultiAffineCheck check_multi_affine(const System& system, double t, ConstVectorRef x,
                                    double tolerance = 1e-9);

// Throws std::invalid_argument naming the state or surface if a value of the guards at (t, x), or of the field
// there, is not finite or was never set. The field is asked at λ = sgn h only, and on both sides where h = 0:
// elsewhere it need not be defined.
void check_callable(const System& system, double t, ConstVectorRef x);

}  // namespace slideway
