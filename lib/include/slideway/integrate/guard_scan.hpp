// Certifies that no zero of a guard is missed inside a step: marches along the dense output with a step of its own.
//
// A march step is accepted only if the polynomial through the last points predicts the new value of every guard
// to 1 % of its scale, the largest |g| over the last four points (never over the run: a decayed transient
// would hide everything). The step grows by at most 2 and is carried over from one integrator step to the next.
// Between marched points |g| is minimised wherever the interpolating polynomial has an extremum towards zero.
// A pulse narrower than the march resolves can still be missed; a march step never exceeds `max_step`.
//
// Guards are positive while nothing has happened; only downward crossings are arrivals.
// It must not know which integrator made the dense output, nor what the guards mean.
#pragma once

#include <vector>

#include "slideway/core/types.hpp"

namespace slideway {

// The guards along the dense output of the step at hand.
class GuardSampler {
 public:
  virtual ~GuardSampler() = default;
  virtual void sample(double t, VectorRef values) = 0;
  // What cannot be told from zero in each guard, given the accuracy of the integrator at time t (≥ 0).
  virtual void noise(double t, VectorRef values) = 0;
};

struct Arrival {
  bool found = false;
  double t = 0;
  // One flag per guard: zero at t, to the accuracy of location.
  std::vector<char> guards = {};
};

class GuardScan {
 public:
  explicit GuardScan(Index guards, double max_step);

  // Begins at t, where the guards have these values. `watched` tells which guards may arrive; the others are
  // followed for the prediction only. `first_step` is the first march step to try.
  void start(double t, ConstVectorRef values, double first_step);
  // Marches from the last point to t_end and reports the first zero of a watched guard in (last point, t_end].
  // `at_end` flags guards that an integrator has already located at t_end (empty: none).
  const Arrival& advance(double t_end, GuardSampler& sampler, const std::vector<char>& watched,
                         const std::vector<char>& at_end);

  double march_step() const { return step_; }

 private:
  Index guards_;
  double max_step_;
  double step_ = 0;
};

}  // namespace slideway
