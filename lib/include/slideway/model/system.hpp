// The waist of the library: one piecewise-smooth system, written as a single field
//
//     x' = f(t, x, λ),      λᵢ = sgn(hᵢ(t, x)) set-valued,  i = 1…m,
//
// with λᵢ = +1 where hᵢ > 0, −1 where hᵢ < 0 and anything in [−1, 1] on the switching surface hᵢ = 0 (in ρᵢ·[−1, 1]
// where the surface has a break-away ratio ρᵢ).
// Every door (from_functor, from_signs, from_regions, a model file) produces a System; everything behind
// it sees nothing else.
//
// A System is immutable and holds no numerics: values and whatever exact derivatives the door could supply.
// Evaluator (model/evaluator.hpp) adds finite differences where they are missing.
// It must not know time stepping, modes or sliding.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "slideway/core/pattern.hpp"
#include "slideway/core/types.hpp"
#include "slideway/detail/model/system_rows.hpp"
#include "slideway/model/contact.hpp"
#include "slideway/model/event.hpp"
#include "slideway/model/time_event.hpp"

namespace slideway {

// dx = f(t, x, λ); x and dx have n entries, λ has m. λ may lie anywhere in [−1, 1]ᵐ.
using FieldFunction = std::function<void(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef dx)>;
// h = (h₁ … h_m)(t, x).
using GuardFunction = std::function<void(double t, ConstVectorRef x, VectorRef h)>;
// A matrix-valued derivative of the field at (t, x, λ); the matrix arrives filled with zeros.
using FieldMatrixFunction =
    std::function<void(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef derivative)>;
// A matrix-valued derivative of the guards at (t, x); the matrix arrives filled with zeros.
using GuardMatrixFunction = std::function<void(double t, ConstVectorRef x, MatrixRef derivative)>;
// The field and its derivative along the direction (t_dot, x_dot, lambda_dot):
// dx = f,  dx_dot = ∂f/∂t·t_dot + ∂f/∂x·x_dot + ∂f/∂λ·lambda_dot.
using FieldAlongFunction =
    std::function<void(double t, ConstVectorRef x, ConstVectorRef lambda, double t_dot, ConstVectorRef x_dot,
                       ConstVectorRef lambda_dot, VectorRef dx, VectorRef dx_dot)>;
// The mixed second derivative of the field, ∂²/∂p∂q at p = q = 0 of
//     f(t + p·t_first + q·t_second,  x + p·x_first + q·x_second + p·q·x_mixed,  λ + q·lambda_second).
using FieldMixedFunction =
    std::function<void(double t, ConstVectorRef x, ConstVectorRef lambda, double t_first,
                       ConstVectorRef x_first, double t_second, ConstVectorRef x_second,
                       ConstVectorRef lambda_second, ConstVectorRef x_mixed, VectorRef dx_mixed)>;
// The guards and their derivative along (t_dot, x_dot): h, h_dot = ∂h/∂t·t_dot + ∂h/∂x·x_dot.
using GuardAlongFunction = std::function<void(double t, ConstVectorRef x, double t_dot, ConstVectorRef x_dot,
                                              VectorRef h, VectorRef h_dot)>;
// The mixed second derivative of the guards, ∂²/∂p∂q at p = q = 0 of
//     h(t + p·t_first + q·t_second,  x + p·x_first + q·x_second + p·q·x_mixed).
using GuardMixedFunction =
    std::function<void(double t, ConstVectorRef x, double t_first, ConstVectorRef x_first, double t_second,
                       ConstVectorRef x_second, ConstVectorRef x_mixed, VectorRef h_mixed)>;

class System;

// The constraints of sliding of second or higher order, beside the guards of the system made for it
// (SystemDefinition::second_order).
struct SecondOrder {
  // The chain holds hᵢ and its derivatives along the solution, without the highest one, which is the guard in the new system. They are
  // the guards first … first + count − 1 of `kept`.
  struct Chain {
    Index surface = 0;
    Index first = 0;
    Index count = 0;
  };
  // Bound says that the guard of `surface` is sign · factor · (the guard of `to`), with a positive factor, where
  // the other guards of the chains are zero. The two surfaces then switch together: the new system has guard 1
  // for `surface` and λ of `to` in place of its λ.
  struct Bound {
    Index surface = 0;
    Index to = 0;
    int sign = 1;
  };
  std::shared_ptr<const System> kept = {};  // the chains as guards; its field is 0, and λ does not occur
  std::vector<Chain> chains = {};
  std::vector<Bound> bound = {};
};

// SystemDefinition is everything that a System is made of. `states`, `field` and, with surfaces, `guards` are
// required; the rest is optional. Exact derivatives are used in preference to finite differences wherever they are
// given. The matrices are meant for analytic derivatives, and the *_along and *_mixed functions for dual numbers
// or for products ∂f/∂x·v written by hand, from which Evaluator builds any matrix that is not given. The matrices
// are dense. With thousands of states give field_dx_pattern instead, with field_along or, for differences, alone;
// that costs no more than the entries.
struct SystemDefinition {
  std::string name = {};
  Index states = 0;                             // n ≥ 1
  Index surfaces = 0;                           // m ≥ 0
  std::vector<std::string> state_names = {};    // n entries, or empty for x1, x2, …
  std::vector<std::string> surface_names = {};  // m entries, or empty for h1, h2, …

