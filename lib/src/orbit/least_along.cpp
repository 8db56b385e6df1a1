#include "orbit/least_along.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace slideway {

namespace {

constexpr int kPartsOfStep = 8;
// Golden sections narrow a bracket to the root of the rounding unit, within which a minimum is flat.
constexpr int kMostSections = 40;

struct Point {
  double t = 0;
  std::size_t segment = 0;
  double value = 0;
};

}  // namespace

std::optional<double> least_inside(
    const Trajectory& trajectory, double start, double end,
    const std::function<double(double t, ConstVectorRef x, const Segment& segment)>& function) {
  Vector x(trajectory.states());
  const auto at = [&](std::size_t segment, double t) {
    trajectory.evaluate(segment, t, x);
    return function(t, x, trajectory.segments()[segment]);
  };
  std::vector<Point> points;
  for (std::size_t k = 0; k < trajectory.segments().size(); ++k) {
    if (trajectory.segments()[k].end <= start || trajectory.segments()[k].start >= end) continue;
    const std::vector<double> times = trajectory.step_times(k);
    for (std::size_t i = 0; i + 1 < times.size(); ++i)
      for (int part = 0; part < kPartsOfStep; ++part) {
        const double t = times[i] + (times[i + 1] - times[i]) * part / kPartsOfStep;
        if (t > start && t < end) points.push_back({t, k, at(k, t)});
      }
  }
  std::optional<double> least;
  for (std::size_t i = 1; i + 1 < points.size(); ++i) {
    const Point &before = points[i - 1], &here = points[i], &after = points[i + 1];
    if (!(here.value <= before.value && here.value < after.value)) continue;
    double found = here.value;
    // The segment of the middle point has a value beyond its ends to rounding alone.
    double low = before.segment == here.segment ? before.t : here.t;
    double high = after.segment == here.segment ? after.t : here.t;
    const double golden = 0.5 * (std::sqrt(5.0) - 1);
    double left = high - golden * (high - low), right = low + golden * (high - low);
    double at_left = at(here.segment, left), at_right = at(here.segment, right);
    for (int k = 0; k < kMostSections; ++k) {
      if (at_left < at_right) {
        high = right;
        right = left;
        at_right = at_left;
        left = high - golden * (high - low);
        at_left = at(here.segment, left);
      } else {
        low = left;
        left = right;
        at_left = at_right;
        right = low + golden * (high - low);
        at_right = at(here.segment, right);
      }
      found = std::min({found, at_left, at_right});
    }
    if (!least || found < *least) least = found;
  }
  return least;
}

}  // namespace slideway
