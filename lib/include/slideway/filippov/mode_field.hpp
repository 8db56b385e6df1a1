// The smooth field of one mode, as a smooth extension across the surfaces of the mode:
//     no surface slides:   x' = f(t, x, λ),  λᵢ = ±1
//     surface i slides:    x' = (1 − α) f⁻ + α f⁺,  α = w⁻/(w⁻ − w⁺)          (Filippov)
// with f∓ the field at λᵢ = ∓1 and w∓ = ∂hᵢ/∂t + ∇hᵢ·f∓, at the current x and unclipped, so that the field is smooth
// beyond the ends of the sliding region too. Its Jacobian is
//     J = (1 − α) J⁻ + α J⁺ + (f⁺ − f⁻) ∇αᵀ,   ∇α = (w⁻∇w⁺ − w⁺∇w⁻)/(w⁻ − w⁺)².
// Where an integrator cannot project, a stabilising term −C hᵢ d, d the weighted normal of unit normal component,
// draws the state back onto the surface.
//
// It must not know integrators or when to leave a mode.
#pragma once

#include "slideway/filippov/mode.hpp"
#include "slideway/model/evaluator.hpp"

namespace slideway {

// The two neighbouring fields of one surface at a point.
struct NeighbourFields {
  Vector minus;  // f at λᵢ = −1
  Vector plus;   // f at λᵢ = +1
  double w_minus = 0;
  double w_plus = 0;
};

class ModeField {
 public:
  // The evaluator must outlive the field.
  explicit ModeField(Evaluator& evaluator);

  const Mode& mode() const { return mode_; }
  // At most one entry may slide.
  void set_mode(const Mode& mode);
  // The surface that slides, or −1.
  Index sliding_surface() const { return sliding_surface_; }

  // Throws std::runtime_error naming the state when the velocity is not finite, neither here nor at the nearest
  // point of the surfaces that x lies beyond.
  void velocity(double t, ConstVectorRef x, VectorRef dx);
  // J(i,j) = ∂(velocity)ᵢ/∂xⱼ, without the stabilising term.
  void jacobian(double t, ConstVectorRef x, MatrixRef jacobian);
  // f∓ and w∓ of surface i, the other surfaces as in the mode. Valid until the next call of a member.
  const NeighbourFields& neighbours(double t, ConstVectorRef x, Index surface);

  // −C hᵢ d is added to a sliding velocity. weights(j) is the reciprocal error scale of state j; rate 0 switches it off.
  void stabilise(double rate, ConstVectorRef weights);

 private:
  void raw_velocity(double t, ConstVectorRef x, VectorRef dx);
  bool move_to_nearest_surface(double t, VectorRef x);

  Evaluator& evaluator_;
  Mode mode_;
  Index sliding_surface_ = -1;
  Vector lambda_;
  Vector weights_;
  double stabilisation_ = 0;

  // The neighbours are kept for the last point asked for: guards, velocity and Jacobian share them.
  NeighbourFields neighbours_;
  double neighbours_t_ = 0;
  Vector neighbours_x_;
  Index neighbours_surface_ = -1;

  Vector rates_, guard_values_, gradient_, state_, difference_, slope_;
  Matrix jacobian_minus_, jacobian_plus_, normal_minus_, normal_plus_;
};

}  // namespace slideway
