#include "manifolds/saddle_directions.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "core/factorise.hpp"
#include "orbit/equilibrium_motion.hpp"

namespace slideway {

namespace {

// An eigenvalue whose real part is below this part of the size of the matrix is neutral: derivatives that are differences have errors of
// 1e-10, and those of a double eigenvalue are their square roots.
constexpr double kNeutral = 1e-8;

}  // namespace

SaddleDirections saddle_directions(const Automaton& problem, const Equilibrium& equilibrium, double t,
                                   const Vector& sizes, SlidingRule rule, bool backwards) {
  SaddleDirections result;
  const ZeroMotion motion = motion_beside(problem, equilibrium, t, sizes, rule);
  Index sliding = 0;
  for (Index i = 0; i < equilibrium.lambda.size(); ++i) sliding += equilibrium.mode.slides_on(i) ? 1 : 0;
  const bool is_left = equilibrium.attracting.has_value() && *equilibrium.attracting == backwards;
  if (is_left) result.beside = sliding;
  const Index size = motion.rates.cols();
  if (size == 0) return result;
  const Matrix rates = backwards ? Matrix(-motion.rates) : motion.rates;
  const Eigen::EigenSolver<Matrix> solver(rates);
  const double scale = rates.norm();
  result.slowest = std::numeric_limits<double>::infinity();
  Index growing = -1;
  for (Index k = 0; k < size; ++k) {
    const std::complex<double> value = solver.eigenvalues()[k];
    result.slowest = std::min(result.slowest, std::abs(value.real()));
    if (std::abs(value.real()) <= kNeutral * scale) result.hyperbolic = false;
    if (!(value.real() > kNeutral * scale)) continue;
    ++result.along;
    growing = k;
  }
  if (result.along != 1) return result;
  Vector scaled = motion.basis * solver.eigenvectors().col(growing).real();
  Index largest = 0;
  scaled.cwiseAbs().maxCoeff(&largest);
  scaled /= scaled[largest];
  result.direction = scaled.cwiseProduct(sizes);
  const Eigen::EigenSolver<Matrix> transposed(Matrix(rates.transpose()));
  Index same = 0;
  (transposed.eigenvalues().array() - solver.eigenvalues()[growing]).abs().minCoeff(&same);
  const Vector left = (motion.basis * transposed.eigenvectors().col(same).real()).cwiseQuotient(sizes);
  result.left = left / left.dot(result.direction);
  return result;
}

std::string why_no_saddle(const Equilibrium& equilibrium, const SaddleDirections& forwards,
                          const SaddleDirections& backwards) {
  if (!equilibrium.admissible) return "it is virtual";
  if (equilibrium.continuum > 0) return "it is one of a continuum";
  if (equilibrium.kind == EquilibriumKind::boundary) return "it lies at a limit of its mode";
  if (!forwards.hyperbolic) return "it is not hyperbolic";
  if (forwards.dimensions() == 0 || backwards.dimensions() == 0) return "it is no saddle";
  return "";
}

}  // namespace slideway
