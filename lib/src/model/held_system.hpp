// A system at a point where some of its surfaces are held: met, or slid along. There the set-valued sign of surface i
// takes its values in [−ρ⁻ᵢ, ρ⁺ᵢ], ρ⁻ᵢ(t, x) ≥ 1 and ρ⁺ᵢ(t, x) ≥ 1 the break-away ratios (SystemDefinition::break_away), and
//
//     f_held(t, x, ν) = f(t, x, λ),   λᵢ = (ρ⁺ᵢ − ρ⁻ᵢ)/2 + (ρ⁺ᵢ + ρ⁻ᵢ)/2·νᵢ on the surfaces held, λᵢ = νᵢ on the others,
//
// has ν in [−1, 1]: whatever is true of Filippov's sets and their classification holds with ν for λ, the ends of sliding
// included. Along a direction λ̇ follows by the product rule.
//
// A sliding field does not depend on ρ (its λ is what keeps the solution on the surface); only how far λ may go does.
// When the surface is left, λ falls from ±ρ to ±1. The bound ρ ≥ 1 makes the departure consistent: the force that
// broke the surface's hold still moves away from it when less resists.
//
// It must not know modes, sliding or time stepping.
#pragma once

#include <memory>
#include <vector>

#include "slideway/model/system.hpp"

namespace slideway {

// The ratios ρ⁺ and ρ⁻ at (t, x), m entries each, 1 where the system has none. Throws std::runtime_error naming the surface
// where one is below 1 or not finite.
void break_away_ratios(const System& system, double t, ConstVectorRef x, VectorRef above, VectorRef below);

// `held` has an entry per surface, and may change between calls. The same names, guards and events; derivatives along a direction are exact where those
// of the field and of the ratios are, and there are no matrices of derivatives nor patterns.
System held_system(const System& system, std::shared_ptr<const std::vector<char>> held);

}  // namespace slideway
