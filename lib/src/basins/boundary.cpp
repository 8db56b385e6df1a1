#include "slideway/basins/boundary.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "slideway/core/errors.hpp"

namespace slideway {

namespace {

constexpr double kNoExponent = std::numeric_limits<double>::quiet_NaN();
constexpr Index kLargestPart = 8;  // the largest size is this part of the plane
constexpr std::size_t kFewestSizes = 3;

void check_size(const ColouredPlane& plane) {
  if (plane.across >= 1 && plane.up >= 1 &&
      plane.across * plane.up == static_cast<Index>(plane.colours.size()))
    return;
  refuse({.what = "the plane has another number of colours than cells",
          .where = "ColouredPlane",
          .expected = std::to_string(plane.across * plane.up),
          .got = std::to_string(plane.colours.size())});
}

int colour_at(const ColouredPlane& plane, Index i, Index j) {
  return plane.colours[static_cast<std::size_t>(j * plane.across + i)];
}

// The slope of log(value) over log(size), by least squares.
ScalingLaw fitted(std::vector<double> sizes, std::vector<double> values, double sign) {
  ScalingLaw law{
      .exponent = kNoExponent, .error = kNoExponent, .sizes = std::move(sizes), .values = std::move(values)};
  const auto count = static_cast<double>(law.sizes.size());
  const bool has_all =
      std::all_of(law.values.begin(), law.values.end(), [](double value) { return value > 0; });
  if (law.sizes.size() < kFewestSizes || !has_all) return law;
  double mean_x = 0, mean_y = 0;
  for (std::size_t k = 0; k < law.sizes.size(); ++k) {
    mean_x += std::log(law.sizes[k]) / count;
    mean_y += std::log(law.values[k]) / count;
  }
  double xx = 0, xy = 0, yy = 0;
  for (std::size_t k = 0; k < law.sizes.size(); ++k) {
    const double x = std::log(law.sizes[k]) - mean_x, y = std::log(law.values[k]) - mean_y;
    xx += x * x;
    xy += x * y;
    yy += y * y;
  }
  law.exponent = sign * xy / xx;
  law.error = std::sqrt(std::max(0.0, yy - xy * xy / xx) / (count - 2) / xx);
  return law;
}

std::vector<Index> sizes_of(const ColouredPlane& plane, Index first) {
  std::vector<Index> sizes;
  for (Index size = first; size <= std::min(plane.across, plane.up) / kLargestPart; size *= 2)
    sizes.push_back(size);
  return sizes;
}

}  // namespace

ScalingLaw box_dimension(const ColouredPlane& plane) {
  check_size(plane);
  std::vector<double> sizes, counts;
  // In boxes of one cell several strands of a boundary are one.
  for (const Index size : sizes_of(plane, 2)) {
    Index count = 0;
    // Neighbouring boxes share the cells at their edges, so that a boundary along an edge is seen.
    for (Index j = 0; j + 1 < plane.up; j += size) {
      for (Index i = 0; i + 1 < plane.across; i += size) {
        const int colour = colour_at(plane, i, j);
        bool is_mixed = false;
        for (Index l = j; l <= std::min(j + size, plane.up - 1) && !is_mixed; ++l)
          for (Index k = i; k <= std::min(i + size, plane.across - 1) && !is_mixed; ++k)
            is_mixed = colour_at(plane, k, l) != colour;
        count += is_mixed ? 1 : 0;
      }
    }
    sizes.push_back(static_cast<double>(size));
    counts.push_back(static_cast<double>(count));
  }
  return fitted(std::move(sizes), std::move(counts), -1);
}

ScalingLaw uncertainty_exponent(const ColouredPlane& plane) {
  check_size(plane);
  std::vector<double> sizes, parts;
  for (const Index size : sizes_of(plane, 1)) {
    Index count = 0;
    for (Index j = 0; j < plane.up; ++j) {
      for (Index i = 0; i < plane.across; ++i) {
        const int colour = colour_at(plane, i, j);
        const bool is_uncertain = (i >= size && colour_at(plane, i - size, j) != colour) ||
                                  (i + size < plane.across && colour_at(plane, i + size, j) != colour) ||
                                  (j >= size && colour_at(plane, i, j - size) != colour) ||
                                  (j + size < plane.up && colour_at(plane, i, j + size) != colour);
        count += is_uncertain ? 1 : 0;
      }
    }
    sizes.push_back(static_cast<double>(size));
    parts.push_back(static_cast<double>(count) / static_cast<double>(plane.across * plane.up));
  }
  return fitted(std::move(sizes), std::move(parts), 1);
}

}  // namespace slideway
