// ModeManager where the caller of a run sets its state: what follows is what follows from a time event.

#include <cmath>
#include <utility>

#include "filippov/side_loops.hpp"
#include "rules/mode_manager.hpp"
#include "rules/surface_sides.hpp"
#include "simulate/reasons.hpp"

namespace slideway {

namespace {
// keeps_sides() tells whether every surface is on the side of the mode, or at zero where it slides, within the errors of the run.
bool keeps_sides(const RunState& now) {
  Vector h(now.regime.mode().size());
  now.here->evaluator.guards(now.t, now.x, h);
  for (Index i = 0; i < h.size(); ++i) {
    const double beyond =
        now.regime.mode().slides_on(i) ? std::abs(h[i]) : -number_of(now.regime.mode()[i]) * h[i];
    if (beyond <= 0) continue;
    if (!(beyond <= now.here->geometry.tolerance(now.t, now.x, i, now.weights))) return false;
  }
  return true;
}
}  // namespace

// An event that has fired at this instant fires again only where it has been on its side in between.
bool ModeManager::take_state(const Vector& x) {
  now_.here->stepper->error_weights(now_.x, now_.weights);
  Arrivals& arrivals = arrived_.arrivals();
  arrivals.clear();
  arrivals.stage = Arrivals::Stage::over;
  arrivals.given = &x;
  begin_instant(false);
  now_.here->guards.wait_where_spent();
  instant_.before = now_.x;
  return jump(arrivals);
}

// The mode is found anew even where the state is as it was, since the field may read more than the state. Guards that are on their sides
// within the errors of the run have not been moved: surfaces that slide are met there, and others are not.
bool EventFiring::take_state(const Vector& x, std::vector<EventRecord>& records) {
  EventRecord record = now_.begun(EventKind::sample);
  record.round = instant_.round;
  if (!now_.keeps_states()) record.before.resize(0);
  Vector given = x;
  if (given != now_.x) follow_others(now_.here->plain, now_.t, given);
  if (!set_state("the caller of the run", "", given)) return false;
  instant_.moved = !keeps_sides(now_);
  if (now_.keeps_states()) record.after = now_.x;
  record.to = now_.word();
  record.reason = reason::kGivenByCaller;
  records.push_back(std::move(record));
  return true;
}

// The log is not told what the caller knows. The record of what was set is the first one.
void EventFiring::drop_if_mode_stays(std::vector<EventRecord>& records) const {
  if (instant_.published == 0 && !records.empty() && records.front().from == records.front().to)
    records.erase(records.begin());
}

}  // namespace slideway
