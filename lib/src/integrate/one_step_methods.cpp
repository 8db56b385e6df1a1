#include "integrate/dop853_stepper.hpp"
#include "integrate/dopri5_stepper.hpp"
#include "integrate/heun_stepper.hpp"
#include "integrate/rodas_stepper.hpp"

namespace slideway {

std::unique_ptr<Stepper> make_one_step_stepper(SmoothOde& ode, OneStepMethod method,
                                               const StepperOptions& options) {
  switch (method) {
    case OneStepMethod::dop853: return std::make_unique<Dop853Stepper>(ode, options);
    case OneStepMethod::rodas: return std::make_unique<RodasStepper>(ode, options);
    case OneStepMethod::heun: return std::make_unique<HeunStepper>(ode, options);
    case OneStepMethod::dopri5: break;
  }
  return std::make_unique<Dopri5Stepper>(ode, options);
}

}  // namespace slideway
