// The range of one of two parameters in whose plane curves are followed.
//
// It must not know what is followed.
#pragma once

#include "slideway/core/types.hpp"

namespace slideway {

struct ParameterSpan {
  double first = 0;
  double last = 1;    // not equal to `first`
  Index points = 21;  // ≥ 2: steps change the parameter by at most one of the parts between
};

}  // namespace slideway
