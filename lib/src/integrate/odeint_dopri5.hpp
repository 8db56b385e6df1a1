// Boost.Odeint's formula of Dormand and Prince, order 5(4), with its continuous extension of order 4: one step at a time,
// and nothing about how long it should be.
//
// It must not know step size control. Its source file is the only one that includes Odeint.
#pragma once

#include <memory>
#include <span>

#include "integrate/checked_ode.hpp"
#include "slideway/core/types.hpp"

namespace slideway {

class OdeintDopri5 {
 public:
  explicit OdeintDopri5(Index states);
  ~OdeintDopri5();

  // What a step starts from and makes; all vectors have n entries.
  struct Step {
    double t = 0;
    double h = 0;
    double latest = 0;           // no stage is evaluated later, whatever rounding makes of t + h
    Vector x, velocity;          // at t
    Vector x_new, velocity_new;  // at t + h
    Vector error;                // of x_new: the difference of the orders 5 and 4
  };
  // Fills the second half of `step`; false if a velocity is not usable. Six evaluations.
  [[nodiscard]] bool advance(CheckedOde& ode, Step& step);
  // x(t + h/2) − x(t) by the continuous extension of the last step, which must be `step`, not projected since.
  // Valid until the next call of a member.
  const Vector& halfway(const Step& step) const;
  // The same, where only the entries of these states are looked at.
  const Vector& halfway(const Step& step, std::span<const int> states) const;
  // Whether about h·|λ| > limit, λ the dominant eigenvalue of the Jacobian along the last step: the formula is stable up to 3.3.
  bool is_stiffer_than(double limit, const Step& step) const;

 private:
  struct Formula;
  // Of so many states, or of any number of them.
  template <int kStates>
  struct FormulaOf;
  template <int kStates>
  static std::unique_ptr<Formula> formula_of(Index states);

  std::unique_ptr<Formula> formula_;
};

}  // namespace slideway
