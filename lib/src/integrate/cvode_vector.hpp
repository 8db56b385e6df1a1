// The vectors that CVODE works with: SUNDIALS' serial vectors, with arithmetic of our own in place of what takes most of the
// time of a step. SUNDIALS' own distinguishes many cases where there are few states, and adds one number after the other
// where there are many.
//
// It must not know what is integrated.
#pragma once

#include "integrate/sundials_handles.hpp"
#include "slideway/core/types.hpp"

namespace slideway::sundials {

// Its clones have the same arithmetic. Throws std::bad_alloc.
VectorHandle make_vector(Index size, SUNContext context);

}  // namespace slideway::sundials
