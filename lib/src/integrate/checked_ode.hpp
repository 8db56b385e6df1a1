// A SmoothOde made safe to call from C: nothing is thrown, a value that is not finite is a failure, and what
// was wrong is kept, so that an integrator that gives up can say why.
//
// It must not know which integrator calls it.
#pragma once

#include <cstdint>
#include <string>

#include "integrate/smooth_ode.hpp"
#include "slideway/core/finite.hpp"
#include "slideway/core/types.hpp"

namespace slideway {

class CheckedOde {
 public:
  explicit CheckedOde(SmoothOde& ode) : ode_(ode), velocity_is_checked_(ode.checks_velocity()) {}

  // Each returns whether the result is usable. A failure at an x that is not finite itself is the
  // integrator's own fault, so it is no obstacle.
  // A Vector or a reference to one; here, because it is called most and every copy of a reference counts.
  template <class Target>
  [[nodiscard]] bool velocity(double t, ConstVectorRef x, Target&& dx) noexcept {
    return velocity(t, x, dx, all_finite(x));
  }
  // The caller has looked whether x is finite.
  template <class Target>
  [[nodiscard]] bool velocity(double t, ConstVectorRef x, Target&& dx, bool is_finite) noexcept {
    ++velocity_evaluations_;
    obstructed_ = false;
    if (!is_finite) return false;
    try {
      ode_.velocity(t, x, dx);
      if (velocity_is_checked_ || all_finite(dx)) return true;
    } catch (...) {
      note_exception("field", t);
      return false;
    }
    note_not_finite("velocity", t, dx);
    return false;
  }
  // quick_velocity() is for a caller that asks velocity() again where this is not usable, or where the result is
  // not finite.
  template <class Target>
  [[nodiscard, gnu::always_inline]] bool quick_velocity(double t, ConstVectorRef x, Target&& dx) noexcept {
    ++velocity_evaluations_;
    try {
      ode_.quick_velocity(t, x, dx);
    } catch (...) {
      return false;
    }
    return true;
  }
  // tell_directly() hands out the one call that quick_velocity() consists of, where it is one (SmoothOde); who calls it counts by count_velocity().
  bool tell_directly(DirectVelocity& direct) { return ode_.tell_directly(direct); }
  void count_velocity() { ++velocity_evaluations_; }
  [[nodiscard]] bool jacobian(double t, ConstVectorRef x, ConstVectorRef dx, MatrixRef jacobian) noexcept;
  [[nodiscard]] bool split_jacobian(double t, ConstVectorRef x, ConstVectorRef dx,
                                    SplitJacobian& jacobian) noexcept;
  [[nodiscard]] bool jacobian_times(double t, ConstVectorRef x, ConstVectorRef direction,
                                    VectorRef product) noexcept;
  [[nodiscard]] bool prepare_preconditioner(double t, ConstVectorRef x, double gamma) noexcept;
  // An r that is not finite counts like an x that is not finite.
  [[nodiscard]] bool precondition(double t, ConstVectorRef x, ConstVectorRef r, VectorRef z) noexcept;
  [[nodiscard]] bool project(double t, ConstVectorRef weights, VectorRef x) noexcept;
  // may_be_moved() returns false where it is certain that project() leaves x as it is.
  [[nodiscard]] bool may_be_moved(double t, ConstVectorRef x) noexcept {
    try {
      return ode_.may_be_moved(t, x);
    } catch (...) {
      return true;
    }
  }
  // project_finite() takes an x that is finite.
  [[nodiscard]] bool project_finite(double t, ConstVectorRef weights, VectorRef x) noexcept;

  // The last call of these was in the way of the integrator.
  bool obstructed() const { return obstructed_; }
  // The last such obstacle since forget_obstacle(): what failed and where. Empty if there was none.
  std::string obstacle() const;
  void forget_obstacle();

  std::int64_t velocity_evaluations() const { return velocity_evaluations_; }
  std::int64_t jacobian_evaluations() const { return jacobian_evaluations_; }

 private:
  // The call that failed. `row` and `column` say which entry was not finite; without a row the function threw.
  struct Obstacle {
    const char* function = nullptr;
    double t = 0;
    Index row = -1;
    Index column = -1;
    double value = 0;
    std::string text = {};
    bool whole = false;  // the text says what failed and where
  };

  template <typename Call>
  bool attempt(const char* function, double t, ConstVectorRef x, const Call& call) noexcept;
  void note_not_finite(const char* function, double t, const Eigen::Ref<const Matrix>& result);
  // The one that is being handled.
  void note_exception(const char* function, double t) noexcept;

  SmoothOde& ode_;
  bool velocity_is_checked_;
  bool obstructed_ = false;
  Obstacle obstacle_ = {};
  std::int64_t velocity_evaluations_ = 0;
  std::int64_t jacobian_evaluations_ = 0;
};

}  // namespace slideway
