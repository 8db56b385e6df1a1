// Tolerances that the clock can hold. A stiff state follows a motion in time, x ≈ φ(t), as closely as the clock tells the time. Error estimates
// hold the rounding of that, so an error test that asks for less fails at every step size, or holds the steps far below those of the motion.
//
// It must not know which integrator asks.
#pragma once

#include "integrate/checked_ode.hpp"
#include "slideway/core/types.hpp"

namespace slideway {

// StepBegin describes where a step h begins. The weights are the reciprocals of the tolerances.
struct StepBegin {
  double t;
  double latest;  // time at which velocities may be asked for
  double h;
  ConstVectorRef x;
  ConstVectorRef velocity;
  ConstVectorRef weights;
};

class ClockTolerances {
 public:
  explicit ClockTolerances(double rtol) : rtol_(rtol) {}

  // are_wider() tells whether tolerances() are wider than the weights say. They are where 16 ε|t|·|x'| is more
  // and x follows a motion in time: its velocity changes far less along that motion than with x held. They grow
  // to that size, or to h times the change with x held, if that is less.
  bool are_wider(CheckedOde& ode, const StepBegin& begin);
  const Vector& tolerances() const { return tolerances_; }

 private:
  double rtol_;
  Vector now_, held_, moved_;  // velocities
  Vector tolerances_;
};

}  // namespace slideway
