// The surfaces on which a state lies, and how the two fields move there (classify.hpp), one surface at a time:
//     |hᵢ(t, x)| ≤ rounding of hᵢ,     w∓ = ∂hᵢ/∂t + ∂hᵢ/∂x·f  at λᵢ = ∓1
//
// It must not know integrators, nor what a run does at such a state.
#pragma once

#include <cstddef>
#include <vector>

#include "slideway/core/types.hpp"
#include "slideway/filippov/classify.hpp"
#include "slideway/filippov/mode.hpp"
#include "slideway/model/system.hpp"

namespace slideway {

struct MetSurface {
  Index surface = 0;
  double w_minus = 0;
  double w_plus = 0;
  PointKind kind = PointKind::crossing_up;
};

// met_surfaces() returns the first `most` surfaces of `system` that are met at (t, x), in their order. `mode` (m entries) gives λ
// of the other surfaces; a sliding entry counts as a λ inside (−1, 1). weights(j) = 1/(rtol·|xⱼ| + atolⱼ), n entries.
// It throws NotFinite where no field at a surface has a value.
std::vector<MetSurface> met_surfaces(const System& system, double t, ConstVectorRef x, const Mode& mode,
                                     ConstVectorRef weights, double rtol, std::size_t most);

}  // namespace slideway
