// Surfaces whose guards closed contacts hold at zero. A block that is pressed against a stop has no velocity, whatever its friction
// does. The friction cannot be told from the force of the stop.
//
// Any λ in [−1, 1] is a solution there, all with the same motion. The one that presses the contacts most keeps them closed as long as
// any can: the block leaves when it has to, and nothing else happens until then.
//
// It must not know what the mode manager makes of it.
#pragma once

#include <optional>
#include <vector>

#include "simulate/event_resolver.hpp"
#include "simulate/run_state.hpp"

namespace slideway {

// The side whose relay presses most of these contacts together. Where that makes no difference it is the side that a comparison says at
// zero, or else the side that the surface is on. The contacts are closed afterwards.
Side pressing_side(const RunState& now, Index surface, const std::vector<Index>& contacts);

// The contacts that touch at rest, and towards which the solution leaves a surface along which it slid in `before`: a stop holds a
// block that friction no longer holds.
std::vector<Index> pressed_by_leaving(const RunState& now, const Mode& before);

// `meeting` with the surfaces that have been held by contacts and are not any more. The state is put onto all that are met.
Meeting with_freed(RunState& now, const Meeting& meeting, const std::vector<Index>& held);
// The same with the surfaces that those which slide have held, where some of these may end to slide; nothing where there are none.
std::optional<Meeting> with_dependents(const RunState& now, const Meeting& meeting);

}  // namespace slideway
