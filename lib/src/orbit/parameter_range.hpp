// The check of a request for branches and curves: a problem for each value of the parameters, and the ranges of the values.
//
// It must not know what is followed.
#pragma once

#include <string>

#include "slideway/core/types.hpp"
#include "slideway/orbit/parameter_span.hpp"

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
// The same for curves in a plane of two parameters, from branches in the first one at the value `begin` of the second.
void check_parameter_plane(const ParameterSpan& first, const ParameterSpan& second, double begin,
                           bool has_problem, const std::string& where);

}  // namespace slideway
