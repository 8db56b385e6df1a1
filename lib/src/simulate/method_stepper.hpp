// The stepper that a method of the options stands for.
//
// It must not know surfaces, modes or Filippov.
#pragma once

#include <memory>

#include "integrate/stepper.hpp"
#include "slideway/simulate/options.hpp"

namespace slideway {

// The ode must outlive the stepper.
std::unique_ptr<Stepper> make_stepper(SmoothOde& ode, Method method, const StepperOptions& options);

// keeps_constraints() tells whether that stepper keeps the solution on its constraints by itself.
bool keeps_constraints(Method method);

}  // namespace slideway
