// CVODE's root-finding (CVodeRootInit): the first detector of guard crossings, for `bdf` and `adams`.
//
// The root functions of an ode are registered with CVODE. At the end of each step CVODE looks whether one has changed its sign, and
// closes in on the first that has along its interpolating polynomial. Only functions that fall through zero are reported. At the start
// of a run every function counts as positive: what is zero there has just been dealt with. A pair of zeros within one step is not
// seen; GuardScan certifies that none is missed, and the mode manager classifies what is found.
// It must not know what the functions mean, nor what follows where one vanishes.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "integrate/smooth_ode.hpp"
#include "integrate/sundials_compat.hpp"
#include "slideway/core/types.hpp"

namespace slideway {

class CvodeRoots {
 public:
  explicit CvodeRoots(SmoothOde& ode) : ode_(ode), count_(ode.root_functions()) {}

  // register_with() has CVODE call `function`, which calls evaluate(). The integrator must have been
  // initialised. It returns CVODE's flag.
  int register_with(void* cvode, CVRootFn function);
  // The run that CVODE begins starts at t.
  void begin_run(double t) { start_ = t; }

  // The root function that CVODE calls: a positive number stands for a guard that is zero, is not finite or has no value.
  void evaluate(double t, N_Vector x, double* values) noexcept;

  // CVODE has returned with a root at t, or is about to take a step.
  void note(void* cvode, double t);
  void forget() { time_ = std::numeric_limits<double>::quiet_NaN(); }

  // When the first root of the last step was, NaN for none; and the functions that vanish there.
  double time() const { return time_; }
  std::span<const int> functions() const { return functions_; }

 private:
  SmoothOde& ode_;
  Index count_;
  double start_ = std::numeric_limits<double>::quiet_NaN();
  double time_ = std::numeric_limits<double>::quiet_NaN();
  std::vector<int> functions_;
  std::vector<int> flags_;  // of CVODE, one per function
};

}  // namespace slideway
