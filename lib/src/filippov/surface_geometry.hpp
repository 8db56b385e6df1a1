// Sizes on a switching surface and the projection onto it.
//
//     size of h   = Σ|∂ⱼh||xⱼ| + |∂ₜh||t|            (rounding in h is about ε·size)
//     δᵣ          = max(16 ε · size, 2 ε · μ)         on the surface, arming; μ is the running error of h (autodiff/rounded.hpp)
//     δₜ          = Σ|∂ⱼh| (rtol|xⱼ| + atolⱼ)         ties only
// The projection moves x to h_S = 0 along W²∇h, the shortest way in the norm of the error weights:
//     x ← x − W²Gᵀ (G W² Gᵀ)⁻¹ h_S,   G = ∂h_S/∂x,   W = diag(1/weights).
//
// It must not know modes, integrators or when to project.
#pragma once

#include <limits>

#include "filippov/relay_structure.hpp"
#include "slideway/detail/model/evaluator.hpp"

namespace slideway {

// RelayEffect describes a surface's relay: none, as for a kink or where it cannot be told; along the surface only,
// so that it has no part in w; or across it, so that it may hold the solution there.
enum class RelayEffect { none, along, across };

class SurfaceGeometry {
 public:
  // The references must outlive the geometry.
  SurfaceGeometry(Evaluator& evaluator, const RelayStructure& structure);

  // The gradient of surface i at (t, x), and the size of h there; valid until the next call of a member.
  const Vector& gradient(double t, ConstVectorRef x, Index surface);
  // Σ|∂ⱼh||xⱼ| + |∂ₜh||t|, dimension of h.
  double size(double t, ConstVectorRef x, Index surface);
  // Σ|∂ⱼh||vⱼ|, dimension of dh/dt.
  double rate_size(double t, ConstVectorRef x, ConstVectorRef velocity, Index surface);
  // The effect of λ of a surface, on which the state is, on the field; `across` is set where the effect exceeds the root of
  // rounding. The other relays are at `lambda`. States are compared in units of `sizes`, in which they have one unit in common.
  RelayEffect relay_effect(double t, ConstVectorRef x, Vector& lambda, Index surface, ConstVectorRef sizes);
  // The larger one of 16 ε · size, the rounding of states and time, and 2 ε · (running error), by which two evaluations of h differ.
  double rounding(double t, ConstVectorRef x, Index surface);
  // Σ|∂ⱼh| / weights(j): what the integrator cannot tell from zero.
  double tolerance(double t, ConstVectorRef x, Index surface, ConstVectorRef weights);
  // The largest |h| that project() may leave. A state that is zero on the surface has no rounding but that of its error scale.
  double projected(double t, ConstVectorRef x, Index surface, ConstVectorRef weights);

  // Guards larger than this are plainly not zero, so that their size, which takes a gradient each, need not be asked for.
  static double plainly_off_zero(ConstVectorRef x) { return 1e-10 * (1 + x.lpNorm<Eigen::Infinity>()); }

  // Moves x along W²∇h so that h grows by `change` to first order, which no units of the states change; false, and nothing moved,
  // where ∇h is zero or not finite.
  bool change_guard(double t, Index surface, double change, ConstVectorRef weights, VectorRef x);

  // move_inside() moves x into the region with the signs of λ (entries of ±1; others do not count). From each
  // surface that x is not farther inside of than `near`, x goes `depth` times Σ|∂ⱼh|/weights(j) inside. It
  // returns false where it does not get there.
  bool move_inside(double t, ConstVectorRef lambda, double depth, ConstVectorRef weights, double near,
                   VectorRef x);

  // Moves x onto all of these surfaces; weights(j) is the reciprocal error scale of state j. `residual` holds the largest |h| that is
  // left, in units of ε·Σ|∂ⱼh|(|xⱼ| + 1/weights(j)) (0 when h is exactly 0): a few, but for guards with larger terms
  // that cancel. False when Newton does not converge, as where the gradients depend on each other and the surfaces do not meet;
  // x is then unchanged.
  bool project(double t, const std::vector<Index>& surfaces, ConstVectorRef weights, VectorRef x);
  double residual() const { return residual_; }
  // Moves x towards one of these surfaces, by such parts of Newton's steps that |h| falls; no farther than that goes.
  void approach(double t, Index surface, ConstVectorRef weights, VectorRef x);
  // may_move() returns false where it is certain that x is on the surfaces, so that project() leaves it there.
  bool may_move(double t, const std::vector<Index>& surfaces, ConstVectorRef x);
  // One step of that projection from x, without moving it. False as above.
  bool correction(double t, const std::vector<Index>& surfaces, ConstVectorRef weights, ConstVectorRef x,
                  VectorRef step);

 private:
  void gather_gradients(double t, ConstVectorRef x, const std::vector<Index>& surfaces);
  bool find_step(ConstVectorRef weights, const std::vector<Index>& surfaces);
  bool project_each(double t, const std::vector<Index>& surfaces, ConstVectorRef weights, VectorRef x);
  void set_what_is_fixed_alone(double t, const std::vector<Index>& surfaces, VectorRef x);
  // is_noise() tells whether the guards of these surfaces, values_, are zero but for what rounding makes of
  // terms within them that cancel, of which their gradients tell nothing.
  bool is_noise(double t, const std::vector<Index>& surfaces, ConstVectorRef weights, ConstVectorRef x);

  double running_error(double t, ConstVectorRef x, Index surface);
  bool is_where_errors_were(double t, ConstVectorRef x, Index surface) const;

  Evaluator& evaluator_;
  const RelayStructure& structure_;
  // The running errors of all guards where they were asked for last.
  double errors_t_ = std::numeric_limits<double>::quiet_NaN();
  Vector errors_x_, errors_;
  Vector gradient_, values_, original_, time_derivative_;
  double residual_ = 0;
  bool has_own_states_ = false;  // no two surfaces, which are flat, depend on the same state
  struct Kept {
    Index state;
    double value;
  };
  std::vector<Kept> kept_;  // states before they were moved

  // The gradients of the surfaces at hand, one row each, in compressed rows.
  std::vector<Index> row_start_, row_column_;
  std::vector<double> row_value_;
  Vector seed_, directional_, residuals_, step_;
};

}  // namespace slideway
