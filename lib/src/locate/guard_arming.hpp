// From where on each guard counts where a mode begins, and how far it may be on the wrong side until then: the sizes go into the table of
// guards (simulate/guard_table.hpp).
//
// A guard of the last event starts at zero: it is armed again once it is clearly on its side.
//
// It must not know how a zero is found.
#pragma once

#include <vector>

#include "simulate/run_state.hpp"

namespace slideway {

class GuardArming {
 public:
  // The values of the guards where the mode begins, the scan of affine guards in this mode or null, and the guards that have changed
  // their signs in poles there. All references must outlive it.
  GuardArming(RunState& now, const Vector& guard_values, AffineScan* const& affine,
              const std::vector<Index>& poles)
      : now_(now), guard_values_(guard_values), affine_(affine), poles_(poles) {}

  // A mode begins, with the stepper of the last step or another one.
  void start(bool same_stepper);
  // The guards of events alone, after records within a step.
  void start_events();

  // is_held() returns true if the constraints of this motion keep the guard at zero, as friction keeps the velocity
  // of a sticking block.
  bool is_held(Index event, ModeOde& ode);
  // The value from which on the guard of the event counts as off zero.
  double arming_level(Index event);

 private:
  // is_taken_along() tells whether the constraints of a later time have the guard farther from this value.
  bool is_taken_along(Index event, ModeOde& ode, double value, double hardly);
  // The surfaces that closed contacts and sliding hold at zero.
  std::vector<Index> held_surfaces();
  void start_exits(Index surface, bool is_nudged);
  bool comes_back(Index contact);
  void start_stick_slip();
  void start_surface(Index i, bool same_stepper);
  bool makes_no_difference(Index surface);
  // The error of a guard at the end of the last step, where the event was at its start.
  double tolerance_a_step_on(Index surface);
  double projection_noise(Index event);
  double event_rounding(Index event);

  RunState& now_;
  const Vector& guard_values_;
  AffineScan* const& affine_;
  const std::vector<Index>& poles_;
  Vector state_, nudged_values_;  // buffers, for one function at a time
};

}  // namespace slideway
