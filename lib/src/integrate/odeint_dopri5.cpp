#include "integrate/odeint_dopri5.hpp"

#include <algorithm>
#include <array>
#include <boost/numeric/odeint/algebra/vector_space_algebra.hpp>
#include <boost/numeric/odeint/external/eigen/eigen_resize.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>

namespace slideway {

namespace {

namespace odeint = boost::numeric::odeint;

// Sized once, so that steps allocate nothing.
using Dopri5 = odeint::runge_kutta_dopri5<Vector, double, Vector, double, odeint::vector_space_algebra,
                                          odeint::default_operations, odeint::initially_resizer>;

// What each stage's velocity counts in the continuous extension, half a step on: what Odeint makes of unit vectors in their place.
Vector find_weights_halfway() {
  constexpr Index stages = 7;
  const auto unit = [](Index stage) -> Vector { return Vector::Unit(stages, stage - 1); };
  const Vector zero = Vector::Zero(stages);
  Vector end(stages), last(stages), error(stages), halfway(stages);
  Index stage = 1;
  Dopri5 dopri5;
  dopri5.do_step([&](const Vector&, Vector& dx, double) { dx = unit(++stage); }, zero, unit(1), 0.0, end,
                 last, 1.0, error);
  dopri5.calc_state(0.5, halfway, zero, unit(1), 0.0, end, last, 1.0);
  return halfway;
}

const Vector& weights_halfway() {
  static const Vector weights = find_weights_halfway();
  return weights;
}

}  // namespace

struct OdeintDopri5::Formula {
  explicit Formula(Index states) : halfway(Vector::Zero(states)) { dopri5.adjust_size(halfway); }

  Dopri5 dopri5;
  // Had when the formula is made: steps allocate nothing.
  const Vector& weights = weights_halfway();
  Vector halfway;
  // Odeint keeps the stages to itself; what it hands to the right-hand side shows where they are. Velocities by stages.
  std::array<const Vector*, 8> velocities = {};
  const Vector* sixth_state = nullptr;
};

OdeintDopri5::OdeintDopri5(Index states) : formula_(std::make_unique<Formula>(states)) {}
OdeintDopri5::~OdeintDopri5() = default;

bool OdeintDopri5::advance(CheckedOde& ode, Step& step) {
  bool usable = true;
  std::size_t stage = 1;
  const auto velocity = [&](const Vector& x, Vector& dx, double t) {
    if (!usable) return;
    formula_->velocities[++stage] = &dx;
    if (stage == 6) formula_->sixth_state = &x;
    usable = ode.velocity(std::min(t, step.latest), x, dx);
  };
  formula_->dopri5.do_step(std::cref(velocity), step.x, step.velocity, step.t, step.x_new, step.velocity_new,
                           step.h, step.error);
  return usable;
}

const Vector& OdeintDopri5::halfway(const Step& step) const {
  const Vector& b = formula_->weights;
  const auto& k = formula_->velocities;
  // The second stage does not count.
  formula_->halfway = (step.h * b[0]) * step.velocity + (step.h * b[2]) * *k[3] + (step.h * b[3]) * *k[4] +
                      (step.h * b[4]) * *k[5] + (step.h * b[5]) * *k[6] + (step.h * b[6]) * step.velocity_new;
  return formula_->halfway;
}

bool OdeintDopri5::is_stiffer_than(double limit, const Step& step) const {
  // Both are states at t + h, so the difference of their velocities is the Jacobian times their difference.
  const double distance = (step.x_new - *formula_->sixth_state).squaredNorm();
  const double difference = (step.velocity_new - *formula_->velocities[6]).squaredNorm();
  return step.h * step.h * difference > limit * limit * distance && distance > 0;
}

}  // namespace slideway
