#include "integrate/odeint_dopri5.hpp"

#include <algorithm>
#include <boost/numeric/odeint/algebra/vector_space_algebra.hpp>
#include <boost/numeric/odeint/external/eigen/eigen_resize.hpp>
#include <boost/numeric/odeint/stepper/runge_kutta_dopri5.hpp>
#include <cmath>

namespace slideway {

namespace {

namespace odeint = boost::numeric::odeint;

// Sized once, so that steps allocate nothing.
using Dopri5 = odeint::runge_kutta_dopri5<Vector, double, Vector, double, odeint::vector_space_algebra,
                                          odeint::default_operations, odeint::initially_resizer>;

}  // namespace

struct OdeintDopri5::Formula {
  explicit Formula(Index states) : zero(Vector::Zero(states)), halfway(Vector::Zero(states)) {
    dopri5.adjust_size(zero);
  }

  Dopri5 dopri5;
  Vector zero;
  Vector halfway;
  // Odeint keeps the stages to itself; what it hands to the right-hand side shows where they are.
  const Vector* sixth_state = nullptr;
  const Vector* sixth_velocity = nullptr;
};

OdeintDopri5::OdeintDopri5(Index states) : formula_(std::make_unique<Formula>(states)) {}
OdeintDopri5::~OdeintDopri5() = default;

bool OdeintDopri5::advance(CheckedOde& ode, Step& step) {
  bool usable = true;
  int stage = 1;
  const auto velocity = [&](const Vector& x, Vector& dx, double t) {
    if (!usable) return;
    if (++stage == 6) {
      formula_->sixth_state = &x;
      formula_->sixth_velocity = &dx;
    }
    usable = ode.velocity(std::min(t, step.latest), x, dx);
  };
  formula_->dopri5.do_step(std::cref(velocity), step.x, step.velocity, step.t, step.x_new, step.velocity_new,
                           step.h, step.error);
  return usable;
}

const Vector& OdeintDopri5::halfway(const Step& step) const {
  formula_->dopri5.calc_state(0.5 * step.h, formula_->halfway, formula_->zero, step.velocity, 0.0, step.x_new,
                              step.velocity_new, step.h);
  return formula_->halfway;
}

double OdeintDopri5::stiffness(const Step& step) const {
  // Both are states at t + h, so the difference of their velocities is the Jacobian times their difference.
  const double distance = (step.x_new - *formula_->sixth_state).squaredNorm();
  const double difference = (step.velocity_new - *formula_->sixth_velocity).squaredNorm();
  return distance > 0 ? step.h * std::sqrt(difference / distance) : 0;
}

}  // namespace slideway
