#include "orbit/equilibrium_newton.hpp"

#include <cmath>

#include "core/factorise.hpp"

namespace slideway {

namespace {

// A damped step of Newton's method arrives from as far as kLongestNewtonStep·20 sizes. It then doubles its digits
// five times, or gains a digit in three steps at a zero that is not simple, of which rounding leaves eight.
constexpr int kMostNewtonSteps = 60;
constexpr double kLongestNewtonStep =
    3;  // of Newton's method: a step as long as a state and its negative are apart, and half as much
// Newton's method doubles the digits: after a step of this size rounding is left.
constexpr double kConverged = 1e-9;
// The largest accepted residual, as a part of the change over the sizes of the states: the step before is of
// kConverged at most, and changes equations by no more.
constexpr double kAcceptedEquations = 1e-9;

}  // namespace

void scale_rows(Matrix& jacobian, Vector& value) {
  for (Index i = 0; i < value.size(); ++i) {
    const double size = jacobian.row(i).cwiseAbs().maxCoeff();
    if (!(size > 0)) continue;
    jacobian.row(i) /= size;
    value[i] /= size;
  }
}

double scaled_residual(const ValueAndJacobian& equations, const Vector& z) {
  Vector value;
  Matrix jacobian;
  equations(z, value, jacobian);
  scale_rows(jacobian, value);
  return value.size() == 0 ? 0.0 : value.lpNorm<Eigen::Infinity>();
}

std::optional<Vector> newton_zero(const ValueAndJacobian& equations, Vector z) {
  Vector value;
  Matrix jacobian;
  double last = 0;
  for (int iteration = 0; iteration < kMostNewtonSteps; ++iteration) {
    equations(z, value, jacobian);
    if (!value.allFinite() || !jacobian.allFinite()) return std::nullopt;
    scale_rows(jacobian, value);
    Eigen::CompleteOrthogonalDecomposition<Matrix> solver;
    solver.setThreshold(kEquilibriumRankZero);
    solver.compute(jacobian);
    Vector step = solver.solve(value);
    const double length = step.lpNorm<Eigen::Infinity>();
    if (!std::isfinite(length)) return std::nullopt;
    if (length > kLongestNewtonStep) step *= kLongestNewtonStep / length;
    z -= step;
    const bool has_converged =
        length <= kConverged || (length <= kConvergedSlowly && iteration > 10 && length >= 0.9 * last);
    last = length;
    if (!has_converged) continue;
    if (scaled_residual(equations, z) <= kAcceptedEquations) return z;
    if (length <= 0.01 * kConverged) return std::nullopt;
  }
  return std::nullopt;
}

}  // namespace slideway
