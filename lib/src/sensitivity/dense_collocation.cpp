#include "sensitivity/collocation.hpp"

namespace slideway {

Matrix DenseCollocation::slope(double t, const Matrix& s) {
  jacobian_(t, at_[0]);
  return at_[0].topRows(states_) * s;
}

bool DenseCollocation::solve(double a, double h, const Matrix& s, const Matrix& /*floors*/,
                             std::vector<Matrix>& slopes, Matrix& end) {
  const Index n = states_, q = s.cols(), beyond = s.rows() - n, stages = formula().stages;
  for (Index k = 0; k < stages; ++k) jacobian_(time_of(a, h, k), at_[static_cast<std::size_t>(k)]);
  const Index size = stages * n;
  system_.resize(size, size);
  right_.resize(size, q);
  for (Index j = 0; j < stages; ++j) {
    Matrix& slope = slopes[static_cast<std::size_t>(j)];
    slope.resize(n, q);
    if (beyond > 0) {
      slope = at_[static_cast<std::size_t>(j)].topRightCorner(n, beyond).lazyProduct(s.bottomRows(beyond));
    } else {
      slope.setZero();
    }
  }
  for (Index j = 0; j < stages; ++j) {
    const Matrix& jacobian = at_[static_cast<std::size_t>(j)];
    for (Index column = 0; column < n; ++column) {
      double* out = system_.col(j * n + column).data();
      const double* const of = jacobian.col(column).data();
      for (Index i = 0; i < stages; ++i) {
        const double weight = -h * formula().weights(i, j);
        for (Index row = 0; row < n; ++row) *out++ = weight * of[row];
      }
    }
  }
  system_.diagonal().array() += 1;
  for (Index c = 0; c < q; ++c) {
    double* out = right_.col(c).data();
    for (Index i = 0; i < stages; ++i) {
      for (Index row = 0; row < n; ++row) {
        double sum = s(row, c);
        for (Index j = 0; beyond > 0 && j < stages; ++j)
          sum += h * formula().weights(i, j) * slopes[static_cast<std::size_t>(j)](row, c);
        *out++ = sum;
      }
    }
  }
  factors_.compute(system_);
  stages_ = factors_.solve(right_);
  for (Index k = 0; k < stages; ++k)
    slopes[static_cast<std::size_t>(k)] +=
        at_[static_cast<std::size_t>(k)].topLeftCorner(n, n).lazyProduct(stages_.middleRows(k * n, n));
  end = stages_.bottomRows(n);
  return true;
}

Matrix DenseCollocation::damped(double h, const Matrix& defect) {
  system_ = Matrix::Identity(states_, states_) - 0.25 * h * at_[0].topLeftCorner(states_, states_);
  filter_.compute(system_);
  return filter_.solve(defect);
}

}  // namespace slideway
