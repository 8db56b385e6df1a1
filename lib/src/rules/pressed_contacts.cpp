#include "rules/pressed_contacts.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/state_errors.hpp"
#include "rules/touching_contacts.hpp"
#include "simulate/held_surfaces.hpp"
#include "simulate/precision.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

Side pressing_side(const RunState& now, Index surface, const std::vector<Index>& contacts) {
  const ContactModes closed = now.regime.contacts.with(contacts);
  Vector lambda = now.regime.lambda();
  Vector below, above;
  try {
    lambda[surface] = -1;
    below = now.here->contacts->forces(now.t, now.x, lambda, closed).normal;
    lambda[surface] = 1;
    above = now.here->contacts->forces(now.t, now.x, lambda, closed).normal;
  } catch (const std::runtime_error&) {
    // These contacts cannot all be closed together.
    below = above = Vector();
  }
  Index votes = 0;
  for (Index c = 0; c < below.size(); ++c) {
    if (!(std::abs(above[c] - below[c]) > kNoEffect * (std::abs(above[c]) + std::abs(below[c])))) continue;
    votes += above[c] > below[c] ? 1 : -1;
  }
  if (votes == 0) {
    const int side = now.here->resolver.zero_sides().side(surface);
    return side == 0 ? now.regime.mode()[surface] : side > 0 ? Side::plus : Side::minus;
  }
  return votes > 0 ? Side::plus : Side::minus;
}

namespace {

// is_stopped_by() tells whether a surface that has just been left cannot be while this contact is closed and the
// others slide.
bool is_stopped_by(const RunState& now, Index contact, Index surface) {
  std::vector<Index> sliding;
  now.regime.mode().list_sliding(sliding);
  Vector ahead = now.x;
  add_errors(now.weights, ahead);
  // The constraints disturb each other; their turns shrink by the masses that they share.
  for (int turn = 0; turn < kConstraintTurns; ++turn) {
    const Vector before = ahead;
    if (!now.here->contacts->project(now.t, {contact}, now.regime.lambda(), now.regime.contacts, now.weights,
                                     ahead))
      return false;
    if (!sliding.empty()) now.here->geometry.project(now.t, sliding, now.weights, ahead);
    if ((ahead - before).cwiseProduct(now.weights).lpNorm<Eigen::Infinity>() <= kSettledPart) break;
  }
  Vector h(now.regime.mode().size());
  now.here->evaluator.guards(now.t, ahead, h);
  return std::abs(h[surface]) <=
         kHeldPart * now.here->geometry.tolerance(now.t, now.x, surface, now.weights) +
             kZeroFactor * now.here->geometry.rounding(now.t, now.x, surface);
}

}  // namespace

std::vector<Index> pressed_by_leaving(const RunState& now, const Mode& before) {
  std::vector<Index> pressed;
  if (!now.here->contacts || before.size() < now.regime.mode().size()) return pressed;
  const ContactDynamics& contacts = *now.here->contacts;
  std::vector<Index> left;
  for (Index i = 0; i < now.regime.mode().size(); ++i) {
    if (before.slides_on(i) && !now.regime.mode().slides_on(i)) left.push_back(i);
  }
  if (left.empty()) return pressed;
  for (const Index c : touching_contacts(now, false)) {
    if (now.regime.contacts.is_closed(c)) continue;
    const double rate = contacts.rate(now.t, now.x, now.regime.lambda(), c);
    if (std::abs(rate) >
        contacts.rate_rounding(now.t, now.x, now.regime.lambda(), c, now.weights, now.impact_noise))
      continue;
    for (const Index i : left) {
      if (!is_stopped_by(now, c, i)) continue;
      const double side = now.regime.mode()[i] == Side::minus ? -1 : 1;
      Vector ahead = now.x;
      const double change = side * now.here->geometry.tolerance(now.t, now.x, i, now.weights);
      if (!now.here->geometry.change_guard(now.t, i, change, now.weights, ahead)) continue;
      if (!(contacts.rate(now.t, ahead, now.regime.lambda(), c) < rate)) continue;
      pressed.push_back(c);
      break;
    }
  }
  return pressed;
}

Meeting with_freed(RunState& now, const Meeting& meeting, const std::vector<Index>& held) {
  Meeting joined = meeting;
  std::vector<Index> still_held = held_by(now, now.regime.contacts.closed);
  const std::vector<Index> by_sliding =
      now.here->resolver.zero_sides().held(now.t, now.x, now.regime.mode(), now.weights);
  still_held.insert(still_held.end(), by_sliding.begin(), by_sliding.end());
  std::vector<Index> on_surface = now.here->ode.field().sliding();
  for (const Index i : held) {
    const auto is_met = [&](const Met& met) { return met.surface == i; };
    if (contains(still_held, i) || std::any_of(joined.met.begin(), joined.met.end(), is_met)) continue;
    // Its relay was at the end that presses, and the force has just come to zero.
    joined.met.push_back({.surface = i,
                          .minus_vanishes = now.regime.mode()[i] == Side::minus,
                          .plus_vanishes = now.regime.mode()[i] == Side::plus,
                          .away = now.here->guards.away(i, now.t)});
  }
  if (joined.met.size() == meeting.met.size()) return joined;
  std::sort(joined.met.begin(), joined.met.end(),
            [](const Met& first, const Met& second) { return first.surface < second.surface; });
  for (const Met& met : joined.met) {
    if (!contains(on_surface, met.surface)) on_surface.push_back(met.surface);
  }
  std::sort(on_surface.begin(), on_surface.end());
  now.here->geometry.project(now.t, on_surface, now.weights, now.x);
  return joined;
}

std::optional<Meeting> with_dependents(const RunState& now, const Meeting& meeting) {
  const bool any_ends = std::any_of(meeting.met.begin(), meeting.met.end(),
                                    [&](const Met& met) { return now.regime.mode().slides_on(met.surface); });
  ZeroSides& sides = now.here->resolver.zero_sides();
  if (!any_ends || !sides.any()) return std::nullopt;
  std::optional<Meeting> joined;
  for (const Index i : sides.held(now.t, now.x, now.regime.mode(), now.weights)) {
    const auto is_met = [&](const Met& met) { return met.surface == i; };
    if (std::any_of(meeting.met.begin(), meeting.met.end(), is_met)) continue;
    if (!joined) joined = meeting;
    joined->met.push_back({.surface = i, .away = now.here->guards.away(i, now.t)});
  }
  if (joined)
    std::sort(joined->met.begin(), joined->met.end(),
              [](const Met& first, const Met& second) { return first.surface < second.surface; });
  return joined;
}

}  // namespace slideway
