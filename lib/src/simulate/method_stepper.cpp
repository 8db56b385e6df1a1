#include "simulate/method_stepper.hpp"

namespace slideway {

std::unique_ptr<Stepper> make_stepper(SmoothOde& ode, Method method, const StepperOptions& options) {
  switch (method) {
    case Method::dopri5: return make_one_step_stepper(ode, OneStepMethod::dopri5, options);
    case Method::dop853: return make_one_step_stepper(ode, OneStepMethod::dop853, options);
    case Method::rodas: return make_one_step_stepper(ode, OneStepMethod::rodas, options);
    case Method::adams: return make_cvode_stepper(ode, MultistepMethod::adams, options);
    case Method::automatic: return make_automatic_stepper(ode, options);
    case Method::bdf: break;
  }
  return make_cvode_stepper(ode, MultistepMethod::bdf, options);
}

// CVODE projects with BDF only.
bool keeps_constraints(Method method) { return method != Method::adams; }

}  // namespace slideway
