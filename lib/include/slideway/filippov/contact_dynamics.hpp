// The forces and impulses of the contacts of one system, at one point.
//
//     uᵢ = d gapᵢ/dt,     aᵢ = d²gapᵢ/dt² along f without contact forces,     B(i,j) = ∂uᵢ/∂x·bⱼ
//     closed contacts C      a_C + B_CC Λ_C = 0
//     which stay closed      0 ≤ Λ ⊥ a + BΛ ≥ 0                   over the contacts that touch
//     impact                 0 ≤ P ⊥ u⁺ + e∘u⁻ ≥ 0,  u⁺ = u⁻ + BP,  x⁺ = x⁻ + bP    (Newton's law, Moreau's form)
// Where an integrator cannot project, Λ_C solves a_C + 2αu_C + α²gap_C + B_CC Λ_C = 0 instead (Baumgarte), the same on the
// constraint.
//
// Mutable: it holds the set of contacts that are closed, and belongs to one run. λ, the relays of the surfaces, is frozen.
// It must not know integrators, nor how a point was found.
#pragma once

#include <Eigen/LU>
#include <memory>
#include <vector>

#include "slideway/model/evaluator.hpp"

namespace slideway {

class ContactDynamics {
 public:
  // Of the contacts of `system`.
  explicit ContactDynamics(const System& system);

  Index contacts() const { return static_cast<Index>(definition_.size()); }
  const Contact& contact(Index i) const { return definition_[static_cast<std::size_t>(i)]; }

  void set_closed(std::vector<Index> closed);
  const std::vector<Index>& closed() const { return closed_; }
  // α is at most this; 0 switches it off.
  void stabilise(double rate) { stabilisation_ = rate; }
  // The same, but no more than what the tolerances of the closed gaps and of their velocities have for a time scale: with
  // a larger α, errors that are allowed in the gaps would become velocities that are not.
  void stabilise(double rate, double t, ConstVectorRef x, ConstVectorRef lambda, ConstVectorRef weights);

  // dx += bΛ over the closed contacts, where dx = f(t, x, λ). Throws std::runtime_error where the forces are not defined.
  void add_forces(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef dx);
  // Λ of every contact, 0 where open, neither clipped nor stabilised. Valid until the next call of a member.
  const Vector& forces(double t, ConstVectorRef x, ConstVectorRef lambda);

  double gap(double t, ConstVectorRef x, Index i) const { return contact(i).gap.value(t, x); }
  // uᵢ.
  double rate(double t, ConstVectorRef x, ConstVectorRef lambda, Index i);
  // d²gapᵢ/dt² under the forces of the contacts that are closed.
  double acceleration(double t, ConstVectorRef x, ConstVectorRef lambda, Index i);
  // What a gap cannot be told from zero by: rounding, 16 ε·(Σ|∂ⱼg||xⱼ| + |∂ₜg||t|); and the tolerances, Σ|∂ⱼg|/weights(j).
  double rounding(double t, ConstVectorRef x, Index i);
  double tolerance(double t, ConstVectorRef x, Index i, ConstVectorRef weights);
  // What its velocity cannot be told from zero by: rounding, of the velocities and of the impacts since begin_instant(),
  // and a small part of what the tolerances change it by, since rounding of a state at rest is relative to nothing.
  double rate_rounding(double t, ConstVectorRef x, ConstVectorRef lambda, Index i, ConstVectorRef weights);

  // The contacts of `touching` (gap and velocity zero) that the forces keep closed. A tie (Λ = 0 and a = 0) counts as
  // closed. Throws std::runtime_error when the complementarity problem has no solution.
  std::vector<Index> staying_closed(double t, ConstVectorRef x, ConstVectorRef lambda,
                                    const std::vector<Index>& touching);

  // With the contacts of `touching` closed: those whose forces press (Λ > 0) and that B connects with contact i, i among
  // them; and for each of them the acceleration at which it would close again were it alone open, Λ/(B⁻¹)ᵢᵢ. Empty
  // where i is not pressed or no forces keep them closed.
  struct Pressed {
    std::vector<Index> contacts = {};
    std::vector<double> accelerations = {};
  };
  Pressed pressed_with(Index i, double t, ConstVectorRef x, ConstVectorRef lambda,
                       const std::vector<Index>& touching);

  // Forgets the impacts that rounding is measured by.
  void begin_instant() { impact_noise_ = 0; }
  // x ← x⁺: the impact of the contacts of `touching` (gap zero, any velocity). `elastic` false takes e = 0.
  struct Impact {
    std::vector<double> approach = {};     // −u⁻ per entry of touching
    std::vector<double> departure = {};    // u⁺
    std::vector<double> restitution = {};  // e; NaN where it does not approach
  };
  Impact impact(double t, ConstVectorRef lambda, const std::vector<Index>& touching, bool elastic,
                VectorRef x);
  // The change of state, b·P, of the impulse that stops contact i.
  const Vector& stopping_impulse(double t, ConstVectorRef x, ConstVectorRef lambda, Index i);

  // One step of a projection onto gap = 0 of these contacts, along W²∇gap; true when they were there, to rounding.
  bool correct_gaps(double t, const std::vector<Index>& contacts, ConstVectorRef weights, VectorRef x);
  // Moves x onto gap = 0 and u = 0 of these contacts: along W²∇gap, then along b. False when that does not converge; x is
  // then unchanged.
  bool project(double t, const std::vector<Index>& contacts, ConstVectorRef lambda, ConstVectorRef weights,
               VectorRef x);

 private:
  void prepare(double t, ConstVectorRef x, ConstVectorRef lambda, const std::vector<Index>& contacts);
  void solve(const std::vector<Index>& contacts);
  void solve_for_forces(double t, ConstVectorRef x, ConstVectorRef lambda, double stabilisation);
  // right_side in units in which every unit force does the same, with what is rounding beside the largest entry as zero.
  void flush(VectorRef right_side) const;
  std::string names(const std::vector<Index>& contacts) const;

  std::vector<Contact> definition_;
  Evaluator evaluator_;
  std::vector<Index> closed_;
  double stabilisation_ = 0;
  double impact_noise_ = 0;

  // Of the contacts at hand, in their order: b by columns, u, a and B; then the solution of B·solution = right_side.
  Matrix directions_, effect_, gradients_;
  Vector rates_, accelerations_, right_side_, solution_;
  Eigen::PartialPivLU<Matrix> factors_;
  Vector field_, along_, acceleration_, value_, gradient_, gaps_, original_, all_forces_, impulse_;
};

// The system with the forces of the contacts that are closed added to its field; its events and contacts stay. The
// dynamics must be those of `system`.
System with_contact_forces(const System& system, std::shared_ptr<ContactDynamics> dynamics);

}  // namespace slideway
