// The same problem in another dress. A run of the variant has to give the same solution in that dress: nothing in the
// library may depend on which side is called plus, on where time has its origin or which units time and states have.
#pragma once

#include "validation/case.hpp"

namespace slideway::validation {

// h → −h and λ → −λ on every surface: `-` and `+` change places, in the modes and in the policy.
Case mirrored(const Case& original);

// t → t + offset.
Case shifted(const Case& original, double offset);

// x → factor·x, the guards' values as before; the absolute tolerance follows.
Case scaled(const Case& original, double factor);

// t → factor·t: everything takes `factor` times as long.
Case slowed(const Case& original, double factor);

// Only the field and the guards: every derivative is a finite difference.
Case without_derivatives(const Case& original);

}  // namespace slideway::validation
