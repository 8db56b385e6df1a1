#include "sensitivity/variation.hpp"

#include <algorithm>
#include <cmath>

namespace slideway {

namespace {

const double kRoot6 = std::sqrt(6.0);
const double kNodes[3] = {(4 - kRoot6) / 10, (4 + kRoot6) / 10, 1};
const double kRadau[3][3] = {{(88 - 7 * kRoot6) / 360, (296 - 169 * kRoot6) / 1800, (-2 + 3 * kRoot6) / 225},
                             {(296 + 169 * kRoot6) / 1800, (88 + 7 * kRoot6) / 360, (-2 - 3 * kRoot6) / 225},
                             {(16 - kRoot6) / 36, (16 + kRoot6) / 36, 1.0 / 9}};

// The coefficients of 1, θ, θ², θ³ of the polynomial that is 1 at node k of 0, c₁, c₂, 1 and 0 at the others.
struct Lagrange {
  double of[4][4];
  Lagrange() {
    const double nodes[4] = {0, kNodes[0], kNodes[1], 1};
    for (int k = 0; k < 4; ++k) {
      double polynomial[4] = {1, 0, 0, 0};
      double scale = 1;
      int degree = 0;
      for (int j = 0; j < 4; ++j) {
        if (j == k) continue;
        scale *= nodes[k] - nodes[j];
        for (int d = degree + 1; d > 0; --d) polynomial[d] = polynomial[d - 1] - nodes[j] * polynomial[d];
        polynomial[0] *= -nodes[j];
        ++degree;
      }
      for (int d = 0; d < 4; ++d) of[k][d] = polynomial[d] / scale;
    }
  }
};

// The slope at 0 of the quadratic through the slopes at the three stages.
struct AtStart {
  double of[3];
  AtStart() {
    for (int k = 0; k < 3; ++k) {
      of[k] = 1;
      for (int j = 0; j < 3; ++j)
        if (j != k) of[k] *= kNodes[j] / (kNodes[j] - kNodes[k]);
    }
  }
};

const Lagrange kCubic;
const AtStart kStart;

constexpr int kMostPartings = 24;

}  // namespace

double Variation::error(double h, const Matrix& floors, const Matrix& s) {
  // The defect of the collocation at the beginning of the step, which is h³S⁗/60.
  defect_ = slope_;
  for (int k = 0; k < 3; ++k) defect_ -= kStart.of[k] * slopes_[k];
  const auto size = [&](Index i, Index j) {
    return std::max({std::abs(s(i, j)), std::abs(stages_(2 * states_ + i, j)), floors(i, j)});
  };
  const auto largest = [&] {
    double worst = 0;
    for (Index j = 0; j < s.cols(); ++j)
      for (Index i = 0; i < states_; ++i) worst = std::max(worst, h * std::abs(defect_(i, j)) / size(i, j));
    return worst;
  };
  // S inside the step is a polynomial of degree 4, of order 5; the end is of order 5 with a smaller constant.
  const auto allowed = [&](double part) { return 4e-4 * std::pow(60 * part, 1.25) / rtol_; };
  double result = allowed(largest());
  if (!(result > 1)) return result;
  // What is stiff is damped in the defect as it is in the step.
  system_ = Matrix::Identity(states_, states_) - 0.25 * h * first_.topLeftCorner(states_, states_);
  filter_.compute(system_);
  defect_.topRows(states_) = filter_.solve(defect_.topRows(states_)).eval();
  return allowed(largest());
}

double Variation::step(double a, double h, const Jacobian& jacobian, const Matrix& floors, const Matrix& s) {
  if (!has_first_) jacobian(a, first_);
  has_first_ = true;
  for (int k = 0; k < 3; ++k) jacobian(k == 2 ? a + h : a + kNodes[k] * h, at_[k]);
  const Index n = states_;
  const Index beyond = s.rows() - n;
  system_.resize(3 * n, 3 * n);
  right_.resize(3 * n, s.cols());
  for (int i = 0; i < 3; ++i) {
    right_.middleRows(i * n, n) = s.topRows(n);
    for (int j = 0; j < 3; ++j) {
      system_.block(i * n, j * n, n, n) = -h * kRadau[i][j] * at_[j].topLeftCorner(n, n);
      if (beyond > 0)
        right_.middleRows(i * n, n).noalias() +=
            h * kRadau[i][j] * at_[j].topRightCorner(n, beyond) * s.bottomRows(beyond);
    }
  }
  system_.diagonal().array() += 1;
  factors_.compute(system_);
  stages_ = factors_.solve(right_);
  slope_ = first_.topRows(n) * s;
  for (int k = 0; k < 3; ++k) {
    slopes_[k] = at_[k].topLeftCorner(n, n) * stages_.middleRows(k * n, n);
    if (beyond > 0) slopes_[k].noalias() += at_[k].topRightCorner(n, beyond) * s.bottomRows(beyond);
  }
  return error(h, floors, s);
}

void Variation::advance(double a, double b, const Jacobian& jacobian, const Matrix& floors, Matrix& s,
                        const Piece& piece) {
  double t = a;
  double h = (b - a) / std::max(1.0, std::floor(parts_));
  const double least = (b - a) * std::ldexp(1.0, -kMostPartings);
  while (t < b) {
    const bool is_last = t + 1.001 * h >= b;
    const double length = is_last ? b - t : h;
    const double wrong = step(t, length, jacobian, floors, s);
    if (!(wrong <= 1) && length > least) {
      h = length / std::clamp(std::ceil(std::pow(wrong, 0.2) * 1.1), 2.0, 16.0);
      if (!std::isfinite(wrong)) h = length / 16;
      continue;
    }
    coefficients_.resize(s.rows(), 5 * s.cols());
    coefficients_.setZero();
    coefficients_.leftCols(s.cols()) = s;
    for (int d = 0; d < 4; ++d) {
      auto part = coefficients_.middleCols((d + 1) * s.cols(), s.cols()).topRows(states_);
      part = kCubic.of[0][d] * slope_;
      for (int k = 0; k < 3; ++k) part += kCubic.of[k + 1][d] * slopes_[k];
      part *= length / (d + 1);
    }
    piece(t, length, coefficients_);
    s.topRows(states_) = stages_.bottomRows(states_);
    first_.swap(at_[2]);
    t = is_last ? b : t + length;
    parts_ = std::max(1.0, (b - a) / h);
    if (wrong < 0.05) h *= 2;
  }
  parts_ = std::max(1.0, parts_ / 1.5);
}

}  // namespace slideway
