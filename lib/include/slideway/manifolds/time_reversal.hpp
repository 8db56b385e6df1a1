// A problem backwards in time: solutions y(s) = x(−s) of
//
//     y' = −f(−s, y, λ),      λᵢ = sgn(hᵢ(−s, y)),
//
// so that surfaces are crossed from the other side, and sliding that attracts becomes sliding that repels, and the other way round.
// An impact with the restitution e > 0 turns the velocity u⁺ of the gap back into −u⁺/e; with e = 0 nothing comes from there, and the
// run ends. A reset that leaves its guard at zero is undone by Newton's method on R(x⁻) = x⁺. Two edges that undo each other change places.
//
// Where solutions meet, as where sliding begins, the past is not unique: backwards they leave a repelling surface anywhere.
// It must not know manifolds.
#pragma once

#include <string>

#include "slideway/core/types.hpp"
#include "slideway/model/automaton.hpp"

namespace slideway {

// Why the problem has no reversal that is known: "" where it has one. Resets are tried at states within `sizes`, n entries > 0, of `near`.
std::string obstacle_to_reversal(const Automaton& problem, ConstVectorRef near, const Vector& sizes);

// The modes of contacts are not part of the modes of the reversed problem, whose impacts are resets. Throws std::invalid_argument where
// there is an obstacle.
Automaton reversed_in_time(const Automaton& problem, ConstVectorRef near, const Vector& sizes);

}  // namespace slideway
