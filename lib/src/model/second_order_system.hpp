// The equations along surfaces i whose normal components depend on no relay, wᵢ(t, x), for sliding of second order (hᵢ = wᵢ = 0):
// the system with wᵢ for its i-th guards, where the definition does not tell it (SystemDefinition::second_order). Along
// (t_dot, x_dot)
//
//     wᵢ = ∂hᵢ/∂t + ∂hᵢ/∂x·f,     dwᵢ = ∂²hᵢ along (1, f) and (t_dot, x_dot) with the mixed term ∂f·(t_dot, x_dot)
//
// which dual numbers give exactly.
// It must not know modes, sliding or time stepping.
#pragma once

#include <memory>
#include <vector>

#include "slideway/model/system.hpp"

namespace slideway {

// second_order_system() returns null where a relay may enter one of the wᵢ as far as the patterns tell, or where
// the system has no patterns or no derivatives along directions. It knows nothing of terms such as √|hᵢ|·sgn hᵢ,
// which vanish on the surface only.
std::shared_ptr<const System> second_order_system(const System& system, const std::vector<Index>& surfaces);

}  // namespace slideway
