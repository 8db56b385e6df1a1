// A unilateral constraint: gap(t, x) ≥ 0, kept by a force Λ ≥ 0 that only pushes.
//
//     x' = f(t, x, λ) + Σ b(t, x) Λ,      0 ≤ Λ ⊥ gap ≥ 0
//
// The force acts on the second derivative of the gap: ∇gap·b = 0, and it opens the gap, ∂(d gap/dt)/∂x·b > 0. At an
// impact the impulse along b turns the gap's velocity u < 0 into −e·u; while closed Λ keeps the second derivative of the
// gap at 0, and the contact is released when Λ would pull.
// It must not know integrators.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "slideway/model/guard.hpp"

namespace slideway {

struct Contact {
  std::string name = {};  // for the event log
  Guard gap = {};         // required, positive while open
  // b = how a unit force enters the derivatives, n entries; arrives filled with zeros. Required.
  std::function<void(double t, ConstVectorRef x, VectorRef b)> acts_on = {};
  // For systems with many states, optional: the states that b enters; it is zero in all others. Without them they are found
  // by trying, at a few states and wherever a force is needed.
  std::optional<std::vector<Index>> acts_on_states = {};
  // The restitution e in [0, 1] as a function of the approach speed −u > 0, in units of the gap per unit of time.
  std::function<double(double approach_speed)> restitution = [](double) { return 0.0; };
  // Optional, in place of `restitution`: e where it depends on the state too, as on a parameter that is one.
  std::function<double(double approach_speed, ConstVectorRef x)> restitution_at = {};

  double restitution_of(double approach_speed, ConstVectorRef x) const {
    return restitution_at ? restitution_at(approach_speed, x) : restitution(approach_speed);
  }
};

}  // namespace slideway
