#include "slideway/filippov/surface_geometry.hpp"

#include <cmath>
#include <limits>

namespace slideway {

namespace {
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr int kNewtonIterations = 12;
}  // namespace

SurfaceGeometry::SurfaceGeometry(Evaluator& evaluator)
    : evaluator_(evaluator),
      gradient_(Vector::Zero(evaluator.system().states())),
      values_(Vector::Zero(evaluator.system().surfaces())),
      direction_(Vector::Zero(evaluator.system().states())),
      original_(Vector::Zero(evaluator.system().states())),
      time_derivative_(Vector::Zero(evaluator.system().surfaces())) {}

const Vector& SurfaceGeometry::gradient(double t, ConstVectorRef x, Index surface) {
  evaluator_.guard_gradient(t, x, surface, gradient_);
  return gradient_;
}

double SurfaceGeometry::size(double t, ConstVectorRef x, Index surface) {
  gradient(t, x, surface);
  evaluator_.guards_dt(t, x, time_derivative_);
  return gradient_.cwiseAbs().dot(x.cwiseAbs()) + std::abs(time_derivative_[surface] * t);
}

double SurfaceGeometry::rounding(double t, ConstVectorRef x, Index surface) {
  return 16 * kEpsilon * size(t, x, surface);
}

double SurfaceGeometry::tolerance(double t, ConstVectorRef x, Index surface, ConstVectorRef weights) {
  gradient(t, x, surface);
  return gradient_.cwiseAbs().cwiseQuotient(weights).sum();
}

bool SurfaceGeometry::project(double t, Index surface, ConstVectorRef weights, VectorRef x) {
  original_ = x;
  double best = std::numeric_limits<double>::infinity();
  for (int iteration = 0; iteration < kNewtonIterations; ++iteration) {
    evaluator_.guards(t, x, values_);
    const double h = values_[surface];
    if (!std::isfinite(h)) break;
    residual_ = 0;
    if (h == 0) return true;
    const bool stalled = std::abs(h) >= 0.5 * best;
    if (iteration == 0 || std::abs(h) > 1e-6 * best) evaluator_.guard_gradient(t, x, surface, gradient_);
    // A state that is zero on the surface has no rounding of its own; that of its error scale stands in.
    const double unit =
        kEpsilon * gradient_.cwiseAbs().dot(x.cwiseAbs() + weights.cwiseAbs().cwiseInverse());
    residual_ = std::abs(h) / unit;
    if (iteration > 0 && (residual_ <= 1 || (stalled && residual_ <= 64))) return true;
    if (stalled) break;
    best = std::abs(h);
    direction_ = gradient_.cwiseQuotient(weights.cwiseAbs2());
    const double slope = gradient_.dot(direction_);
    if (!(slope > 0) || !std::isfinite(slope)) break;
    // Dividing first keeps a surface that fixes one state exact: the step is then h/∂ⱼh to the last bit.
    x -= (direction_ / slope) * h;
  }
  x = original_;
  residual_ = std::numeric_limits<double>::infinity();
  return false;
}

}  // namespace slideway
