// Sizes on a switching surface and the projection onto it.
//
//     size of h   = Σ|∂ⱼh||xⱼ| + |∂ₜh||t|            (rounding in h is about ε·size)
//     δᵣ          = 16 ε · size                       on the surface, arming
//     δₜ          = Σ|∂ⱼh| (rtol|xⱼ| + atolⱼ)         ties only
// The projection moves x to h = 0 along W²∇h, the shortest way in the norm of the error weights.
//
// It must not know modes, integrators or when to project.
#pragma once

#include "slideway/model/evaluator.hpp"

namespace slideway {

class SurfaceGeometry {
 public:
  // The evaluator must outlive the geometry.
  explicit SurfaceGeometry(Evaluator& evaluator);

  // The gradient of surface i at (t, x), and the size of h there; valid until the next call of a member.
  const Vector& gradient(double t, ConstVectorRef x, Index surface);
  // Σ|∂ⱼh||xⱼ| + |∂ₜh||t|, dimension of h.
  double size(double t, ConstVectorRef x, Index surface);
  // 16 ε · size.
  double rounding(double t, ConstVectorRef x, Index surface);
  // Σ|∂ⱼh| / weights(j): what the integrator cannot tell from zero.
  double tolerance(double t, ConstVectorRef x, Index surface, ConstVectorRef weights);

  // Moves x onto the surface; weights(j) is the reciprocal error scale of state j. What is left of h is in `residual`,
  // in
  // units of ε·Σ|∂ⱼh|(|xⱼ| + 1/weights(j)) (0 when h is exactly 0). False when ∇h vanishes or Newton does not converge; x is then unchanged.
  bool project(double t, Index surface, ConstVectorRef weights, VectorRef x);
  double residual() const { return residual_; }

 private:
  Evaluator& evaluator_;
  Vector gradient_, values_, direction_, original_, time_derivative_;
  double residual_ = 0;
};

}  // namespace slideway
