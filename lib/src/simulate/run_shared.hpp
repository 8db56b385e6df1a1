// Constants and small functions of the locator, the rules and EventResolver: how near to zero counts as zero.
//
// It must not know them.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "filippov/point_classifier.hpp"
#include "simulate/precision.hpp"
#include "slideway/core/types.hpp"
#include "slideway/model/system.hpp"

namespace slideway {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

// hardly_differ() tells whether the normal components on both sides of a surface are the same as far as one can
// tell near it: its relay has no part in them.
inline bool hardly_differ(double w_minus, double w_plus) {
  return !(std::abs(w_plus - w_minus) > kHardlyDiffer * (std::abs(w_minus) + std::abs(w_plus)));
}

// The side of a surface that goes with another one.
inline Side side_with(const SecondOrder::Bound& bound, const Mode& mode) {
  return static_cast<Side>(static_cast<int>(mode[bound.to]) * bound.sign);
}

inline bool contains(const std::vector<Index>& list, Index entry) {
  return std::find(list.begin(), list.end(), entry) != list.end();
}

inline std::optional<std::string> optional_name(const std::string& name) {
  return name.empty() ? std::nullopt : std::optional<std::string>(name);
}

}  // namespace slideway
