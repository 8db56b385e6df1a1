// The driven oscillator with dry friction, models/dry_friction.hpp, as a case whose reference is its closed form.
//
// It must not know how a case is judged.
#pragma once

#include "validation/case.hpp"
#include "validation/closed_form_oscillator.hpp"

namespace slideway::validation {

Case oscillator_case(const OscillatorParameters& parameters, const OscillatorMotion& exact);

}  // namespace slideway::validation
