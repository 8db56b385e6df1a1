// SlidingSolver where f has products of relays: the root of the mode among several.

#include <algorithm>
#include <cmath>

#include "core/factorise.hpp"
#include "filippov/generic_relays.hpp"
#include "filippov/newton_accuracy.hpp"
#include "filippov/sliding_solver.hpp"
#include "slideway/core/finite.hpp"

namespace slideway {

namespace {

// The least eigenvalue of D in units of the known D. No D on the straight way between the two is singular above
// it.
constexpr double kLeastRatio = 0.01;
// The least part of the way from the last known root to a point that is gone at once.
constexpr double kShortestPart = 1e-10;
// Points on the way that are tried: enough for one that gets shorter all the way to the least part, and longer again.
constexpr int kMostParts = 200;
// Another root within this distance has met the root of the mode, as far as that is located.
constexpr double kMeeting = 0.02;
// The least part of a relay in what the two differ by.
constexpr double kSeen = 1e-2;

}  // namespace

bool SlidingSolver::has_products(double t, ConstVectorRef x, ConstVectorRef lambda) {
  const Index k = static_cast<Index>(sliding_.size());
  if (exact_ || reduced_.dependent || newton_.diagonal || k < 2 || k > kLargestDense ||
      evaluator_.relay_columns(t, x, lambda))
    return false;
  // The relays that do not slide keep their values: a product with one of them is affine in those that slide.
  const auto effects_with = [&](double factor) {
    Vector relays = lambda;
    for (Index e = 0; e < k; ++e) relays[sliding_[static_cast<std::size_t>(e)]] = factor * generic_relay(e);
    return Matrix(normal_dlambda(t, x, relays));
  };
  const Matrix here = effects_with(1);
  const Matrix there = effects_with(-0.9);
  return here.allFinite() && there.allFinite() && !((here - there).norm() <= kSameEffects * here.norm());
}

bool SlidingSolver::leads_from_known(const Matrix& matrix) const {
  const Matrix ratio = branch_.known.factors.solve(matrix);
  if (!ratio.allFinite()) return false;
  const Eigen::EigenSolver<Matrix> parts(ratio, false);
  return parts.info() == Eigen::Success && parts.eigenvalues().real().minCoeff() >= kLeastRatio;
}

void SlidingSolver::keep_root(double t, ConstVectorRef x, ConstVectorRef lambda) {
  branch_.known.t = t;
  branch_.known.x = x;
  branch_.known.lambda = lambda;
  if (branch_.replaced) keep_factors();
}

void SlidingSolver::keep_factors() {
  branch_.known.factors = newton_.dense_factors;
  branch_.known.inverse_scale = newton_.inverse_scale;
  branch_.replaced = false;
}

bool SlidingSolver::keep_matrix() {
  branch_.replaced = true;
  if (!refresh(branch_.known.t, branch_.known.x, branch_.known.lambda)) return false;
  keep_factors();
  return true;
}

bool SlidingSolver::is_in_bounds(ConstVectorRef lambda) const {
  return std::all_of(sliding_.begin(), sliding_.end(), [&](Index i) { return std::abs(lambda[i]) <= 1; });
}

// Another root may lie between two roots whose D are alike.
bool SlidingSolver::middle_leads(double t, ConstVectorRef x, ConstVectorRef lambda) {
  return leads_from_known(Matrix(normal_dlambda(t, x, 0.5 * (lambda + branch_.known.lambda))));
}

bool SlidingSolver::solve_near(double t, ConstVectorRef x, VectorRef lambda, VectorRef dx) {
  if (branch_.replaced) {
    // An attempt that failed left its own.
    newton_.dense_factors = branch_.known.factors;
    newton_.inverse_scale = branch_.known.inverse_scale;
    branch_.replaced = false;
  }
  const int source = evaluator_.guard_rates_source() == DerivativeSource::finite_difference ? 1 : 0;
  double previous = INFINITY;
  for (int iteration = 0; iteration < kMostIterations; ++iteration) {
    evaluator_.field(t, x, lambda, dx);
    if (!all_finite(dx)) return false;
    find_residual(t, x, lambda, dx);
    if (!all_finite(buffers_.residual)) return false;
    const double error = scaled_residual();
    if (error <= (iteration == 0 ? kResidualOfGuess : kResidual)[source])
      return !branch_.replaced || middle_leads(t, x, lambda);
    // Rounding is reached when steps with new matrices no longer gain.
    if (branch_.replaced && iteration > 4 && error >= 0.5 * previous)
      return error <= kWorstResidual[source] && middle_leads(t, x, lambda);
    if (iteration > 0 && error > kGood * previous) {
      if (error <= 10 * kResidual[source]) return !branch_.replaced || middle_leads(t, x, lambda);
      branch_.replaced = true;
      if (!refresh(t, x, lambda) || !leads_from_known(newton_.dense)) return false;
    }
    previous = error;
    if (!step(buffers_.correction)) return false;
    correct(lambda);
  }
  return false;
}

bool SlidingSolver::follow(double t, ConstVectorRef x, VectorRef lambda, VectorRef dx) {
  // No other guess will do, which may be another root.
  const auto start_from_known = [&] { lambda(sliding_) = branch_.known.lambda(sliding_); };
  start_from_known();
  if (solve_near(t, x, lambda, dx)) {
    if (is_in_bounds(lambda)) keep_root(t, x, lambda);
    return true;
  }
  // Steps that gained much did not ask for a new matrix.
  if (!keep_matrix()) return false;
  const KnownRoot start = branch_.known;
  double gone = 0;
  double part = 1;
  for (int tried = 0; gone < 1 && tried < kMostParts; ++tried) {
    const double next = std::min(1.0, gone + part);
    branch_.point = next < 1 ? Vector(start.x + next * (x - start.x)) : Vector(x);
    const double point_t = next < 1 ? start.t + next * (t - start.t) : t;
    start_from_known();
    if (solve_near(point_t, branch_.point, lambda, dx)) {
      keep_root(point_t, branch_.point, lambda);
      gone = next;
      part *= 2;
      if (gone == 1 || keep_matrix()) continue;
    } else {
      part *= 0.5;
      if (part >= kShortestPart) continue;
    }
    break;
  }
  // The root may go anywhere where no motion slides, so the search does not go on from there.
  if (gone < 1 || !is_in_bounds(lambda)) {
    branch_.known = start;
    branch_.replaced = true;
  }
  return gone == 1;
}

std::vector<Index> SlidingSolver::ending() {
  std::vector<Index> result;
  if (!branch_.follows) return result;
  const auto matrix = [&](double part, const Vector& way) {
    Vector lambda = branch_.known.lambda;
    for (Index e = 0; e < way.size(); ++e) lambda[sliding_[static_cast<std::size_t>(e)]] += part * way[e];
    return Matrix(normal_dlambda(branch_.known.t, branch_.known.x, lambda));
  };
  const Index k = static_cast<Index>(sliding_.size());
  const Matrix here = matrix(0, Vector::Zero(k));
  const Vector sizes = here.cwiseAbs().rowwise().sum();
  if (!here.allFinite() || !(sizes.minCoeff() > 0)) return result;
  const Vector units = sizes.cwiseInverse();
  const Eigen::JacobiSVD<Matrix> parts(units.asDiagonal() * here, Eigen::ComputeFullU | Eigen::ComputeFullV);
  // Along the singular direction of D, w is σa + qa²: the other root is at a = −σ/q.
  const Vector way = parts.matrixV().col(k - 1);
  const Vector across = units.cwiseProduct(parts.matrixU().col(k - 1));
  const double bend = 0.25 * across.dot((matrix(1, way) - matrix(-1, way)) * way);
  if (!(parts.singularValues()[k - 1] <= kMeeting * std::abs(bend))) return result;
  for (Index e = 0; e < k; ++e) {
    if (std::abs(way[e]) > kSeen) result.push_back(sliding_[static_cast<std::size_t>(e)]);
  }
  return result;
}

}  // namespace slideway
