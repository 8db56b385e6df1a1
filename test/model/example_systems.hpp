// Systems that several tests use, with what is known of them by hand.
#pragma once

#include <cmath>

#include "slideway/core/types.hpp"

namespace example {

using slideway::ConstVectorRef;
using slideway::MatrixRef;
using slideway::VectorRef;

struct DryFriction {  // x'' = -x - mu sgn(x') + cos(w t)
  double mu = 0.4, w = 0.5;
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1]; }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::cos;
    dx[0] = x[1];
    dx[1] = -x[0] - mu * lambda[0] + cos(w * t);
  }
};

// h = x² + y² − 1, f = (−y + λ x, x): w = 2λx², ∂w/∂x = (4λx, 0), ḧ = 4λx(−y + λx).
struct Circle {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0] * x[0] + x[1] * x[1] - 1; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = -x[1] + lambda[0] * x[0];
    dx[1] = x[0];
  }
};

// The same written for double only.
struct CircleInDouble {
  void guards(double, ConstVectorRef x, VectorRef h) const { h[0] = x[0] * x[0] + x[1] * x[1] - 1; }
  void field(double, ConstVectorRef x, ConstVectorRef lambda, VectorRef dx) const {
    dx[0] = -x[1] + lambda[0] * x[0];
    dx[1] = x[0];
  }
};

// The same for double only, with the first derivatives by hand.
struct CircleWithJacobians : CircleInDouble {
  void field_dx(double, ConstVectorRef, ConstVectorRef lambda, MatrixRef jacobian) const {
    jacobian(0, 0) = lambda[0];
    jacobian(0, 1) = -1;
    jacobian(1, 0) = 1;
  }
  void guards_dx(double, ConstVectorRef x, MatrixRef jacobian) const {
    jacobian(0, 0) = 2 * x[0];
    jacobian(0, 1) = 2 * x[1];
  }
};

// Three states, two surfaces, everything depends on everything, f affine in each λ.
struct Tangled {
  void guards(auto t, const auto& x, auto&& h) const {
    using std::sin;
    h[0] = x[0] * x[1] - sin(t) * x[2];
    h[1] = x[0] * x[0] + x[2] * x[2] * x[1] - 1 + t * t;
  }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::cos, std::exp, std::sin;
    dx[0] = x[1] + lambda[0] * x[2] * x[2];
    dx[1] = -sin(x[0]) * x[2] + lambda[0] * lambda[1] * cos(t * x[1]);
    dx[2] = exp(-x[0] * t) - lambda[1] * x[1] * x[0];
  }
};

struct TangledInDouble {
  Tangled tangled;
  void guards(double t, ConstVectorRef x, VectorRef h) const { tangled.guards(t, x, h); }
  void field(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef dx) const {
    tangled.field(t, x, lambda, dx);
  }
};

// Fuller's problem, x'' = −sgn(x + c v|v|), the two halves of the parabola as surfaces: they touch at the origin.
struct Fuller {
  double c = 0.3;
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[1];
    h[1] = x[0] + c * x[1] * x[1];
    h[2] = x[0] - c * x[1] * x[1];
  }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = x[1];
    dx[1] = -0.5 * ((1.0 + lambda[0]) * lambda[1] + (1.0 - lambda[0]) * lambda[2]);
  }
};

}  // namespace example
