// ModeManager and the surfaces whose guards closed contacts hold at zero. A block that is pressed against a stop has no velocity,
// whatever its friction does. The friction cannot be told from the force of the stop.
//
// Any λ in [−1, 1] is a solution there, all with the same motion. The one that presses the contacts most keeps them closed as long as
// any can: the block leaves when it has to, and nothing else happens until then.

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "rules/mode_manager.hpp"
#include "rules/touching_contacts.hpp"
#include "simulate/held_surfaces.hpp"
#include "simulate/precision.hpp"
#include "simulate/reasons.hpp"
#include "simulate/run_shared.hpp"
#include "slideway/core/state_errors.hpp"

namespace slideway {

Side ModeManager::pressing_side(Index surface, const std::vector<Index>& contacts) {
  Side side = now_.mode[surface];
  now_.here->contacts->set_closed(contacts);
  now_.mode.fill_lambda(now_.lambda);
  Vector below, above;
  try {
    now_.lambda[surface] = -1;
    below = now_.here->contacts->forces(now_.t, now_.x, now_.lambda);
    now_.lambda[surface] = 1;
    above = now_.here->contacts->forces(now_.t, now_.x, now_.lambda);
  } catch (const std::runtime_error&) {
    // Not all of them can be closed together.
    below = above = Vector();
  }
  Index votes = 0;
  for (Index c = 0; c < below.size(); ++c) {
    if (!(std::abs(above[c] - below[c]) > kNoEffect * (std::abs(above[c]) + std::abs(below[c])))) continue;
    votes += above[c] > below[c] ? 1 : -1;
  }
  if (votes != 0) side = votes > 0 ? Side::plus : Side::minus;
  now_.mode.fill_lambda(now_.lambda);
  return side;
}

// Whether a surface that has just been left cannot be while this contact is closed and the others slide.
bool ModeManager::is_stopped_by(Index contact, Index surface) {
  now_.mode.list_sliding(on_surface_);
  Vector ahead = now_.x;
  add_errors(now_.weights, ahead);
  // The constraints disturb each other; their turns shrink by the masses that they share.
  for (int turn = 0; turn < kConstraintTurns; ++turn) {
    const Vector before = ahead;
    if (!now_.here->contacts->project(now_.t, {contact}, now_.lambda, now_.weights, ahead)) return false;
    if (!on_surface_.empty()) now_.here->geometry.project(now_.t, on_surface_, now_.weights, ahead);
    if ((ahead - before).cwiseProduct(now_.weights).lpNorm<Eigen::Infinity>() <= kSettledPart) break;
  }
  Vector h(now_.mode.size());
  now_.here->evaluator.guards(now_.t, ahead, h);
  return std::abs(h[surface]) <=
         kHeldPart * now_.here->geometry.tolerance(now_.t, now_.x, surface, now_.weights) +
             kZeroFactor * now_.here->geometry.rounding(now_.t, now_.x, surface);
}

std::vector<Index> ModeManager::pressed_by_leaving(const Mode& before) {
  std::vector<Index> pressed;
  if (!now_.here->contacts || before.size() < now_.mode.size()) return pressed;
  ContactDynamics& contacts = *now_.here->contacts;
  std::vector<Index> left;
  for (Index i = 0; i < now_.mode.size(); ++i) {
    if (before.slides_on(i) && !now_.mode.slides_on(i)) left.push_back(i);
  }
  if (left.empty()) return pressed;
  now_.mode.fill_lambda(now_.lambda);
  for (const Index c : touching_contacts(now_, instant_.was_reset)) {
    if (contains(contacts.closed(), c)) continue;
    const double rate = contacts.rate(now_.t, now_.x, now_.lambda, c);
    if (std::abs(rate) > contacts.rate_rounding(now_.t, now_.x, now_.lambda, c, now_.weights)) continue;
    for (const Index i : left) {
      if (!is_stopped_by(c, i)) continue;
      const double side = now_.mode[i] == Side::minus ? -1 : 1;
      Vector ahead = now_.x;
      const double change = side * now_.here->geometry.tolerance(now_.t, now_.x, i, now_.weights);
      if (!now_.here->geometry.change_guard(now_.t, i, change, now_.weights, ahead)) continue;
      if (!(contacts.rate(now_.t, ahead, now_.lambda, c) < rate)) continue;
      pressed.push_back(c);
      break;
    }
  }
  return pressed;
}

bool ModeManager::close_pressed(const std::vector<Index>& pressed, EventRecord& record) {
  for (const Index c : pressed) now_.here->guards.leave_contact(c);
  instant_.moved = false;
  std::vector<EventRecord>& records = instant_.open_records(false);
  const bool goes_on = settle_mode(false, records, pressed);
  if (!goes_on) {
    log_.report(std::move(record));
    publish();
    return false;
  }
  // They are told by that of the surfaces.
  records.clear();
  for (const Index c : pressed) {
    if (!contains(now_.here->contacts->closed(), c)) continue;
    now_.list(now_.mode.size() + c, record);
    record.kind = EventKind::corner;
  }
  record.reason += reason::kHeldByContacts;
  record.to = now_.word();
  return true;
}

Meeting ModeManager::with_freed(const Meeting& meeting, const std::vector<Index>& held) {
  Meeting joined = meeting;
  const std::vector<Index> still_held = held_by(now_, now_.here->contacts->closed());
  std::vector<Index> on_surface = now_.here->ode.field().sliding();
  for (const Index i : held) {
    const auto is_met = [&](const Met& met) { return met.surface == i; };
    if (contains(still_held, i) || std::any_of(joined.met.begin(), joined.met.end(), is_met)) continue;
    // Its relay was at the end that presses, and the force has just come to zero.
    joined.met.push_back({.surface = i,
                          .minus_vanishes = now_.mode[i] == Side::minus,
                          .plus_vanishes = now_.mode[i] == Side::plus,
                          .away = now_.here->guards.away(i, now_.t)});
  }
  if (joined.met.size() == meeting.met.size()) return joined;
  std::sort(joined.met.begin(), joined.met.end(),
            [](const Met& first, const Met& second) { return first.surface < second.surface; });
  for (const Met& met : joined.met) {
    if (!contains(on_surface, met.surface)) on_surface.push_back(met.surface);
  }
  std::sort(on_surface.begin(), on_surface.end());
  now_.here->geometry.project(now_.t, on_surface, now_.weights, now_.x);
  return joined;
}

}  // namespace slideway
