// ModeManager where a guard changes its sign without being zero: in a pole, as 1/(x − 1) and tan x do. A surface has another side from
// there on, which is a crossing where the motion leads through; an event, which is a zero, does not take place.

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

#include "core/number_text.hpp"
#include "rules/mode_manager.hpp"
#include "simulate/precision.hpp"
#include "simulate/reasons.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

bool ModeManager::passes_pole_of_surface() const {
  return std::any_of(locator_.scanned().poles.begin(), locator_.scanned().poles.end(),
                     [&](Index slot) { return slot < ModeOde::first_slot(now_.mode.size()); });
}

void ModeManager::pass_poles_of_events() {
  for (const Index slot : locator_.scanned().poles) {
    const Index e = slot - now_.here->ode.event_slot(0);
    if (e >= 0) now_.here->guards.pass_pole(e);
  }
}

bool ModeManager::pass_poles_of_surfaces() {
  for (const Index slot : locator_.scanned().poles) {
    // One without a value in the pole itself may have its new side already.
    if (slot >= ModeOde::first_slot(now_.mode.size()) || poles_.guard_of(slot, now_.t) > 0) continue;
    const Index i = slot / 2;
    const Side side = now_.mode[i] == Side::plus ? Side::minus : Side::plus;
    const bool has_effect = now_.here->ode.has_effect(now_.t, now_.x, i);
    const auto stop = [&](const std::string& why) {
      log_.finish(Status::user_function_failed,
                  "the guard of surface '" + now_.surface_name(i) +
                      "' changes its sign in a pole at t = " + number_text(now_.t) + ", " + why);
      return false;
    };
    if (has_effect && !poles_.both_fields_lead_on(i, side))
      return stop(
          "where the motion does not lead through it on both sides: what follows can be told only where a "
          "guard is zero; write it as one that is, such as its reciprocal");
    if (has_effect && !poles_.has_finite_integral(i, side))
      return stop("and so does the derivative of a state, whose integral is infinite there");
    now_.here->guards.drop(i);
    turn_side(i, side, reason::passes_pole(has_effect));
  }
  now_.mode.fill_lambda(now_.lambda);
  now_.here->ode.set_mode(now_.mode, now_.lambda, now_.regime.repelling);
  return true;
}

}  // namespace slideway
