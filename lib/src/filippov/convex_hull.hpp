// The motions that Filippov's inclusion itself, the convex hull of all fields round a corner, admits beside a selection from it.
//
// Along one surface the hull holds one sliding field. Along several it may hold many: a mode belongs to the inclusion when
// weights μ ≥ 0 of the fields of its vertices exist with Σμ = 1 and Σμw = 0 over its sliding entries, and the other entries
// leave on their sides. The extreme weights have at most one more entry than surfaces that slide, so that they can be
// enumerated where surfaces are few.
//
// Pure functions of numbers. They must not know systems, integrators or time.
#pragma once

#include <vector>

#include "filippov/corner.hpp"

namespace slideway {

inline constexpr Index most_surfaces_of_hull = 3;

// The modes with at least two sliding entries of which the hull admits a motion whose velocity is none of the
// continuations'. Column v of `fields` is the field at vertex v and column k of `velocities` that of a continuation.
std::vector<std::vector<Side>> hull_modes_beyond(const VertexTable& table, const Matrix& fields,
                                                 const Vector& w_zero, const Matrix& velocities);

}  // namespace slideway
