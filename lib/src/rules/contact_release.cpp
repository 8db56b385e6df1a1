#include "rules/contact_release.hpp"

#include <algorithm>
#include <iterator>

#include "simulate/precision.hpp"
#include "simulate/reasons.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

std::vector<Index> contacts_still_touching(const RunState& now, const Locator& locator) {
  std::vector<Index> touching = now.here->guards.contacts_left();
  std::erase_if(touching, [&](Index c) { return locator.is_armed(now.here->ode.contact_slot(c)); });
  return touching;
}

ContactModes kept_closed(const RunState& now, const std::vector<Index>& touching) {
  return now.here->contacts->staying_closed(now.t, now.x, now.regime.lambda(), now.regime.contacts, touching,
                                            now.impact_noise);
}

void open_contacts(RunState& now, const std::vector<Index>& releases) {
  std::vector<Index> closed = now.regime.contacts.closed;
  std::erase_if(closed, [&](Index c) { return contains(releases, c); });
  now.regime.contacts = kept_closed(now, closed);
}

void open_what_relays_open(RunState& now, std::vector<Index>& releases) {
  for (int turn = 0; now.here->contacts && turn < kContactTurns; ++turn) {
    const std::vector<Index> closed = now.regime.contacts.closed;
    now.regime.contacts = kept_closed(now, closed);
    if (now.regime.contacts.closed == closed) break;
    std::copy_if(closed.begin(), closed.end(), std::back_inserter(releases),
                 [&](Index c) { return !now.regime.contacts.is_closed(c); });
  }
}

void note_releases(const RunState& now, const std::vector<Index>& releases, bool with_another,
                   EventRecord& record) {
  if (!with_another) {
    now.end(record);
    record.reason = reason::kForcePulls;
  }
  for (const Index c : releases) now.list(now.regime.mode().size() + c, record);
  record.kind = with_another ? EventKind::corner : EventKind::release;
}

}  // namespace slideway
