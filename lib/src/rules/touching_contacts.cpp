#include "rules/touching_contacts.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/number_text.hpp"
#include "simulate/precision.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

void put_on_gaps(RunState& now, const std::vector<Index>& contacts) {
  for (int turn = 0;
       turn < kGapTurns && !now.here->contacts->correct_gaps(now.t, contacts, now.weights, now.x); ++turn) {
  }
}

std::vector<Index> touching_contacts(const RunState& now, bool was_reset) {
  std::vector<Index> touching;
  if (!now.here->contacts) return touching;
  for (Index c = 0; c < now.here->contacts->contacts(); ++c) {
    const double gap = now.here->contacts->gap(now.t, now.x, c);
    const bool was_closed = now.regime.contacts.is_closed(c) || now.here->guards.contact(c).left;
    const double zero = kZeroFactor * now.here->contacts->rounding(now.t, now.x, c) +
                        (was_closed ? now.here->contacts->tolerance(now.t, now.x, c, now.weights) : 0.0);
    if (gap > zero) continue;
    // Only a reset can put a state where it must not be; an integrator that does so makes an error.
    if (was_reset && gap < -zero &&
        gap < -kWrongWayFactor * now.here->contacts->tolerance(now.t, now.x, c, now.weights)) {
      throw std::runtime_error("the state violates contact '" + now.here->contacts->contact(c).name +
                               "': its gap is " + number_text(gap) + " at t = " + number_text(now.t) +
                               " after a jump, expected >= 0");
    }
    touching.push_back(c);
  }
  return touching;
}

bool only_touches(const RunState& now, Index contact) {
  ContactDynamics& contacts = *now.here->contacts;
  Vector state(now.x.size());
  const double approach = -contacts.rate(now.t, now.x, now.regime.lambda(), contact);
  const double ahead = kPartOfStep * now.stepper->last_step_size();
  const double t = std::min(now.t + ahead, now.step.end);
  if (!(t > now.t)) return false;
  now.stepper->evaluate(t, state);
  const double acceleration =
      (contacts.rate(t, state, now.regime.lambda(), contact) + approach) / (t - now.t);
  if (!(acceleration > 0)) return false;
  const double start = std::max(now.step.end - now.stepper->last_step_size(), now.regime.since);
  now.stepper->evaluate(start, state);
  const double rounding = contacts.rounding(start, state, contact);
  return 0.5 * approach * approach / acceleration <= kZeroFactor * rounding;
}

}  // namespace slideway