  FieldFunction field = {};
  GuardFunction guards = {};
  // sides_at_zero tells which value λᵢ has where other surfaces or contacts hold hᵢ at zero and do not depend on λᵢ, and where hᵢ rests at
  // zero on both sides: +1 or −1, as the comparison says that λᵢ stands for, or 0 where nothing says it. m entries, or empty. The power F·v
  // of a block that sticks is such a guard: `F·v > 0` does not hold there, `F·v >= 0` does. The level of an empty tank is another.
  std::vector<int> sides_at_zero = {};

  FieldMatrixFunction field_dx = {};       // n×n: J(i,j) = ∂fᵢ/∂xⱼ
  FieldMatrixFunction field_dlambda = {};  // n×m: J(i,j) = ∂fᵢ/∂λⱼ
  GuardMatrixFunction guards_dx = {};      // m×n: J(i,j) = ∂hᵢ/∂xⱼ
  GuardFunction guards_dt = {};            // m:   ∂hᵢ/∂t
  FieldMatrixFunction normal_dx = {};  // m×n: J(i,j) = ∂wᵢ/∂xⱼ with w = ∂h/∂t + ∂h/∂x·f(t, x, λ)

  FieldAlongFunction field_along = {};
  FieldMixedFunction field_mixed = {};  // serves the derivatives of the forces of contacts
  GuardAlongFunction guards_along = {};
  GuardMixedFunction guards_mixed = {};

  // guards_running_error() sets m entries: bounds of the rounding of `guards` at exact (t, x), in units of ε (autodiff/rounded.hpp). Where
  // it is absent, they are estimated from values beside.
  GuardFunction guards_running_error = {};

  // break_away() sets ρ, m entries, which are all 1 without it. It describes static friction above the kinetic
  // level: the set-valued sign of surface i takes its values in ρᵢ(t, x)·[−1, 1] with ρᵢ ≥ 1, while beside the
  // surface λᵢ is ±1. A block at rest holds up to ρ times the friction force and, once it slips, meets that
  // force alone.
  GuardFunction break_away = {};
  GuardAlongFunction break_away_along = {};  // ρ and its derivative along (t_dot, x_dot)
  // Optional, where the two directions differ: the sign takes its values in [−ρ⁻ᵢ, ρᵢ] with ρ⁻ᵢ ≥ 1, which this sets.
  GuardFunction break_away_below = {};
  GuardAlongFunction break_away_below_along = {};

  // field_dx_pattern tells which derivatives can differ from zero; an absent pattern stands for a full one.
  // Systems with many surfaces need all three to cost no more than their size.
  std::optional<Pattern> field_dx_pattern = {};       // n×n
  std::optional<Pattern> field_dlambda_pattern = {};  // n×m
  std::optional<Pattern> guards_dx_pattern = {};      // m×n

  // Chosen rows of field and guards, at the cost of these rows, with all patterns given. Large systems whose field is not affine need it
  // to follow events where they are (Options::local_events). The values must be those of `field` and `guards`, to rounding.
  ChooseRows rows = {};

  // ∂f/∂λ is constant, as with relays and Coulomb friction under a constant load: one value of f at (t, x) tells those at
  // every λ. Made use of where field_along and field_dlambda_pattern are given.
  bool relays_additive = false;

