// The field along one surface, (1 − α) f⁻ + α f⁺ with α = w⁻/(w⁻ − w⁺), and how α varies.
//
// Where both w vanish, on a two-fold or at an end stop against which nothing pushes, every α is tangent: the one that λ stands
// for goes on, and does not vary.
// It must not know how the fields are found.
#pragma once

#include "filippov/mode_field.hpp"

namespace slideway {

class SlidingShare {
 public:
  // `lambda`: the last one of the surface.
  SlidingShare(const NeighbourFields& fields, double lambda)
      : gap_(fields.w_minus - fields.w_plus), minus_(fields.w_minus), plus_(fields.w_plus) {
    alpha_ = gap_ != 0 ? minus_ / gap_ : 0.5 * (1 + lambda);
  }

  double alpha() const { return alpha_; }
  double lambda() const { return gap_ != 0 ? (minus_ + plus_) / gap_ : 2 * alpha_ - 1; }
  // dα, where w⁻ and w⁺ change so much.
  double slope(double minus_dot, double plus_dot) const {
    return gap_ != 0 ? (minus_ * plus_dot - plus_ * minus_dot) / (gap_ * gap_) : 0;
  }

 private:
  double gap_, minus_, plus_;
  double alpha_ = 0;
};

}  // namespace slideway
