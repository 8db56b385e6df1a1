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

  // Fills the second half of the step; false where a sum or a velocity is not finite, or the function throws.
  [[nodiscard]] bool advance() const noexcept {
    const double t = step_.t;
    const double h = step_.h;
    const Term x(step_.x.data());
    Sum y(y_), end(step_.x_new.data()), error(step_.error.data());
    try {
      y = x + h * (1.0 / 5) * k(1);
      if (!is_finite(y) || !ask(2, t + h * (1.0 / 5), stages_.at_stage)) return false;
      y = x + h * (3.0 / 40) * k(1) + h * (9.0 / 40) * k(2);
      if (!is_finite(y) || !ask(3, t + h * (3.0 / 10), stages_.at_stage)) return false;
      y = x + h * (44.0 / 45) * k(1) + h * (-56.0 / 15) * k(2) + h * (32.0 / 9) * k(3);
      if (!is_finite(y) || !ask(4, t + h * (4.0 / 5), stages_.at_stage)) return false;
      y = x + h * (19372.0 / 6561) * k(1) + h * (-25360.0 / 2187) * k(2) + h * (64448.0 / 6561) * k(3) +
          h * (-212.0 / 729) * k(4);
      if (!is_finite(y) || !ask(5, t + h * (8.0 / 9), stages_.at_stage)) return false;
      y = x + h * (9017.0 / 3168) * k(1) + h * (-355.0 / 33) * k(2) + h * (46732.0 / 5247) * k(3) +
          h * (49.0 / 176) * k(4) + h * (-5103.0 / 18656) * k(5);
      if (!is_finite(y) || !ask(6, t + h, stages_.at_stage)) return false;
      end = x + h * c1 * k(1) + h * c3 * k(3) + h * c4 * k(4) + h * c5 * k(5) + h * c6 * k(6);
      if (!is_finite(end) || !ask(7, t + h, stages_.at_end)) return false;
      error = h * (c1 - 5179.0 / 57600) * k(1) + h * (c3 - 7571.0 / 16695) * k(3) +
              h * (c4 - 393.0 / 640) * k(4) + h * (c5 - -92097.0 / 339200) * k(5) +
              h * (c6 - 187.0 / 2100) * k(6) + h * (-1.0 / 40) * k(7);
      return is_finite(error);
    } catch (...) {
      return false;
    }
  }

 private:
  static constexpr double c1 = 35.0 / 384, c3 = 500.0 / 1113, c4 = 125.0 / 192, c5 = -2187.0 / 6784,
                          c6 = 11.0 / 84;

  using Numbers = Eigen::Matrix<double, kStates, 1>;
  using Sum = Eigen::Map<Numbers>;
  using Term = Eigen::Map<const Numbers>;
  Term k(std::size_t stage) const { return Term(k_[stage - 1]); }

  static bool is_finite(const Sum& sum) {
    bool finite = true;
    for (int i = 0; i < kStates; ++i) finite &= std::abs(sum[i]) <= std::numeric_limits<double>::max();
    return finite;
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
