// The rounding of functions that tell nothing of it, as those of callbacks: how much they change from here to places as near as the last
// digits of state and time,
//
//     μᵢ = max |hᵢ(t + δ₀, x + δ) − hᵢ(t, x)|/ε,      |δⱼ| ≤ 4 ε |xⱼ|,  |δ₀| ≤ 4 ε |t|.
//
// It shows the noise of larger terms that cancel, and no rounding that hides all changes, as that of log(1 + x²) at 0 does.
// It must not know whose functions they are.
#pragma once

#include "slideway/model/system.hpp"

namespace slideway {

// probe_errors() sets the error of each function; 0 where the function has no finite value at a place.
void probe_errors(const GuardFunction& functions, double t, ConstVectorRef x, VectorRef errors);

// find_running_errors() sets the errors of the guards: those that `guards_running_error` of the definition tells, probed ones elsewhere.
void find_running_errors(const SystemDefinition& definition, double t, ConstVectorRef x, VectorRef errors);

}  // namespace slideway
