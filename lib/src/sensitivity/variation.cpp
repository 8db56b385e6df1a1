#include "sensitivity/variation.hpp"

#include <algorithm>
#include <cmath>

namespace slideway {

namespace {

// The coefficients of 1, θ, θ², θ³ of the polynomial that is 1 at node k of 0, c₁, c₂, 1 and 0 at the others.
struct Lagrange {
  double of[4][4];
  Lagrange() {
    const double nodes[4] = {0, (4 - std::sqrt(6.0)) / 10, (4 + std::sqrt(6.0)) / 10, 1};
    for (int k = 0; k < 4; ++k) {
      double polynomial[4] = {1, 0, 0, 0};
      double scale = 1;
      int degree = 0;
      for (int j = 0; j < 4; ++j) {
        if (j == k) continue;
        scale *= nodes[k] - nodes[j];
        ++degree;
        for (int d = degree; d > 0; --d) polynomial[d] = polynomial[d - 1] - nodes[j] * polynomial[d];
        polynomial[0] *= -nodes[j];
      }
      for (int d = 0; d < 4; ++d) of[k][d] = polynomial[d] / scale;
    }
  }
};

// The slope at 0 of the quadratic through the slopes at the three stages.
struct AtStart {
  double of[3];
  AtStart() {
    const double nodes[3] = {(4 - std::sqrt(6.0)) / 10, (4 + std::sqrt(6.0)) / 10, 1};
    for (int k = 0; k < 3; ++k) {
      of[k] = 1;
      for (int j = 0; j < 3; ++j)
        if (j != k) of[k] *= nodes[j] / (nodes[j] - nodes[k]);
    }
  }
};

const Lagrange kCubic;
const AtStart kStart;

}  // namespace

void Variation::restart(double step) {
  has_slope_ = false;
  step_ = step;
}

double Variation::error(double h, Collocation& collocation, const Matrix& floors, const Matrix& s) {
  // The defect of the collocation at the beginning of the step, which is h³S⁗/60.
  defect_ = slope_;
  for (int k = 0; k < 3; ++k) defect_ -= kStart.of[k] * slopes_[k];
  const auto largest = [&] {
    double worst = 0;
    for (Index j = 0; j < s.cols(); ++j) {
      for (Index i = 0; i < states_; ++i) {
        const double size = std::max({std::abs(s(i, j)), std::abs(end_(i, j)), floors(i, j)});
        worst = std::max(worst, h * std::abs(defect_(i, j)) / size);
        if (std::isnan(defect_(i, j))) worst = defect_(i, j);
      }
    }
    return worst;
  };
  // S inside the step is a polynomial of degree 4, of order 5; the end is of order 5 with a smaller constant.
  const auto allowed = [&](double part) { return 4e-4 * std::pow(60 * part, 1.25) / rtol_; };
  const double result = allowed(largest());
  if (!(result > 1)) return result;
  // What is stiff is damped in the defect as it is in the step.
  defect_ = collocation.damped(h, defect_);
  return allowed(largest());
}

void Variation::advance(double a, double b, double longest, Collocation& collocation, const Matrix& floors,
                        Matrix& s, const Piece& piece) {
  double t = a;
  if (!(step_ > 0)) step_ = b - a;
  const double least = 1e-13 * std::max({std::abs(a), std::abs(b), b - a});
  if (!has_slope_) slope_ = collocation.slope(a, s);
  has_slope_ = true;
  const Index q = s.cols();
  while (t < b) {
    double h = std::min(step_, longest);
    const double left = b - t;
    const bool is_last = left <= 1.01 * h;
    if (is_last) {
      h = left;
    } else if (left < 2 * h) {
      h = left / 2;
    }
    collocation.solve(t, h, s, slopes_, end_);
    const double wrong = error(h, collocation, floors, s);
    if (!(wrong <= 1) && h > least) {
      step_ = std::isfinite(wrong) ? h * std::clamp(0.9 * std::pow(wrong, -0.2), 0.1, 0.7) : 0.1 * h;
      continue;
    }
    coefficients_.resize(states_, 5 * q);
    coefficients_.leftCols(q) = s.topRows(states_);
    for (int d = 0; d < 4; ++d) {
      auto part = coefficients_.middleCols((d + 1) * q, q);
      part = kCubic.of[0][d] * slope_;
      for (int k = 0; k < 3; ++k) part += kCubic.of[k + 1][d] * slopes_[k];
      part *= h / (d + 1);
    }
    piece(t, h, coefficients_);
    s.topRows(states_) = end_;
    slope_.swap(slopes_[2]);
    t = is_last ? b : t + h;
    const double growth = std::clamp(0.9 * std::pow(std::max(wrong, 1e-10), -0.2), 0.7, 4.0);
    // The last step of a stretch may be short for another reason.
    step_ = is_last ? std::max(step_, growth * h) : growth * h;
  }
}

}  // namespace slideway
