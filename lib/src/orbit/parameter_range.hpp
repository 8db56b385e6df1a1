// The check of a request for branches: a problem for each value of a parameter, and the range of the values.
//
// It must not know what is followed.
#pragma once

#include <string>

#include "slideway/core/types.hpp"

namespace slideway {

struct ParameterRange {
  bool has_problem = false;
  double first = 0;
  double last = 0;
  Index points = 0;       // at the values of the range
  Index most_points = 2;  // of one branch
};

// Throws std::invalid_argument, which says `what` cannot be done and `where`, for a range that makes no sense.
void check_parameter_range(const ParameterRange& range, const std::string& what, const std::string& where);

}  // namespace slideway
