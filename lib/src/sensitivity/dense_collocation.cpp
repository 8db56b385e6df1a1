#include "sensitivity/collocation.hpp"

namespace slideway {

namespace {

constexpr Index kFewColumns = 4;

}  // namespace

Matrix DenseCollocation::slope(double t, const Matrix& s) {
  jacobian_(t, at_[0]);
  return at_[0].topRows(states_) * s;
}

// Loops over few states are written out by the compiler where it knows their number.
template <int N>
void DenseCollocation::fill(double h, const Matrix& s) {
  const Index n = N == Eigen::Dynamic ? states_ : N, stages = formula().stages;
  const double* const weights = formula().weights.data();
  for (Index j = 0; j < stages; ++j) {
    const Matrix& jacobian = at_[static_cast<std::size_t>(j)];
    for (Index column = 0; column < n; ++column) {
      double* out = system_.col(j * n + column).data();
      const double* const of = jacobian.col(column).data();
      for (Index i = 0; i < stages; ++i, out += n) {
        const double weight = -h * weights[j * stages + i];
        for (Index row = 0; row < n; ++row) out[row] = weight * of[row];
      }
    }
  }
  system_.diagonal().array() += 1;
  for (Index c = 0; c < s.cols(); ++c) {
    double* out = right_.col(c).data();
    for (Index i = 0; i < stages; ++i, out += n) {
      for (Index row = 0; row < n; ++row) out[row] = s(row, c);
      if (s.rows() == n) continue;
      const double* part = parts_.col(c).data();
      for (Index j = 0; j < stages; ++j, part += n) {
        const double weight = h * weights[j * stages + i];
        for (Index row = 0; row < n; ++row) out[row] += weight * part[row];
      }
    }
  }
}

bool DenseCollocation::solve(double a, double h, const Matrix& s, const Matrix& /*floors*/,
                             std::vector<Matrix>& slopes, Matrix& end) {
  const Index n = states_, q = s.cols(), beyond = s.rows() - n, stages = formula().stages;
  for (Index k = 0; k < stages; ++k) jacobian_(time_of(a, h, k), at_[static_cast<std::size_t>(k)]);
  const Index size = stages * n;
  system_.resize(size, size);
  right_.resize(size, q);
  parts_.resize(size, q);
  for (Index j = 0; beyond > 0 && j < stages; ++j)
    parts_.middleRows(j * n, n) =
        at_[static_cast<std::size_t>(j)].topRightCorner(n, beyond).lazyProduct(s.bottomRows(beyond));
  switch (n) {
    case 2: fill<2>(h, s); break;
    case 3: fill<3>(h, s); break;
    case 4: fill<4>(h, s); break;
    default: fill<Eigen::Dynamic>(h, s);
  }
  factors_.compute(system_);
  // To solve for several columns at once pays for more than a few.
  if (q > kFewColumns) {
    stages_ = factors_.solve(right_);
  } else {
    stages_.resize(size, q);
    for (Index c = 0; c < q; ++c) stages_.col(c) = factors_.solve(right_.col(c));
  }
  for (Index k = 0; k < stages; ++k) {
    Matrix& slope = slopes[static_cast<std::size_t>(k)];
    slope = at_[static_cast<std::size_t>(k)].topLeftCorner(n, n).lazyProduct(stages_.middleRows(k * n, n));
    if (beyond > 0) slope += parts_.middleRows(k * n, n);
  }
  end = stages_.bottomRows(n);
  return true;
}

Matrix DenseCollocation::damped(double h, const Matrix& defect) {
  system_ = Matrix::Identity(states_, states_) - 0.25 * h * at_[0].topLeftCorner(states_, states_);
  filter_.compute(system_);
  return filter_.solve(defect);
}

}  // namespace slideway
