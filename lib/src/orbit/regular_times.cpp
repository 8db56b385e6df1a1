#include "orbit/regular_times.hpp"

#include <algorithm>

namespace slideway {

namespace {

constexpr double kMargin = 0.02;  // of a stretch, at either end, where an event counts as near

bool is_free(const Segment& segment) { return segment.mode.codimension() == 0; }

struct Stretch {
  double begin = 0, end = 0;
  double length() const { return end - begin; }
  double middle() const { return begin + 0.5 * (end - begin); }
};

}  // namespace

double regular_time(const Solution& solution, double begin, double end, double wanted) {
  std::optional<Stretch> longest, longest_of_all;
  for (const Segment& segment : solution.trajectory.segments()) {
    const Stretch here{std::max(begin, segment.start), std::min(end, segment.end)};
    if (!(here.length() > 0)) continue;
    if (!longest_of_all || here.length() > longest_of_all->length()) longest_of_all = here;
    if (!is_free(segment)) continue;
    const double margin = kMargin * (segment.end - segment.start);
    const bool keeps_off_begin = wanted - segment.start >= margin || segment.start == solution.initial.t;
    const bool keeps_off_end = segment.end - wanted >= margin;
    if (wanted >= here.begin && wanted <= here.end && keeps_off_begin && keeps_off_end) return wanted;
    if (!longest || here.length() > longest->length()) longest = here;
  }
  if (!longest) longest = longest_of_all;
  return longest ? longest->middle() : wanted;
}

std::optional<double> regular_time_near(const Solution& solution, double wanted) {
  for (const Segment& segment : solution.trajectory.segments()) {
    if (wanted < segment.start || wanted > segment.end || !(segment.end > segment.start)) continue;
    if (!is_free(segment)) continue;
    const double margin = 0.2 * (segment.end - segment.start);
    return std::clamp(wanted, segment.start + margin, segment.end - margin);
  }
  return std::nullopt;
}

}  // namespace slideway
