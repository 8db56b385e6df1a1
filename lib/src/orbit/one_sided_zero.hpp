// Zeros of functions with values on one side of the zero alone: a quantity of an orbit has none beyond a change of the orbit's events.
//
// The zero is extrapolated from values that come nearer to it by a factor of ten each, so that the errors of values are hardly larger in
// the zero than in the values. It must not know what the values mean.
#pragma once

#include <functional>
#include <optional>

namespace slideway {

// `value` is empty beyond the zero; it has a value at `begin` and none at `end`. The zero is found to `tolerance` or to where values
// repeat themselves. It is empty where the values do not lead to a zero between both.
std::optional<double> one_sided_zero(const std::function<std::optional<double>(double x)>& value,
                                     double begin, double end, double tolerance);

}  // namespace slideway
