// ModeManager where the caller of a run sets its state: what follows is what follows from a time event.

#include <utility>

#include "rules/mode_manager.hpp"

namespace slideway {

namespace {
constexpr const char* kGivenByCaller = "the caller of the run has set what it follows from";
}  // namespace

bool ModeManager::take_state(const Vector& x) {
  now_.here->stepper->error_weights(now_.x, now_.weights);
  Arrivals& arrivals = arrived_.arrivals();
  arrivals.clear();
  arrivals.stage = Arrivals::Stage::over;
  arrivals.given = &x;
  begin_instant(false);
  instant_.before = now_.x;
  return jump(arrivals);
}

// The field may read more than the state, so the mode is found anew even where the state is as it was.
bool EventFiring::take_state(const Vector& x, std::vector<EventRecord>& records) {
  EventRecord record = now_.begun(EventKind::sample);
  record.round = instant_.round;
  if (!now_.keeps_states()) record.before.resize(0);
  if (!set_state("the caller of the run", "", x)) return false;
  instant_.moved = true;
  if (now_.keeps_states()) record.after = now_.x;
  record.to = now_.word();
  record.reason = kGivenByCaller;
  records.push_back(std::move(record));
  return true;
}

// The log is not told what the caller knows. The record of what was set is the first one.
void EventFiring::drop_if_mode_stays(std::vector<EventRecord>& records) const {
  if (instant_.published == 0 && !records.empty() && records.front().from == records.front().to)
    records.erase(records.begin());
}

}  // namespace slideway
