#include "lib/fmu/surface_pull.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/QR>

namespace slideway::fmu {

bool SurfacePull::has_dependent_guards(const Point& at, const Vector& sizes) {
  const auto count = static_cast<Index>(at.sliding.size());
  Matrix gradients(at.x.size(), count);
  for (Index k = 0; k < count; ++k) {
    Vector gradient = Vector::Zero(at.x.size());
    evaluator_.guard_gradient(at.t, at.x, at.sliding[static_cast<std::size_t>(k)], gradient);
    gradients.col(k) = gradient.cwiseProduct(sizes).normalized();
  }
  // Rounding of gradients of large terms.
  constexpr double least = 1e-10;
  Eigen::ColPivHouseholderQR<Matrix> solver(gradients);
  solver.setThreshold(least);
  return solver.rank() < count;
}

bool SurfacePull::find_guards(const Point& at) {
  guards_.resize(evaluator_.system().surfaces());
  evaluator_.guards(at.t, at.x, guards_);
  h_ = guards_(at.sliding);
  return h_.allFinite();
}

void SurfacePull::find_effect(const Point& at, Index k) {
  const Index i = at.sliding[static_cast<std::size_t>(k)];
  if (const auto* const columns = evaluator_.relay_columns(at.t, at.x, at.lambda)) {
    effect_.col(k) = columns->col(i);
    return;
  }
  // The field is affine in each λ: the far side tells its slope to rounding.
  lambda_ = at.lambda;
  lambda_[i] = at.lambda[i] > 0 ? -1 : 1;
  moved_.resize(at.x.size());
  evaluator_.field(at.t, at.x, lambda_, moved_);
  effect_.col(k) = (moved_ - at.field) / (lambda_[i] - at.lambda[i]);
}

bool SurfacePull::find_change(const Point& at, const Vector& across) {
  const auto count = static_cast<Index>(at.sliding.size());
  if (!at.lambda.allFinite()) return false;
  effect_.resize(at.x.size(), count);
  normal_effect_.resize(count, count);
  along_.resize(evaluator_.system().surfaces());
  for (Index k = 0; k < count; ++k) {
    find_effect(at, k);
    evaluator_.guard_directional(at.t, at.x, 0, effect_.col(k), along_);
    for (Index i = 0; i < count; ++i) normal_effect_(i, k) = along_[at.sliding[static_cast<std::size_t>(i)]];
  }
  if (!effect_.allFinite() || !normal_effect_.allFinite()) return false;
  if (count == 1) {
    const double effect = normal_effect_(0, 0);
    if (effect == 0) return false;
    change_ = effect_ * (across[0] / effect);
  } else {
    const Eigen::ColPivHouseholderQR<Matrix> solver(normal_effect_);
    if (!solver.isInvertible()) return false;
    change_ = effect_ * solver.solve(across);
  }
  return change_.allFinite();
}

void SurfacePull::add(const Point& at, const Project& project, double k, VectorRef dx) {
  if (!at.has_closed) {
    if (!find_guards(at) || h_.isZero(0)) return;
    if (find_change(at, h_)) {
      dx -= k * change_.head(dx.size());
      return;
    }
  }
  moved_ = at.x;
  project(moved_);
  dx -= k * (at.x - moved_).head(dx.size());
}

void SurfacePull::add_along(const Point& at, const Project& project, double k, const Vector& direction,
                            VectorRef dx_dot) {
  if (!at.has_closed && find_guards(at)) {
    along_.resize(guards_.size());
    evaluator_.guard_directional(at.t, at.x, 0, direction, along_);
    const Vector across = along_(at.sliding);
    if (find_change(at, across)) {
      dx_dot -= k * change_.head(dx_dot.size());
      return;
    }
  }
  const double length = direction.lpNorm<Eigen::Infinity>();
  if (!(length > 0)) return;
  const double step =
      std::cbrt(std::numeric_limits<double>::epsilon()) * (1 + at.x.lpNorm<Eigen::Infinity>()) / length;
  const auto projected = [&](double by) {
    Vector x = at.x + by * direction;
    project(x);
    return x;
  };
  const Vector kept = (projected(step) - projected(-step)) / (2 * step);
  dx_dot -= k * (direction - kept).head(dx_dot.size());
}

// Collatz and Wielandt: the largest ratio (|J|v)ᵢ/vᵢ of positive v is no less than the spectral radius of |J|, which is no less than any |μ|.
// The iteration takes |J| + cI, whose powers converge for any J; c = 0 would go round where |J| has a cycle.
double bound_of_rates(const Matrix& jacobian) {
  if (jacobian.size() == 0 || !jacobian.allFinite()) return 0;
  const Matrix sizes = jacobian.cwiseAbs();
  if (sizes.isZero(0)) return 0;
  constexpr int turns = 40;
  constexpr double least = 1e-12;
  Vector v = Vector::Ones(sizes.cols());
  double bound = std::numeric_limits<double>::infinity();
  for (int turn = 0; turn < turns; ++turn) {
    const Vector image = sizes * v;
    bound = std::min(bound, image.cwiseQuotient(v).maxCoeff());
    v = image + 0.5 * bound * v;
    v /= v.maxCoeff();
    v = v.cwiseMax(least);
  }
  return bound;
}

}  // namespace slideway::fmu
