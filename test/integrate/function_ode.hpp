// A SmoothOde made of functions, for tests.
#pragma once

#include <functional>
#include <stdexcept>
#include <utility>

#include "integrate/smooth_ode.hpp"

namespace slideway::test {

using VelocityFunction = std::function<void(double t, ConstVectorRef x, VectorRef dx)>;
using JacobianFunction = std::function<void(double t, ConstVectorRef x, MatrixRef jacobian)>;

class FunctionOde final : public SmoothOde {
 public:
  FunctionOde(Index states, VelocityFunction velocity, JacobianFunction jacobian = {})
      : states_(states), velocity_(std::move(velocity)), jacobian_(std::move(jacobian)) {}

  FunctionOde& with_projection(VelocityFunction weights_to_state) {
    project_ = std::move(weights_to_state);
    return *this;
  }

  Index states() const override { return states_; }
  void velocity(double t, ConstVectorRef x, VectorRef dx) override {
    ++velocity_calls;
    latest_time = t > latest_time ? t : latest_time;
    velocity_(t, x, dx);
  }
  void jacobian(double t, ConstVectorRef x, ConstVectorRef, MatrixRef jacobian) override {
    ++jacobian_calls;
    if (!jacobian_) throw std::logic_error("this test gives no Jacobian");
    jacobian_(t, x, jacobian);
  }
  bool constrained() const override { return constrain && project_ != nullptr; }
  void project(double t, ConstVectorRef weights, VectorRef x) override { project_(t, weights, x); }

  long velocity_calls = 0;
  long jacobian_calls = 0;
  double latest_time = -1e300;
  bool constrain = true;

 private:
  Index states_;
  VelocityFunction velocity_;
  JacobianFunction jacobian_;
  VelocityFunction project_;
};

// x' = −x
inline FunctionOde decay() {
  return {1, [](double, ConstVectorRef x, VectorRef dx) { dx = -x; },
          [](double, ConstVectorRef, MatrixRef jacobian) { jacobian(0, 0) = -1; }};
}

// x'' = −x, so from (1, 0) the solution is (cos t, −sin t).
inline FunctionOde oscillator() {
  return {2,
          [](double, ConstVectorRef x, VectorRef dx) {
            dx(0) = x(1);
            dx(1) = -x(0);
          },
          [](double, ConstVectorRef, MatrixRef jacobian) { jacobian << 0, 1, -1, 0; }};
}

// x'' = μ((1 − x²)x' − x): relaxations, stiff for a large μ.
inline FunctionOde van_der_pol(double mu) {
  return {2,
          [mu](double, ConstVectorRef x, VectorRef dx) {
            dx(0) = x(1);
            dx(1) = ((1 - x(0) * x(0)) * x(1) - x(0)) * mu;
          },
          [mu](double, ConstVectorRef x, MatrixRef jacobian) {
            jacobian << 0, 1, (-2 * x(0) * x(1) - 1) * mu, (1 - x(0) * x(0)) * mu;
          }};
}

}  // namespace slideway::test
