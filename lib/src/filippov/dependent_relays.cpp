#include "filippov/dependent_relays.hpp"

#include <cmath>

#include "core/factorise.hpp"
#include "filippov/complementarity.hpp"

namespace slideway {

namespace {

// The norm of λ has this small weight beside the equations.
constexpr double kNormWeight = 1e-8;
// The norm may keep λ this far from a bound, as a part of the way to the other bound.
constexpr double kOffBound = 1e-6;

Vector row_sizes(const Matrix& D) {
  return D.cols() > 0 ? Vector(D.cwiseAbs().rowwise().maxCoeff()) : Vector(Vector::Zero(D.rows()));
}

Matrix rows_scaled_to_one(const Matrix& D) {
  Matrix scaled = D;
  const Vector sizes = row_sizes(D);
  for (Index i = 0; i < D.rows(); ++i) {
    if (sizes[i] > 0) scaled.row(i) /= sizes[i];
  }
  return scaled;
}

}  // namespace

std::optional<Vector> smallest_in_box(const Matrix& D, const Vector& r, const Vector& lower,
                                      const Vector& upper, const Vector& zero, double tolerance) {
  const Index k = D.cols();
  const Vector sizes = row_sizes(D);
  Matrix scaled = rows_scaled_to_one(D);
  Vector target = r;
  for (Index i = 0; i < D.rows(); ++i) {
    if (sizes[i] > 0) {
      target[i] /= sizes[i];
    } else if (!(std::abs(r[i]) <= zero[i])) {
      return std::nullopt;
    } else {
      target[i] = 0;
    }
  }
  if (!scaled.allFinite() || !target.allFinite()) return std::nullopt;
  const auto solves = [&](const Vector& lambda) {
    return ((scaled * lambda - target).cwiseAbs().array() <= tolerance).all();
  };
  const auto fits = [&](const Vector& lambda) {
    return ((lambda - lower).array() >= 0).all() && ((upper - lambda).array() >= 0).all();
  };
  const auto least_norm = [](const Matrix& matrix, const Vector& rhs) {
    Eigen::CompleteOrthogonalDecomposition<Matrix> factors;
    factors.setThreshold(dependent_pivot);
    factors.compute(matrix);
    return Vector(factors.solve(rhs));
  };
  const Vector free = least_norm(scaled, target);
  if (!solves(free)) return std::nullopt;
  if (fits(free)) return free;
  // min ½|Dλ − r|² + ½δ|λ|² in the box is a complementarity problem with a positive definite matrix.
  const Matrix M = scaled.transpose() * scaled + kNormWeight * Matrix::Identity(k, k);
  const ComplementarityAnswer answer =
      solve_box_complementarity(M, -scaled.transpose() * target, lower, upper);
  if (!answer.solved) return std::nullopt;
  // The relays that are not at a bound restore the equations, which the weight of the norm has disturbed.
  const auto put_right = [&](Vector lambda) {
    std::vector<Index> inside;
    for (Index i = 0; i < k; ++i) {
      if (lambda[i] > lower[i] && lambda[i] < upper[i]) inside.push_back(i);
    }
    if (inside.empty()) return lambda;
    Vector corrected = lambda;
    corrected(inside) -= least_norm(scaled(Eigen::all, inside), scaled * lambda - target);
    return Vector(corrected.cwiseMax(lower).cwiseMin(upper));
  };
  // It also keeps them off the bounds that they are at.
  Vector at_bounds = answer.z;
  for (Index i = 0; i < k; ++i) {
    if (upper[i] - at_bounds[i] <= kOffBound * (upper[i] - lower[i])) at_bounds[i] = upper[i];
    if (at_bounds[i] - lower[i] <= kOffBound * (upper[i] - lower[i])) at_bounds[i] = lower[i];
  }
  at_bounds = put_right(at_bounds);
  if (solves(at_bounds)) return at_bounds;
  const Vector lambda = put_right(answer.z);
  if (!solves(lambda)) return std::nullopt;
  return lambda;
}

Matrix unseen_directions(const Matrix& D) {
  Eigen::FullPivLU<Matrix> factors;
  factors.setThreshold(dependent_pivot);
  factors.compute(rows_scaled_to_one(D));
  if (factors.rank() == D.cols()) return Matrix(D.cols(), 0);
  return factors.kernel();
}

Matrix solve_dependent(const Matrix& D, const Matrix& R) {
  Eigen::CompleteOrthogonalDecomposition<Matrix> factors;
  factors.setThreshold(dependent_pivot);
  factors.compute(D);
  return factors.solve(R);
}

RegularPart regular_part(const Matrix& D) {
  RegularPart part;
  if (D.size() == 0) return part;
  Eigen::FullPivLU<Matrix> factors;
  factors.setThreshold(dependent_pivot);
  factors.compute(rows_scaled_to_one(D));
  // P D Q = L U: the leading rows and columns after the permutations are the pivots'.
  const auto& rows = factors.permutationP().indices();
  const auto& columns = factors.permutationQ().indices();
  part.rows.resize(static_cast<std::size_t>(factors.rank()));
  part.columns.resize(static_cast<std::size_t>(factors.rank()));
  for (Index i = 0; i < D.rows(); ++i) {
    if (rows[i] < factors.rank()) part.rows[static_cast<std::size_t>(rows[i])] = i;
  }
  for (Index j = 0; j < factors.rank(); ++j) part.columns[static_cast<std::size_t>(j)] = columns[j];
  return part;
}

double second_order_return_factor(const Vector& second_derivatives, double kappa) {
  // pull() takes the signs of h₁ and of its speed.
  const auto pull = [&](int h, int speed) {
    const bool second_bit = (speed > 0) == (kappa > 0);
    return second_derivatives[(h > 0 ? 1 : 0) + (second_bit ? 2 : 0)];
  };
  const double away_plus = -pull(1, 1);
  const double back_plus = -pull(1, -1);
  const double away_minus = pull(-1, -1);
  const double back_minus = pull(-1, 1);
  if (!(away_plus > 0 && back_plus > 0 && away_minus > 0 && back_minus > 0)) return 0;
  return std::sqrt(back_plus * back_minus / (away_plus * away_minus));
}

}  // namespace slideway
