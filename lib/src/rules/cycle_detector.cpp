#include "rules/cycle_detector.hpp"

#include "rules/flight_watch.hpp"
#include "simulate/precision.hpp"

namespace slideway {

namespace {

// A number for what changes in an event that is more than a crossing: other than that of any surface.
Index kind_of_turn(const EventRecord& event, const Mode& after) {
  Index code = after.size();
  for (const Index i : event.surfaces) {
    code = (code * 1009 + 3 * i + static_cast<signed char>(after[i]) + 2) % 1'000'000'007;
  }
  return code + after.size();
}

}  // namespace

void CycleDetector::note(double t, const EventRecord& event, const Mode& after, const Vector& x,
                         double accuracy) {
  const bool crosses = crosses_one(event);
  only_crossings_ = only_crossings_ && crosses;
  interval_ = t - last_;
  last_ = t;
  events_.note(t, crosses ? event.surfaces.front() : kind_of_turn(event, after), x, accuracy);
}

void CycleDetector::clear() {
  events_.clear();
  only_crossings_ = true;
}

bool CycleDetector::may_accumulate() const {
  return events_.shrinks(only_crossings_ ? kFlightShrinks : kFlightShrinksFast);
}

}  // namespace slideway
