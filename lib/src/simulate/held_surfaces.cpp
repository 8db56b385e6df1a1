#include "simulate/held_surfaces.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "core/state_errors.hpp"
#include "simulate/run_shared.hpp"
#include "simulate/zero_sides.hpp"

namespace slideway {

std::vector<Index> held_by(const RunState& now, const std::vector<Index>& contacts, bool also_sliding) {
  std::vector<Index> held;
  if (contacts.empty() || now.regime.mode().size() == 0) return held;
  Vector h(now.regime.mode().size());
  now.here->evaluator.guards(now.t, now.x, h);
  std::vector<Index> candidates;
  for (Index i = 0; i < now.regime.mode().size(); ++i) {
    if (now.regime.mode().slides_on(i) && !also_sliding) continue;
    if (std::abs(h[i]) <= kWrongWayFactor * now.here->geometry.tolerance(now.t, now.x, i, now.weights))
      candidates.push_back(i);
  }
  if (candidates.empty()) return held;
  const Vector at_start = h;
  Vector before = h;
  Vector there = now.x;
  if (!now.here->contacts->project(now.t, contacts, now.regime.lambda(), now.regime.contacts, now.weights,
                                   there))
    return held;
  now.here->evaluator.guards(now.t, there, h);
  // A contact that turns, as a bead on a round wall does, holds another velocity the next moment.
  Vector free(now.x.size());
  now.here->contacts->free_evaluator().field(now.t, there, now.regime.lambda(), free);
  Vector forced = free;
  try {
    now.here->contacts->add_forces(now.t, there, now.regime.lambda(), now.regime.contacts.with(contacts), {},
                                   forced);
  } catch (const std::runtime_error&) {
    forced.setConstant(kNotANumber);
  }
  const Vector sizes = free.cwiseAbs() + forced.cwiseAbs();
  const auto stays = [&](Index i) {
    return std::abs(now.here->evaluator.guard_rate(now.t, there, forced, i)) <=
           kHeldPart * now.here->geometry.rate_size(now.t, there, sizes, i);
  };
  // Shifts that the contacts take away again do not move what they hold.
  struct Candidate {
    Index surface = 0;
    double error = 0, rounding = 0;  // of its guard
  };
  std::map<int, std::vector<Candidate>> by_shift;
  for (const Index i : candidates) {
    const Candidate one{.surface = i,
                        .error = now.here->geometry.tolerance(now.t, now.x, i, now.weights),
                        .rounding = kZeroFactor * now.here->geometry.rounding(now.t, now.x, i)};
    if (!(std::abs(h[i]) <= kHeldPart * one.error + one.rounding) || !stays(i)) continue;
    const double times = errors_beyond_rounding(one.error, one.rounding, now.options.rtol);
    by_shift[static_cast<int>(std::ceil(std::log2(times)))].push_back(one);
  }
  Vector nudged, after(now.regime.mode().size());
  // A guard that is flat here, as b⁴ at b = 0, moves under a shift of the states by their whole sizes.
  nudged = now.x;
  add_errors(now.weights * now.options.rtol, nudged);
  now.here->evaluator.guards(now.t, nudged, before);
  for (const auto& [exponent, alike] : by_shift) {
    const double times = std::ldexp(1.0, exponent);
    nudged = now.x;
    add_errors(now.weights / times, nudged);
    if (!now.here->contacts->project(now.t, contacts, now.regime.lambda(), now.regime.contacts, now.weights,
                                     nudged))
      continue;
    now.here->evaluator.guards(now.t, nudged, after);
    for (const Candidate& one : alike) {
      // No contact holds a guard of the time alone.
      const bool sees_states = one.error > 0 || before[one.surface] != at_start[one.surface];
      if (sees_states && std::abs(after[one.surface]) <= kHeldPart * times * one.error + one.rounding)
        held.push_back(one.surface);
    }
  }
  std::sort(held.begin(), held.end());
  return held;
}

bool keeps_its_gap(const RunState& now, Index contact) {
  if (!now.here->ode.slides()) return false;
  ContactDynamics& contacts = *now.here->contacts;
  const double rate = contacts.rate(now.t, now.x, now.regime.lambda(), contact);
  Vector nudged = now.x;
  add_errors(now.weights, nudged);
  const double change = std::abs(contacts.rate(now.t, nudged, now.regime.lambda(), contact) - rate);
  if (!(change > 0) || std::abs(rate) > change) return false;
  try {
    now.here->ode.project(now.t, now.weights, nudged);
  } catch (const std::runtime_error&) {
    return false;
  }
  return std::abs(contacts.rate(now.t, nudged, now.regime.lambda(), contact) - rate) <= kHeldPart * change;
}

}  // namespace slideway
