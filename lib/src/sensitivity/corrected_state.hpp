// The state of a recorded solution without the errors of its fast components. A derivative ∂f/∂x or ∂f/∂p of a stiff field varies with
// these errors times the fast rate, so that no shorter step of S' = J S makes its error smaller.
//
// The record x(t) has the defect d = f(t, x) − x', and its error e = x̂ − x obeys e' = J e + d. A component of e whose rate λ is fast
// follows d:  e = −J⁻¹d − J⁻²d' − …. With G = τ(I − τJ)⁻¹, which is −J⁻¹ for |λ|τ ≫ 1 and τ for slow components, x̂ is found in two sweeps
//     x₁ − x = τ (f(t, x₁) − x' − G d'),     x̂ − x₁ = τ (f(t, x̂) − x' − G d').
// With τ a part of the step h, slow components are moved by less than their errors ε, and fast ones are left with about ε/(λτ)².
//
// It must not know what is differentiated, nor events.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "sensitivity/segment_field.hpp"
#include "sensitivity/shifted_factors.hpp"
#include "slideway/simulate/options.hpp"
#include "slideway/simulate/solution.hpp"

namespace slideway {

class CorrectedState {
 public:
  // `options` are those of the run, and `sizes` those of the states at which their relative tolerance ends. The solution must outlive this.
  CorrectedState(const Solution& solution, const Options& options, Vector sizes);

  // goes_on(segment) tells whether a segment continues the one before it without an event.
  using GoesOn = std::function<bool(std::size_t segment)>;

  // Takes up a segment. `extended` is a state of the extended problem, whose parameters count; `field` is the field of the segment, and must
  // outlive the calls that follow.
  void take(std::size_t segment, SegmentField& field, Vector extended, const GoesOn& goes_on);
  // is_recorded() tells whether the record is taken as it is, since it was found by an explicit method up to t.
  bool is_recorded(double t) const;
  // The extended state at t in the segment. It is good up to the next call.
  const Vector& operator()(double t);
  // The same where J alone is taken: the record itself, for as many steps as see J once, where J does not depend on the state.
  const Vector& for_jacobian(double t);

 private:
  // depends_on_state() tells whether J is another one at a state nearby.
  bool depends_on_state(double t);
  // Evaluates J at x_.
  void find_jacobian(double t, Matrix& full, SplitJacobian& parts);
  const Vector& recorded(double t);
  // A segment may be one state.
  bool has_steps() const { return own_steps_ < static_cast<std::ptrdiff_t>(steps_.size()); }
  // A step of the record. An event may cut it off, while its polynomial is that of the whole step. The steps after a cut may be far shorter,
  // and follow errors of fast components. `longest` is the number of the step to take in place of this one, whose polynomial covers it.
  struct Step {
    double start, end, length;
    std::size_t number, longest;  // in the trajectory, and among steps_
  };
  void add_step(std::size_t number);
  const Step& step_at(double t) const;
  // Finds the state of the record at t, by the polynomial of the step, its slope and its defect.
  void find_defect(double t, const Step& step, Vector& state, Vector& defect);
  Vector rate_of_defect(double t, const Step& step);
  // The largest entry, as a part of the sizes of the states.
  double size_of(const Vector& change) const;
  // The velocity at x_ and the factors there; false where the field has none.
  [[nodiscard]] bool find_velocity(double t);
  [[nodiscard]] bool find_factors(double t);
  // Moves the state to x̂, where the record has this slope and its defect this rate; false if there is no solution.
  [[nodiscard]] bool correct(double t, const Vector& slope, const Vector& rate);

  const Trajectory& trajectory_;
  double implicit_from_;
  Vector sizes_;
  Index states_;
  std::size_t segment_ = 0;
  SegmentField* field_ = nullptr;
  std::vector<Step> steps_;       // some before the segment, and its own
  std::ptrdiff_t own_steps_ = 0;  // where these begin
  // J was looked at last at looked_at_, for the steps up to looked_until_.
  double looked_at_ = 0, looked_until_ = 0;
  bool varies_ = true;
  double tau_ = 0;
  ShiftedFactors factors_;
  Vector state_, beside_;  // of the record, at t and at a time beside it
  Vector slope_, defect_, defect_beside_;
  Vector x_, velocity_;  // extended
  Matrix jacobian_, jacobian_beside_;
  SplitJacobian parts_, parts_beside_;
};

}  // namespace slideway
