#include "sensitivity/variation.hpp"

#include <algorithm>
#include <cmath>

namespace slideway {

void Variation::restart(double step) {
  has_slope_ = false;
  step_ = step;
}

double Variation::error(double h, Collocation& collocation, const Matrix& floors, const Matrix& s) {
  // The defect of the collocation at the beginning of the step tells the size of a derivative of S.
  const Radau& formula = collocation.formula();
  defect_ = slope_;
  for (Index k = 0; k < formula.stages; ++k)
    defect_ -= formula.at_start[k] * slopes_[static_cast<std::size_t>(k)];
  start_ = slope_;
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
  // The error of the polynomial inside the step; at its end there is less.
  const double power = static_cast<double>(formula.stages + 2) / static_cast<double>(formula.stages + 1);
  const auto allowed = [&](double part) {
    return formula.inside * std::pow(part / formula.defect, power) / rtol_;
  };
  const double result = allowed(largest());
  if (!(result > 1)) return result;
  // The slope at the start is that of a layer far shorter than the step, which the polynomial must not follow.
  start_ -= defect_;
  // The defect damps stiff components as the step does.
  defect_ = collocation.damped(h, defect_);
  return allowed(largest());
}

void Variation::advance(double a, double b, double longest, Collocation& collocation, const Matrix& floors,
                        Matrix& s, const Piece& piece, const FurtherError& further) {
  double t = a;
  if (!(step_ > 0)) step_ = b - a;
  const double least = 1e-13 * std::max({std::abs(a), std::abs(b), b - a});
  if (!has_slope_) slope_ = collocation.slope(a, s);
  has_slope_ = true;
  const Index q = s.cols();
  const Radau& formula = collocation.formula();
  const double order = -1 / static_cast<double>(formula.stages + 2);
  slopes_.resize(static_cast<std::size_t>(formula.stages));
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
    double wrong = error(h, collocation, floors, s);
    // An error that is not a number stays one.
    if (further && !std::isnan(wrong)) wrong = std::max(wrong, further(h));
    if (!(wrong <= 1) && h > least) {
      step_ = std::isfinite(wrong) ? h * std::clamp(0.9 * std::pow(wrong, order), 0.1, 0.7) : 0.1 * h;
      continue;
    }
    coefficients_.resize(states_, (formula.stages + 2) * q);
    coefficients_.leftCols(q) = s.topRows(states_);
    for (Index d = 0; d <= formula.stages; ++d) {
      auto part = coefficients_.middleCols((d + 1) * q, q);
      const double factor = h / static_cast<double>(d + 1);
      part = (factor * formula.through_start(0, d)) * start_;
      for (Index k = 0; k < formula.stages; ++k)
        part += (factor * formula.through_start(k + 1, d)) * slopes_[static_cast<std::size_t>(k)];
    }
    piece(t, h, coefficients_);
    s.topRows(states_) = end_;
    slope_.swap(slopes_.back());
    t = is_last ? b : t + h;
    const double growth = std::clamp(0.9 * std::pow(std::max(wrong, 1e-10), order), 0.7, 4.0);
    // The last step of a stretch may be short for another reason.
    step_ = is_last ? std::max(step_, growth * h) : growth * h;
  }
}

}  // namespace slideway
