#include "run/stepper_choice.hpp"

#include <cmath>

#include "core/state_errors.hpp"
#include "simulate/precision.hpp"

namespace slideway {

Stepper* StepperChoice::choose() {
  Stepper* const usual = now_.here->stepper.get();
  if (now_.restart.steps_carefully()) return &now_.here->careful_step();
  if (now_.restart.starts_finely()) return &now_.here->fine_step();
  // An explicit one-step method is what a short flight needs. Flights that repeat one as short are left to dopri5: dop853 returns to
  // the surface for ever where sliding of second order ends, as the tests of that show.
  if (usual->stages_span_step() && !now_.restart.repeats()) return usual;
  if (!now_.restart.starts_anew() || !(now_.restart.interval() > 0) || now_.restart.steps() > kFewSteps)
    return usual;
  ModeOde& ode = now_.here->ode;
  velocity_.resize(now_.x.size());
  ode.velocity(now_.t, now_.x, velocity_);
  nudged_ = now_.x;
  add_errors(now_.weights, nudged_);
  changed_.resize(now_.x.size());
  ode.velocity(now_.t, nudged_, changed_);
  const double once = (changed_ - velocity_).cwiseProduct(now_.weights).lpNorm<Eigen::Infinity>();
  if (once == 0) return &now_.here->one_step();
  nudged_ = now_.x + (changed_ - velocity_) / once;
  ode.velocity(now_.t, nudged_, changed_);
  const double again = (changed_ - velocity_).cwiseProduct(now_.weights).lpNorm<Eigen::Infinity>();
  return std::sqrt(once * again) * now_.restart.interval() <= kMostChange ? &now_.here->one_step() : usual;
}

}  // namespace slideway
