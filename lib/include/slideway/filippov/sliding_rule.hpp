// Which of the motions of Filippov's inclusion is followed along several surfaces, and what f at an interior λ means.
#pragma once

namespace slideway {

enum class SlidingRule {
  filippov,            // the combination of the neighbouring fields that is affine in each relay (bilinear)
  moments,             // Dieci & Difonzo's: along two surfaces; along one it is Filippov's
  equivalent_control,  // Utkin's: f itself at the interior λ for which w vanishes
};

}  // namespace slideway
