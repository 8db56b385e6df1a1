#include "rules/contact_rest.hpp"

#include <algorithm>
#include <cmath>

#include "core/constants.hpp"
#include "simulate/precision.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

namespace {

// A flight to this height, from which the gap closes with this acceleration, cannot be told from none.
bool is_hidden(const RunState& now, Index contact, double height, double acceleration) {
  return height <= kHardlyOff * now.here->contacts->rounding(now.t, now.x, contact) ||
         2 * std::sqrt(2 * height / acceleration) <= kNoFlight * location_accuracy(now.t, 0);
}

}  // namespace

std::optional<Rest> rest_of(const RunState& now, Index hit, const std::vector<Index>& others,
                            const Vector& sizes) {
  const ContactDynamics& contacts = *now.here->contacts;
  std::vector<Index> closed = now.regime.contacts.closed;
  closed.push_back(hit);
  closed.insert(closed.end(), others.begin(), others.end());
  std::sort(closed.begin(), closed.end());
  Rest rest;
  rest.state = now.x;
  if (!contacts.project(now.t, closed, now.regime.lambda(), now.regime.contacts, now.weights, rest.state))
    return std::nullopt;
  const ContactDynamics::Pressed pressed =
      contacts.pressed_with(hit, now.t, rest.state, now.regime.lambda(), now.regime.contacts, closed);
  Vector rates = Vector::Zero(pressed.forces.size()), gaps = rates;
  for (std::size_t k = 0; k < pressed.contacts.size(); ++k) {
    const Index c = pressed.contacts[k];
    if (now.regime.contacts.is_closed(c)) continue;
    rates[static_cast<Index>(k)] = contacts.rate(now.t, now.x, now.regime.lambda(), c);
    if (c != hit) gaps[static_cast<Index>(k)] = std::max(0.0, contacts.gap(now.t, now.x, c));
  }
  const double energy = pressed.energy(rates, gaps);
  rest.is_hidden = true;
  rest.is_unseen = pressed.pushed.size() > 0 && now.errors.hide(pressed.greatest_change(energy), sizes) &&
                   now.errors.hide(rest.state - now.x, sizes);
  for (std::size_t k = 0; k < pressed.contacts.size(); ++k) {
    const Index c = pressed.contacts[k];
    const auto row = static_cast<Index>(k);
    const double acceleration = pressed.accelerations[k];
    const double height = pressed.greatest_gap(row, energy);
    rest.is_hidden = rest.is_hidden && is_hidden(now, c, height, acceleration);
    rest.is_unseen = rest.is_unseen && height <= contacts.tolerance(now.t, now.x, c, now.weights);
    if (now.regime.contacts.is_closed(c)) continue;
    // The flight to the next impact, then flights of 2ue/a, 2ue²/a, … with u the speed there.
    const double speed = std::sqrt(rates[row] * rates[row] + 2 * acceleration * gaps[row]);
    const double restitution = contacts.contact(c).restitution_of(speed, now.x);
    if (!(restitution < 1)) return std::nullopt;
    const double time = (rates[row] + speed + 2 * speed * restitution / (1 - restitution)) / acceleration;
    rest.contacts.push_back(c);
    rest.remaining = std::max(rest.remaining, time);
    // Impacts of the others may give this contact their energy, too.
    rest.most += 2 * std::max(speed, pressed.greatest_rate(row, energy)) / (acceleration * (1 - restitution));
  }
  if (!contains(rest.contacts, hit)) return std::nullopt;
  if (rest.contacts.size() <= others.size()) {
    closed = now.regime.contacts.closed;
    closed.insert(closed.end(), rest.contacts.begin(), rest.contacts.end());
    std::sort(closed.begin(), closed.end());
    rest.state = now.x;
    if (!contacts.project(now.t, closed, now.regime.lambda(), now.regime.contacts, now.weights, rest.state))
      return std::nullopt;
  }
  return rest;
}

double time_to_disturbance(const RunState& now, const Rest& rest) {
  const ContactDynamics& contacts = *now.here->contacts;
  double time = kInfinity;
  for (Index c = 0; c < contacts.contacts(); ++c) {
    if (contains(rest.contacts, c) || now.regime.contacts.is_closed(c)) continue;
    const double gap = contacts.gap(now.t, now.x, c);
    const double rate = contacts.rate(now.t, now.x, now.regime.lambda(), c);
    if (rate < 0) time = std::min(time, std::max(0.0, gap / -rate));
  }
  return time;
}

}  // namespace slideway
