// A stepper for an ode whose last states are discrete: the integrator behind it gets the others alone, so that its
// vectors, its matrices and its error norm hold no discrete states. The report of a step holds all states again.
//
// It must not know surfaces, nor what moves discrete states.
#pragma once

#include <functional>
#include <memory>

#include "integrate/stepper.hpp"

namespace slideway {

// make_continuous_stepper() wraps the integrator that `make` returns. The last `discrete` states are constant, 0 <
// discrete < n. The ode must outlive the stepper.
std::unique_ptr<Stepper> make_continuous_stepper(
    SmoothOde& ode, Index discrete, const StepperOptions& options,
    const std::function<std::unique_ptr<Stepper>(SmoothOde& ode, const StepperOptions& options)>& make);

}  // namespace slideway
