// The integrator of the stretch that begins: that of the run, or a one-step method for a flight too short for a multistep one.
//
// A multistep method starts at order one, and over a flight that takes few steps its error control sees little: the bounces of a ball
// would lose their ratio. A one-step method has its full order at once. It cannot follow a stiff flight: two turns of the power
// method, |J²δ|/|δ| with the errors as δ, tell how fast the field changes.
//
// It must not know what began the stretch.
#pragma once

#include "simulate/run_state.hpp"

namespace slideway {

class StepperChoice {
 public:
  // The state must outlive it.
  explicit StepperChoice(const RunState& now) : now_(now) {}

  // One of the integrators of the location at hand, in the mode that its ode has.
  Stepper* choose();

 private:
  const RunState& now_;
  Vector velocity_, nudged_, changed_;  // buffers
};

}  // namespace slideway
