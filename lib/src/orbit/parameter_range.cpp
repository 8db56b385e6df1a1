#include "orbit/parameter_range.hpp"

#include <algorithm>
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

void check_parameter_plane(const ParameterSpan& first, const ParameterSpan& second, double begin,
                           bool has_problem, const std::string& where) {
  for (const ParameterSpan& span : {first, second})
    check_parameter_range(
        {.has_problem = has_problem, .first = span.first, .last = span.last, .points = span.points},
        "curves cannot be followed", where);
  const auto [low, high] = std::minmax(second.first, second.last);
  if (begin >= low && begin <= high) return;
  refuse({.what = "the branches that curves begin at are outside of the plane",
          .where = where,
          .expected = "a value of the second parameter from " + number_text(low) + " to " + number_text(high),
          .got = number_text(begin)});
}

}  // namespace slideway
