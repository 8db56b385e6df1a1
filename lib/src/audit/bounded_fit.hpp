// Least squares with bounds: the z that brings r(z) = target − base(z) nearest to zero, where base is affine in every z separately.
//
// It must not know what the unknowns mean.
#pragma once

#include <functional>
#include <vector>

#include "slideway/core/types.hpp"

namespace slideway::auditing {

struct Bounds {
  double low = 0;
  double high = 0;
};

// `residual(z, r)` sets r, which is affine in each entry of z. Returns the z found; few unknowns only.
Vector bounded_fit(const std::function<void(const Vector& z, Vector& r)>& residual, Vector start,
                   const std::vector<Bounds>& bounds);

}  // namespace slideway::auditing
