// The choice among the motions of Filippov's inclusion along several surfaces, and the meaning of f at an interior λ.
#pragma once

namespace slideway {

enum class SlidingRule {
  filippov,            // the combination of the neighbouring fields that is affine in each relay (bilinear)
  moments,             // Dieci & Difonzo's: along two surfaces; along one it is Filippov's
  equivalent_control,  // Utkin's: f itself at the interior λ for which w vanishes
};

}  // namespace slideway
