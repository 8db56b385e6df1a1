#include "orbit/least_along.hpp"

#include <algorithm>
#include <boost/math/tools/minima.hpp>
#include <cstdint>
#include <limits>
#include <vector>

namespace slideway {

namespace {

// A step is sampled in so many parts: within a step of a run the states are quartics, which turn three times. The tests of orbits pass with 4 and
// 16.
constexpr int kPartsOfStep = 8;
// Golden sections, which Brent's method takes at worst, narrow a bracket to the root of the rounding unit in 38 steps.
constexpr std::uintmax_t kMostIterations = 40;

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
    // The segment of the middle point has a value beyond its ends to rounding alone.
    const double low = before.segment == here.segment ? before.t : here.t;
    const double high = after.segment == here.segment ? after.t : here.t;
    std::uintmax_t iterations = kMostIterations;
    const double found = std::min(here.value, boost::math::tools::brent_find_minima(
                                                  [&](double t) { return at(here.segment, t); }, low, high,
                                                  std::numeric_limits<double>::digits / 2, iterations)
                                                  .second);
    if (!least || found < *least) least = found;
  }
  return least;
}

}  // namespace slideway
