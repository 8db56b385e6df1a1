// A unilateral constraint: gap(t, x) ≥ 0, kept by a force Λ ≥ 0 that only pushes.
//
//     x' = f(t, x, λ) + Σ b(t, x) Λ,      0 ≤ Λ ⊥ gap ≥ 0
//
// The force acts on the second derivative of the gap: ∇gap·b = 0, and it opens the gap, ∂(d gap/dt)/∂x·b > 0. At an
// impact the impulse along b turns the gap's velocity u < 0 into −e·u; while closed Λ keeps the second derivative of the
// gap at 0, and the contact is released when Λ would pull.
//
// With friction the force has a part along c(t, x), no larger than μΛ, that acts against the velocity s = h(t, x) of the surfaces on
// each other. The guard of a surface k of the system is s, and its relay tells the part:
//
//     x' = f(t, x, λ) + Σ (b − μλₖc)Λ,      λₖ = ±1 while they slip, λₖ in [−1, 1] with s = 0 while they stick
//
// The friction Q of surfaces that slide on each other in a plane has two parts, along c₁ and c₂, and its bound is a cone. No surface of
// the system belongs to it:
//
//     x' = f(t, x, λ) + Σ (bΛ + c₁Q₁ + c₂Q₂),      Q = −μΛ·v/|v| while they slip, |Q| ≤ μΛ with v = 0 while they stick
//
// It must not know integrators.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "slideway/model/guard.hpp"

namespace slideway {

// How a unit of force enters the derivatives, n entries; they arrive filled with zeros.
using ForceFunction = std::function<void(double t, ConstVectorRef x, VectorRef b)>;
// Its derivative along (t_dot, x_dot), likewise. Optional; differences without it.
using ForceAlongFunction =
    std::function<void(double t, ConstVectorRef x, double t_dot, ConstVectorRef x_dot, VectorRef b_dot)>;
using CoefficientFunction = std::function<double(double t, ConstVectorRef x)>;
using CoefficientAlongFunction =
    std::function<double(double t, ConstVectorRef x, double t_dot, ConstVectorRef x_dot)>;

// Coulomb's friction of a contact.
struct ContactFriction {
  std::string name = {};  // of its force where it is observed; "friction of CONTACT" if empty
  Index surface = 0;      // of the system; its guard is the velocity s
  // μ ≥ 0. Required.
  CoefficientFunction coefficient = {};
  CoefficientAlongFunction coefficient_along = {};
  // c = how a unit of force in the direction of s enters the derivatives. Required.
  ForceFunction acts_on = {};
  ForceAlongFunction acts_on_along = {};
  // The states that c enters, as Contact::acts_on_states.
  std::optional<std::vector<Index>> acts_on_states = {};
};

// Coulomb's friction of a contact in the plane of its surfaces.
struct ConeFriction {
  // `names` are those of the two observables for the parts of the friction; empty ones become "friction 1 of CONTACT" and "friction 2 of CONTACT".
  std::array<std::string, 2> names = {};
  // v₁ and v₂, the velocities of the surfaces on each other along two directions that are orthogonal. Required.
  std::array<Guard, 2> velocities = {};
  // μ ≥ 0. Required.
  CoefficientFunction coefficient = {};
  CoefficientAlongFunction coefficient_along = {};
  // The ratio ≥ 1 of what it holds at rest to μΛ. Optional; 1 without it.
  CoefficientFunction at_rest = {};
  // c₁ and c₂ = how a unit of force in the directions of v₁ and v₂ enters the derivatives. Required.
  std::array<ForceFunction, 2> acts_on = {};
  std::array<ForceAlongFunction, 2> acts_on_along = {};
  // The states that c₁ and c₂ enter, as Contact::acts_on_states.
  std::optional<std::vector<Index>> acts_on_states = {};
};

// ImpactLaw says what the restitution e relates: the velocities, u⁺ = −e·u⁻ (Newton), or the impulses after and
// before the gap's velocity is 0 (Poisson). Both agree without friction where one gap is hit alone.
enum class ImpactLaw { newton, poisson };

// ImpactFriction says which velocity s the friction is against in the impact of one contact: the one at each moment of the impact,
// which is followed while it slips, stops, sticks or slips back (Routh), or the one at its end (Moreau, Glocker),
//     Q = −μP·sgn(s⁺),  |Q| ≤ μP where s⁺ = 0.
// Contacts that are hit at once, and friction in a plane, always take the one at the end.
enum class ImpactFriction { followed, at_end };

struct Contact {
  std::string name = {};  // for the event log
  Guard gap = {};         // required, positive while open
  // b = how a unit force enters the derivatives. Required.
  ForceFunction acts_on = {};
  ForceAlongFunction acts_on_along = {};
  // acts_on_states lists the states that b enters; it is zero in all others. It is optional, for systems with
  // many states: without it they are found by trying, at a few states and wherever a force is needed.
  std::optional<std::vector<Index>> acts_on_states = {};
  // The restitution e in [0, 1] as a function of the approach speed −u > 0, in units of the gap per unit of time.
  std::function<double(double approach_speed)> restitution = [](double) { return 0.0; };
  // Optional, in place of `restitution`: e where it depends on the state too, as on a parameter that is one.
  std::function<double(double approach_speed, ConstVectorRef x)> restitution_at = {};
  std::optional<ContactFriction> friction = {};
  // Friction in a plane, in place of `friction`.
  std::optional<ConeFriction> cone = {};
  ImpactLaw impact_law = ImpactLaw::newton;
  // impact_friction says how `friction` acts in an impact of this contact alone; without `friction` it means nothing.
  ImpactFriction impact_friction = ImpactFriction::followed;

  double restitution_of(double approach_speed, ConstVectorRef x) const {
    return restitution_at ? restitution_at(approach_speed, x) : restitution(approach_speed);
  }

  // b += what a unit force and the friction that goes with it add to the derivatives; `unit`, n zeros, is left so.
  void add_unit_force(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef unit, VectorRef b) const {
    acts_on(t, x, b);
    if (!friction) return;
    friction->acts_on(t, x, unit);
    b -= friction->coefficient(t, x) * lambda[friction->surface] * unit;
    unit.setZero();
  }
};

}  // namespace slideway
