// Advice on absolute tolerances that are too large to see a model: a guard c·x + d that is zero so near the origin that |d| is below the errors which the tolerances
// allow. Where such a guard is zero is then decided by errors, and not by the model.
//
// It must not know a run.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "slideway/detail/model/evaluator.hpp"

namespace slideway {

// A size below this part of the tolerance is what rounding leaves of terms that cancel, as 0.1 + 0.2 - 0.3 does: the default tolerances
// are at least 1e-14, and rounding of terms of size one is 1e-16.
inline constexpr double kRoundingPart = 1e-6;

// guards_below_tolerance() returns a sentence for each surface and event of the system whose guard is affine, does not depend on time,
// and is zero nearer to the origin than Σ|cⱼ| atolⱼ, in the units of the guard. `x` gives the values of discrete states, and
// `atol`, n entries, is in units of the states. Guards that are zero at the origin, as that of a speed, are not among them.
std::vector<std::string> guards_below_tolerance(const Evaluator& evaluator, ConstVectorRef x,
                                                ConstVectorRef atol);

// states_below_tolerance() suggests an absolute tolerance where every named state stays below its own.
// `largest` is |x| at its largest, `start` the state at first; both, and `atol`, have an entry for every state with a derivative.
std::optional<std::string> states_below_tolerance(const std::vector<std::string>& names,
                                                  ConstVectorRef largest, ConstVectorRef start,
                                                  ConstVectorRef atol, double rtol);

}  // namespace slideway