  // Events beside the surfaces, and unilateral constraints, whose forces come on top of `field`.
  std::vector<Event> events = {};
  std::vector<Contact> contacts = {};
  // time_events happen at known times. An automaton uses those of its initial location, in every location.
  std::vector<TimeEvent> time_events = {};

  // The last so many states are discrete, as the output of a sampled controller is: they change by jumps alone, and their
  // derivatives must be 0. They are states since guards, resets and results read them as such, but an integrator does not get them.
  Index discrete = 0;

  // second_order() returns a system for sliding of second order along surfaces i whose normal components wᵢ
  // depend on no relay where h = 0 on all of them, as that of a super-twisting controller. It has wᵢ for the
  // i-th guards; its guards and field are those at hᵢ = 0. Terms such as √|hᵢ|·sgn hᵢ, which have no derivative
  // there, are gone from it. If no relay is in the derivative of wᵢ either, that derivative takes its place, and
  // so on (`staying`). `surfaces` is sorted and not empty. It returns null where one of them is no such surface.
  // It may take long: it is called where such sliding begins or ends. The patterns tell where wᵢ depends on no
  // relay anywhere, as that of a body at rest on its base (model/second_order_system.hpp).
  std::function<std::shared_ptr<const System>(const std::vector<Index>& surfaces)> second_order = {};
  // `staying` belongs to a system made by `second_order`: it tells what is zero there beside the guards. It is
  // empty where that is hᵢ only.
  std::shared_ptr<const SecondOrder> staying = {};

  // Every h is affine in (t, x): its first derivatives are constants, had once, and its second derivatives zero.
  bool guards_affine = false;
  // f is affine in (t, x, λ) together, as linear plants with relays are; its relays are additive then. Made use of where
  // field_along and all patterns are given.
  bool field_affine = false;
};

// Cheap to copy (a shared handle to an immutable definition); may be used from several threads if the
// callbacks may.
class System {
 public:
  // Throws std::invalid_argument when a required part is missing or a size does not fit.
  explicit System(SystemDefinition definition);

  Index states() const { return definition_->states; }
  Index surfaces() const { return definition_->surfaces; }
  const std::string& name() const { return definition_->name; }
  const std::vector<std::string>& state_names() const { return definition_->state_names; }
  const std::vector<std::string>& surface_names() const { return definition_->surface_names; }

  // breaks_away() tells whether surfaces have break-away ratios (SystemDefinition::break_away).
  bool breaks_away() const { return static_cast<bool>(definition_->break_away); }

  // Throws std::invalid_argument naming the known ones and the nearest when there is no such name.
  Index state_index(const std::string& name) const;
  Index surface_index(const std::string& name) const;

  // `dx` is anything that a VectorRef binds to. A copy of a reference that is read before it has reached the cache costs as
  // much as a small field, so this makes the one that the callback gets.
  template <class Target>
  requires std::convertible_to<Target&&, VectorRef>
  void field(double t, ConstVectorRef x, ConstVectorRef lambda, Target&& dx) const {
    definition_->field(t, x, lambda, Eigen::Map<Vector>(dx.data(), dx.size()));
  }
  void guards(double t, ConstVectorRef x, VectorRef h) const {
    if (definition_->surfaces > 0) definition_->guards(t, x, h);
  }

  const std::vector<Event>& events() const { return definition_->events; }
  const std::vector<Contact>& contacts() const { return definition_->contacts; }
  const std::vector<TimeEvent>& time_events() const { return definition_->time_events; }
  Index discrete() const { return definition_->discrete; }
  // The same system with these events, or contacts, after those it has.
  System with_events(std::vector<Event> events) const;
  System with_contacts(std::vector<Contact> contacts) const;
  System with_time_events(std::vector<TimeEvent> events) const;
  // The system along surfaces that slide in second order; null where one of them cannot, as far as is known.
  std::shared_ptr<const System> second_order(const std::vector<Index>& surfaces) const;

  const SystemDefinition& definition() const { return *definition_; }

 private:
  std::shared_ptr<const SystemDefinition> definition_;
};

// The sizes and names of a system that a door needs (see SystemDefinition).
struct Dimensions {
  Index states = 0;
  Index surfaces = 0;
  std::string name = {};
  std::vector<std::string> state_names = {};
  std::vector<std::string> surface_names = {};
  // The number of discrete states; they are the last ones (SystemDefinition::discrete). Their derivatives are 0, whatever the user's
  // field sets.
  Index discrete = 0;
};

}  // namespace slideway
