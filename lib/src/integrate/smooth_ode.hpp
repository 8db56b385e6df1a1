// A smooth ODE x' = f(t, x), as a stepper sees it: its velocity, its Jacobian and, when the solution is confined to a surface,
// the projection onto it.
//
// It must not know surfaces, modes or Filippov.
#pragma once

#include <utility>

#include "core/direct_velocity.hpp"
#include "core/split_jacobian.hpp"
#include "slideway/core/pattern.hpp"
#include "slideway/core/types.hpp"

namespace slideway {

class SmoothOde {
 public:
  virtual ~SmoothOde() = default;

  virtual Index states() const = 0;

  // Every function may throw; a stepper treats that, like a value that is not finite, as "try a smaller step".
  virtual void velocity(double t, ConstVectorRef x, VectorRef dx) = 0;
  // The same for an integrator that looks by itself whether what comes of it is finite, and asks velocity() where it is not: this
  // need not look, nor find a way round.
  virtual void quick_velocity(double t, ConstVectorRef x, VectorRef dx) { velocity(t, x, std::move(dx)); }
  // Sets `direct` to what quick_velocity() calls up to the next start; false where that is more than one function, or not known yet.
  virtual bool tell_directly(DirectVelocity& direct) {
    static_cast<void>(direct);
    return false;
  }
  // checks_velocity() tells whether velocity() throws where it is not finite, so that nobody need look again.
  virtual bool checks_velocity() const { return false; }
  // J(i,j) = ∂fᵢ/∂xⱼ; dx = f(t, x) has been computed before.
  virtual void jacobian(double t, ConstVectorRef x, ConstVectorRef dx, MatrixRef jacobian) = 0;

  // jacobian_pattern() is the pattern of the sparse part of the Jacobian, for many states, the diagonal
  // included. It is fixed for the life of the object, and null if only the full matrix exists.
  virtual const Pattern* jacobian_pattern() { return nullptr; }
  // J in its parts; called only where there is a pattern.
  virtual void split_jacobian(double /*t*/, ConstVectorRef /*x*/, ConstVectorRef /*dx*/,
                              SplitJacobian& /*jacobian*/) {}
  // has_jacobian_times() tells whether it knows products with the Jacobian: product = J·direction, without the
  // matrix.
  virtual bool has_jacobian_times() const { return false; }
  virtual void jacobian_times(double /*t*/, ConstVectorRef /*x*/, ConstVectorRef /*direction*/,
                              VectorRef /*product*/) {}

  // has_preconditioner() tells whether it brings a preconditioner of its own for (I − γJ) z = r: prepared at a
  // point, then used for several r.
  virtual bool has_preconditioner() const { return false; }
  virtual void prepare_preconditioner(double /*t*/, ConstVectorRef /*x*/, double /*gamma*/) {}
  virtual void precondition(ConstVectorRef /*r*/, VectorRef /*z*/) {}

  // decay_rate() is a rate, in 1/time, at which solutions near x are known to come together; 0 where nothing is known. Explicit steps
  // beyond their limit of stability of it make errors of the tolerances out of those that would decay.
  virtual double decay_rate(double /*t*/, ConstVectorRef /*x*/) { return 0; }
  // knows_decay() returns false where decay_rate() is 0 up to the next start.
  virtual bool knows_decay() const { return true; }

  // root_functions() is the number of functions that an integrator with root-finding of its own may watch, fixed
  // for the life of the object. Something happens where one falls through zero. A value that is not finite, or
  // all values where the call throws, counts as not fallen. The states are those of the dense output.
  virtual Index root_functions() const { return 0; }
  virtual void root_values(double /*t*/, ConstVectorRef /*x*/, VectorRef /*values*/) {}

  // constrained() tells whether the solution is confined to a surface, now.
  virtual bool constrained() const { return false; }
  // Moves x to the nearest point of the surface, in the norm of the error weights (weights(i) > 0, the
  // reciprocal of what counts as an error of 1 in state i).
  virtual void project(double t, ConstVectorRef weights, VectorRef x) = 0;
  // may_be_moved() tells whether project() may move it, where that is soon told: steps along flat surfaces stay
  // on them.
  virtual bool may_be_moved(double /*t*/, ConstVectorRef /*x*/) { return true; }
};

}  // namespace slideway
