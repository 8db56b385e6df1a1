#include "integrate/dop853_stepper.hpp"
#include "integrate/dopri5_stepper.hpp"

namespace slideway {

std::unique_ptr<Stepper> make_odeint_stepper(SmoothOde& ode, OneStepMethod method,
                                             const StepperOptions& options) {
  if (method == OneStepMethod::dop853) return std::make_unique<Dop853Stepper>(ode, options);
  return std::make_unique<Dopri5Stepper>(ode, options);
}

}  // namespace slideway
