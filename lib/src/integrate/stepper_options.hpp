// The demands of all steppers on their ode and options, so that all refuse the same mistakes in the same words.
//
// It must not know any integrator.
#pragma once

#include "core/constants.hpp"
#include "integrate/stepper.hpp"

namespace slideway {

// Below it rounding is all that is left.
inline constexpr double smallest_rtol = 1e-14;
// An interval of fewer units in the last place of t is one step, whatever the error estimate says: CVODE takes all times in it for one.
inline constexpr double kIndivisible = 100 * kEpsilon;
// The shortest step in parts of the whole time: near t = 0 CVODE would go on until the step vanishes, and then for ever.
inline constexpr double kShortestStepOfAll = 1e-40;

// The number of states. Throws std::invalid_argument for none; `where` names the maker of the stepper.
Index checked_size(const SmoothOde& ode, const char* where);
// Throws std::invalid_argument for options that make no sense.
void check_options(const StepperOptions& options, Index states, const char* where);

}  // namespace slideway
