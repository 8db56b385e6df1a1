// A step of the formula of Dormand and Prince of order 5 for few states, whose velocity is one call of a function: all sums are written
// out, and nothing lies between them and the call. They are added up in the order of Odeint's, so that the results are the same to the
// last bit.
//
// It must not know step size control.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

#include "core/direct_velocity.hpp"
#include "integrate/checked_ode.hpp"
#include "integrate/runge_kutta_step.hpp"
#include "slideway/core/types.hpp"

namespace slideway {

// The velocity, and references to the state of the stages and to that at the end of the step: making one takes as long as a small field.
struct DirectStages {
  CheckedOde& ode;
  const DirectVelocity& velocity;
  ConstVectorRef at_stage;
  ConstVectorRef at_end;
};

template <int kStates>
class DirectDopri5 {
 public:
  // velocities[k] is where the velocity of stage k = 2 … 6 belongs, and `stage_state` the state behind `at_stage`.
  DirectDopri5(const DirectStages& stages, const std::array<Vector*, 7>& velocities, Vector& stage_state,
               RungeKuttaStep& step)
      : stages_(stages), step_(step), y_(stage_state.data()) {
    k_[0] = step.velocity.data();
    for (std::size_t stage = 2; stage < 7; ++stage) k_[stage - 1] = velocities[stage]->data();
    k_[6] = step.velocity_new.data();
  }

  // Fills the second half of the step; false where a sum or a velocity is not finite, or the function throws. Nothing within is left out
  // of line, which would take as long as the sums.
  [[nodiscard, gnu::flatten]] bool advance() const noexcept {
    const double t = step_.t;
    const double h = step_.h;
    const double* const x = step_.x.data();
    const double *const k1 = k_[0], *const k2 = k_[1], *const k3 = k_[2], *const k4 = k_[3],
                        *const k5 = k_[4], *const k6 = k_[5], *const k7 = k_[6];
    const double a21 = h * (1.0 / 5);
    const double a31 = h * (3.0 / 40), a32 = h * (9.0 / 40);
    const double a41 = h * (44.0 / 45), a42 = h * (-56.0 / 15), a43 = h * (32.0 / 9);
    const double a51 = h * (19372.0 / 6561), a52 = h * (-25360.0 / 2187), a53 = h * (64448.0 / 6561),
                 a54 = h * (-212.0 / 729);
    const double a61 = h * (9017.0 / 3168), a62 = h * (-355.0 / 33), a63 = h * (46732.0 / 5247),
                 a64 = h * (49.0 / 176), a65 = h * (-5103.0 / 18656);
    const double b1 = h * c1, b3 = h * c3, b4 = h * c4, b5 = h * c5, b6 = h * c6;
    const double e1 = h * (c1 - 5179.0 / 57600), e3 = h * (c3 - 7571.0 / 16695), e4 = h * (c4 - 393.0 / 640),
                 e5 = h * (c5 - -92097.0 / 339200), e6 = h * (c6 - 187.0 / 2100), e7 = h * (-1.0 / 40);
    try {
      return add_up(y_, [=](int i) { return x[i] + a21 * k1[i]; }) && ask(2, t + a21, stages_.at_stage) &&
             add_up(y_, [=](int i) { return x[i] + a31 * k1[i] + a32 * k2[i]; }) &&
             ask(3, t + h * (3.0 / 10), stages_.at_stage) &&
             add_up(y_, [=](int i) { return x[i] + a41 * k1[i] + a42 * k2[i] + a43 * k3[i]; }) &&
             ask(4, t + h * (4.0 / 5), stages_.at_stage) &&
             add_up(y_,
                    [=](int i) { return x[i] + a51 * k1[i] + a52 * k2[i] + a53 * k3[i] + a54 * k4[i]; }) &&
             ask(5, t + h * (8.0 / 9), stages_.at_stage) &&
             add_up(y_,
                    [=](int i) {
                      return x[i] + a61 * k1[i] + a62 * k2[i] + a63 * k3[i] + a64 * k4[i] + a65 * k5[i];
                    }) &&
             ask(6, t + h, stages_.at_stage) &&
             add_up(step_.x_new.data(),
                    [=](int i) {
                      return x[i] + b1 * k1[i] + b3 * k3[i] + b4 * k4[i] + b5 * k5[i] + b6 * k6[i];
                    }) &&
             ask(7, t + h, stages_.at_end) && add_up(step_.error.data(), [=](int i) {
               return e1 * k1[i] + e3 * k3[i] + e4 * k4[i] + e5 * k5[i] + e6 * k6[i] + e7 * k7[i];
             });
    } catch (...) {
      return false;
    }
  }

 private:
  static constexpr double c1 = 35.0 / 384, c3 = 500.0 / 1113, c4 = 125.0 / 192, c5 = -2187.0 / 6784,
                          c6 = 11.0 / 84;

  // The entries one by one, since the function has just written what they are made of: to load two at a time would wait for that. False
  // at one that is not finite.
  template <class Sum>
  [[gnu::always_inline]] static bool add_up(double* out, const Sum& sum) {
    for (int i = 0; i < kStates; ++i) {
      out[i] = sum(i);
      if (!(std::abs(out[i]) <= std::numeric_limits<double>::max())) return false;
    }
    return true;
  }
  [[gnu::always_inline]] bool ask(std::size_t stage, double t, ConstVectorRef x) const {
    const DirectVelocity& velocity = stages_.velocity;
    t = std::min(t, step_.latest);
    double* const dx = k_[stage - 1];
    stages_.ode.count_velocity();
    ++*velocity.calls;
    (*velocity.function)(t, x, *velocity.parameters, Eigen::Map<Vector>(dx, kStates));
    return !velocity.is_confined || velocity.confine(t, dx);
  }

  const DirectStages& stages_;
  RungeKuttaStep& step_;
  double* y_;
  std::array<double*, 7> k_ = {};
};

}  // namespace slideway
