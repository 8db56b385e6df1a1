// The formulas of Dormand and Prince, by Boost.Odeint: one step at a time, and nothing about how long it should be.
//
// It must not know step size control. Its source file is the only one that includes Odeint.
#pragma once

#include <array>
#include <memory>
#include <span>

#include "integrate/checked_ode.hpp"
#include "integrate/dop853_coefficients.hpp"
#include "integrate/runge_kutta_step.hpp"
#include "slideway/core/types.hpp"

namespace slideway {

// Order 5(4), with its continuous extension of order 4.
class OdeintDopri5 {
 public:
  explicit OdeintDopri5(Index states);
  ~OdeintDopri5();

  // begin() comes before the first step of every start.
  void begin();
  // Fills the second half of `step`; false if a velocity is not usable. Six evaluations.
  [[nodiscard]] bool advance(CheckedOde& ode, RungeKuttaStep& step);
  // x(t + h/2) − x(t) by the continuous extension of the last step, which must be `step`, not projected since.
  // Valid until the next call of a member.
  const Vector& halfway(const RungeKuttaStep& step) const;
  // The same, where only the entries of these states are looked at.
  const Vector& halfway(const RungeKuttaStep& step, std::span<const int> states) const;
  // last_stage() and its state belong to stage 6 of the last step, which is at the same time as x_new.
  const Vector& last_stage() const;
  const Vector& last_stage_state() const;

 private:
  struct Formula;
  // kStates is the number of states, or −1 for any number of them.
  template <int kStates>
  struct FormulaOf;
  std::unique_ptr<Formula> formula_;
};

// Order 8 (dop853_coefficients.hpp), by Odeint's generic stepper: the new state alone, without errors and what is between the ends.
class OdeintDop853 {
 public:
  explicit OdeintDop853(Index states);
  ~OdeintDop853();

  // Finds x_new; false if a velocity is not usable. Eleven evaluations.
  [[nodiscard]] bool advance(CheckedOde& ode, RungeKuttaStep& step);
  // stage() returns the velocity of a stage from 2 to 12 of the last step. The state is that of the last stage,
  // which is at the same time as x_new.
  const Vector& stage(int number) const;
  const Vector& last_stage_state() const;

 private:
  struct Formula;
  // kStates is the number of states, or −1 for any number of them.
  template <int kStates>
  struct FormulaOf;
  std::unique_ptr<Formula> formula_;
};

}  // namespace slideway
