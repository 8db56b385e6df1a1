#include "sensitivity/collocation.hpp"

#include <cmath>
#include <utility>

#include "core/wide_loops.hpp"

namespace slideway {

namespace {

// A blocked factorisation is the faster one from about this size.
constexpr Index kSmallSystem = 48;

// By it the derivatives by one value take 0.3 (dry friction) to 0.7 (belt) of the run beside them less than by Eigen::PartialPivLU, by
// instructions at rtol 1e-6, which is a tenth to a sixth of all that such a run takes.
// Elimination solves A X = B with partial pivoting, where the columns of B stand behind those of A. X takes the place of B. Columns are
// `rows` apart, a constant, and loops are over whole columns, so that a compiler can unroll them. Entries behind those of A are 0.
template <Index rows>
struct Elimination {
  [[gnu::always_inline]] void operator()(Index size, Index columns, double* data) const {
    alignas(32) double factors[rows];
    for (Index k = 0; k < size; ++k) {
      double* const pivots = data + k * rows;
      Index best = k;
      for (Index i = k + 1; i < size; ++i)
        if (std::abs(pivots[i]) > std::abs(pivots[best])) best = i;
      if (best != k)
        for (Index j = k; j < columns; ++j) std::swap(data[j * rows + k], data[j * rows + best]);
      const double reciprocal = 1 / pivots[k];
      for (Index i = 0; i < rows; ++i) factors[i] = i > k ? reciprocal * pivots[i] : 0;
      for (Index j = k + 1; j < columns; ++j) {
        double* __restrict const column = data + j * rows;
        const double pivot = column[k];
        for (Index i = 0; i < rows; ++i) column[i] -= pivot * factors[i];
      }
    }
    for (Index j = size; j < columns; ++j) {
      double* const column = data + j * rows;
      for (Index k = size; k-- > 0;) {
        const double* const upper = data + k * rows;
        column[k] /= upper[k];
        for (Index i = 0; i < k; ++i) column[i] -= column[k] * upper[i];
      }
    }
  }
};

// The least of the lengths of columns that there are for this size.
Index rows_of(Index size) {
  for (const Index rows : {8, 12, 16, 24, 32})
    if (size <= rows) return rows;
  return kSmallSystem;
}

void eliminate(Index size, Matrix& system) {
  double* const data = system.data();
  switch (system.rows()) {
    case 8: run_loop(Elimination<8>(), size, system.cols(), data); break;
    case 12: run_loop(Elimination<12>(), size, system.cols(), data); break;
    case 16: run_loop(Elimination<16>(), size, system.cols(), data); break;
    case 24: run_loop(Elimination<24>(), size, system.cols(), data); break;
    case 32: run_loop(Elimination<32>(), size, system.cols(), data); break;
    default: run_loop(Elimination<kSmallSystem>(), size, system.cols(), data); break;
  }
}

}  // namespace

Matrix DenseCollocation::slope(double t, const Matrix& s) {
  jacobian_(t, at_[0]);
  return at_[0].topRows(states_) * s;
}

void DenseCollocation::solve(double a, double h, const Matrix& s, std::vector<Matrix>& slopes, Matrix& end) {
  const Index n = states_, q = s.cols(), beyond = s.rows() - n, stages = formula().stages;
  for (Index k = 0; k < stages; ++k) jacobian_(time_of(a, h, k), at_[static_cast<std::size_t>(k)]);
  const Index size = stages * n;
  // The right side stands behind the columns of the system.
  const bool is_small = size <= kSmallSystem;
  const Index rows = is_small ? rows_of(size) : size;
  system_.resize(rows, size + q);
  if (rows > size) system_.bottomRows(rows - size).setZero();
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
  for (Index k = 0; k < size; ++k) system_(k, k) += 1;
  for (Index c = 0; c < q; ++c) {
    double* out = system_.col(size + c).data();
    for (Index i = 0; i < stages; ++i) {
      for (Index row = 0; row < n; ++row) {
        double sum = s(row, c);
        for (Index j = 0; beyond > 0 && j < stages; ++j)
          sum += h * formula().weights(i, j) * slopes[static_cast<std::size_t>(j)](row, c);
        *out++ = sum;
      }
    }
  }
  if (is_small) {
    eliminate(size, system_);
    stages_ = system_.block(0, size, size, q);
  } else {
    factors_.compute(system_.leftCols(size));
    stages_ = factors_.solve(system_.rightCols(q));
  }
  for (Index k = 0; k < stages; ++k)
    slopes[static_cast<std::size_t>(k)] +=
        at_[static_cast<std::size_t>(k)].topLeftCorner(n, n).lazyProduct(stages_.middleRows(k * n, n));
  end = stages_.bottomRows(n);
}

Matrix DenseCollocation::damped(double h, const Matrix& defect) {
  system_ = Matrix::Identity(states_, states_) - 0.25 * h * at_[0].topLeftCorner(states_, states_);
  filter_.compute(system_);
  return filter_.solve(defect);
}

}  // namespace slideway
