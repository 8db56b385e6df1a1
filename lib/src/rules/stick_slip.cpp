#include "rules/stick_slip.hpp"

#include <algorithm>

#include "simulate/precision.hpp"
#include "simulate/reasons.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

std::optional<StickSlip> turn_stick_slip(RunState& now, const std::vector<Index>& arrived) {
  if (arrived.empty()) return std::nullopt;
  const ContactDynamics& contacts = *now.here->contacts;
  ContactModes& modes = now.regime.contacts;
  StickSlip turn{.record = now.begun(EventKind::crossing)};
  for (const Index c : arrived)
    if (modes.sticks(c)) turn.stuck.push_back(c);
  bool any_stops = false;
  for (const Index c : arrived) {
    if (!modes.is_closed(c)) continue;
    PlaneFriction& friction = modes.friction(c);
    if (friction.sticks) {
      friction.breaks_away = true;
    } else {
      // The guards of slip that begins go by the friction that would hold here.
      ContactModes there = modes;
      if (friction.begins) there = contacts.forces(now.t, now.x, now.regime.lambda(), modes).modes;
      // It is the begin alone that is over, where it does not end in the way back.
      const bool has_begun =
          friction.begins &&
          contacts.begin_guard(now.t, now.x, there, c) <
              contacts.stick_slip_guard(now.t, now.x, there, c).value &&
          contacts.slip_speed(now.t, now.x, c) > contacts.slip_rounding(now.t, now.x, c, now.impact_noise);
      if (has_begun || !contacts.is_slow(now.t, now.x, modes, c)) {
        contacts.end_begin(now.t, now.x, c, modes);
        continue;
      }
      if (contacts.slips_on(now.t, now.x, now.regime.lambda(), there, c)) continue;
      contacts.end_begin(now.t, now.x, c, modes);
      friction.sticks = true;
      any_stops = true;
    }
    turn.turned.push_back(c);
  }
  if (any_stops) contacts.project(now.t, modes.closed, now.regime.lambda(), modes, now.weights, now.x);
  contacts.find_directions(now.t, now.x, now.regime.lambda(), modes, now.impact_noise);
  return turn;
}

void note_stick_slip(const RunState& now, StickSlip& turn) {
  const ContactDynamics& contacts = *now.here->contacts;
  bool any_sticks = false, any_slips = false;
  for (const Index c : turn.turned) {
    const auto place =
        std::find(contacts.cones().begin(), contacts.cones().end(), c) - contacts.cones().begin();
    now.list(now.regime.mode().size() + contacts.contacts() + static_cast<Index>(place), turn.record);
    const bool sticks = now.regime.contacts.is_closed(c) && now.regime.contacts.sticks(c);
    any_sticks = any_sticks || (sticks && !contains(turn.stuck, c));
    any_slips = any_slips || (!sticks && contains(turn.stuck, c));
  }
  turn.record.kind = any_sticks && any_slips ? EventKind::corner
                     : any_sticks            ? EventKind::sliding_entry
                     : any_slips             ? EventKind::sliding_exit
                                             : EventKind::crossing;
  turn.record.reason = any_sticks  ? reason::kFrictionHolds
                       : any_slips ? reason::kFrictionAtBound
                                   : reason::kSlipsOtherWay;
  now.end(turn.record);
}

}  // namespace slideway
