#include "orbit/parameter_range.hpp"

#include <cmath>

#include "core/number_text.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

void check_parameter_range(const ParameterRange& range, const std::string& what, const std::string& where) {
  if (range.has_problem && std::isfinite(range.first) && std::isfinite(range.last) &&
      range.first != range.last && range.points >= 2 && range.most_points >= 2)
    return;
  refuse({.what = what,
          .where = where,
          .expected = "a problem for each value, two different finite values and at least two points",
          .got = number_text(range.first) + " to " + number_text(range.last) + " in " +
                 std::to_string(range.points) + " points"});
}

}  // namespace slideway
