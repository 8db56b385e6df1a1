#include <cmath>

#include "sensitivity/collocation.hpp"

namespace slideway {

namespace {

const double kRoot6 = std::sqrt(6.0);

}  // namespace

const double Radau::nodes[3] = {(4 - kRoot6) / 10, (4 + kRoot6) / 10, 1};
const double Radau::weights[3][3] = {
    {(88 - 7 * kRoot6) / 360, (296 - 169 * kRoot6) / 1800, (-2 + 3 * kRoot6) / 225},
    {(296 + 169 * kRoot6) / 1800, (88 + 7 * kRoot6) / 360, (-2 - 3 * kRoot6) / 225},
    {(16 - kRoot6) / 36, (16 + kRoot6) / 36, 1.0 / 9}};

Matrix DenseCollocation::slope(double t, const Matrix& s) {
  jacobian_(t, at_[0]);
  return at_[0].topRows(states_) * s;
}

void DenseCollocation::solve(double a, double h, const Matrix& s, Matrix (&slopes)[3], Matrix& end) {
  const Index n = states_;
  const Index beyond = s.rows() - n;
  for (int k = 0; k < 3; ++k) jacobian_(k == 2 ? a + h : a + Radau::nodes[k] * h, at_[k]);
  system_.resize(3 * n, 3 * n);
  right_.resize(3 * n, s.cols());
  for (int j = 0; j < 3; ++j) {
    slopes[j].setZero(n, s.cols());
    if (beyond > 0) slopes[j].noalias() = at_[j].topRightCorner(n, beyond) * s.bottomRows(beyond);
  }
  for (int i = 0; i < 3; ++i) {
    auto right = right_.middleRows(i * n, n);
    right = s.topRows(n);
    for (int j = 0; j < 3; ++j) {
      const double weight = h * Radau::weights[i][j];
      system_.block(i * n, j * n, n, n) = -weight * at_[j].topLeftCorner(n, n);
      if (beyond > 0) right += weight * slopes[j];
    }
  }
  system_.diagonal().array() += 1;
  factors_.compute(system_);
  stages_ = factors_.solve(right_);
  for (int k = 0; k < 3; ++k)
    slopes[k].noalias() += at_[k].topLeftCorner(n, n) * stages_.middleRows(k * n, n);
  end = stages_.bottomRows(n);
}

Matrix DenseCollocation::damped(double h, const Matrix& defect) {
  system_ = Matrix::Identity(states_, states_) - 0.25 * h * at_[0].topLeftCorner(states_, states_);
  filter_.compute(system_);
  return filter_.solve(defect);
}

}  // namespace slideway
