#include "sensitivity/variation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace slideway {

namespace {

// A step takes as long as this many stages beside its own. Half and twice as many give the same steps of dry friction, the belt and the rod.
constexpr double kStagesBeside = 2;
// A step is this part of the longest one that the error allows. Half of it costs a tenth more for the rod, 1.1 times it the same; errors
// remain those of the run.
constexpr double kSafety = 0.9;
// The part where another formula may be taken, whose error is less known. Half of it costs dry friction 22 to 35 % more, 1.1 times it the
// belt 2 to 7 %; errors remain those of the run.
constexpr double kSafetyOfChoice = 0.85;
// A step that has factors is taken again unless the next one can be longer, or must be shorter, than this many times it. For the
// rod 0.6 and 2.4 times the gain cost 2 to 7 % more.
constexpr double kLeastGain = 1.2;
constexpr double kLeastLoss = 0.95;
// Where steps have factors to keep, the first of several is this part of the longest, so that all of them may have its length.
constexpr double kPartOfLongest = 0.8;

double order_of(const Radau& formula) { return static_cast<double>(formula.stages + 2); }

}  // namespace

void Variation::restart(double step, std::optional<double> rate) {
  has_slope_ = false;
  step_ = step;
  rate_ = rate;
  first_rate_.reset();
}

void Variation::find_reaches(const Collocation::Formulas& formulas) {
  if (reaches_of_ == &formulas) return;
  reaches_of_ = &formulas;
  reaches_.clear();
  for (const Radau& formula : formulas)
    reaches_.push_back(std::pow(rtol_ / formula.inside, 1 / order_of(formula)));
}

double Variation::reach(const Radau& formula) const {
  return reaches_[static_cast<std::size_t>(&formula - reaches_of_->data())];
}

void Variation::use_cheapest(double left, Collocation& collocation) {
  double least = std::numeric_limits<double>::infinity();
  for (const Radau& formula : collocation.formulas()) {
    const double longest = kSafetyOfChoice * reach(formula) / *rate_;
    const double steps = longest >= left ? 1 : std::ceil(left / longest);
    const double cost = steps * (static_cast<double>(formula.stages) + kStagesBeside);
    if (!(cost < least)) continue;
    least = cost;
    step_ = left / steps;
    collocation.use(formula);
  }
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

void Variation::tell(const Piece& piece, double t, double h, const Matrix& s, const Radau& formula) {
  const Index q = s.cols();
  coefficients_.setZero(states_, (formula.stages + 2) * q);
  auto constant = coefficients_.leftCols(q);
  constant = s.topRows(states_);
  for (Index d = 0; d <= formula.stages; ++d) {
    auto part = coefficients_.middleCols((d + 1) * q, q);
    const double factor = 0.5 * h / static_cast<double>(d + 1);
    part = (factor * formula.through_start(0, d)) * start_;
    for (Index k = 0; k < formula.stages; ++k)
      part += (factor * formula.through_start(k + 1, d)) * slopes_[static_cast<std::size_t>(k)];
    if (d % 2 == 0) {
      constant += part;
    } else {
      constant -= part;
    }
  }
  piece(t, h, coefficients_);
}

double Variation::step_after(double h, double wrong, double longest, const Collocation& collocation) const {
  const double order = -1 / order_of(collocation.formula());
  const double growth = std::clamp(kSafety * std::pow(std::max(wrong, 1e-10), order), 0.7, 4.0);
  if (!collocation.keeps_factors()) return growth * h;
  // A step of the same length needs no new factors.
  const double next = std::min(growth * h, longest);
  return next > kLeastLoss * h && next < kLeastGain * h ? h : next;
}

void Variation::advance(double a, double b, const Longest& longest, Collocation& collocation,
                        const Matrix& floors, Matrix& s, const Piece& piece, const FurtherError& further) {
  double t = a;
  if (!(step_ > 0)) step_ = b - a;
  const double least = 1e-13 * std::max({std::abs(a), std::abs(b), b - a});
  if (!has_slope_) slope_ = collocation.slope(a, s);
  has_slope_ = true;
  slopes_.resize(collocation.most_stages());
  find_reaches(collocation.formulas());
  while (t < b) {
    const double left = b - t;
    if (rate_ && collocation.formulas().size() > 1) use_cheapest(left, collocation);
    const Radau& formula = collocation.formula();
    const double most = longest(t);
    double h = step_;
    if (h > most) h = collocation.keeps_factors() && most < left ? kPartOfLongest * most : most;
    const bool is_last = left <= 1.01 * h;
    if (is_last) {
      h = left;
    } else if (left < 2 * h) {
      h = left / 2;
    }
    if (!collocation.solve(t, h, s, floors, slopes_, end_)) {
      if (!(h > least)) throw std::runtime_error("the equations of the derivatives have no solution");
      step_ = 0.5 * h;
      continue;
    }
    double wrong = error(h, collocation, floors, s);
    const double order = -1 / order_of(formula);
    rate_.reset();
    if (std::isfinite(wrong)) rate_ = std::pow(wrong, -order) * reach(formula) / h;
    // An error that is not a number stays one.
    if (further && !std::isnan(wrong)) wrong = std::max(wrong, further(h));
    if (!(wrong <= 1) && h > least) {
      step_ = std::isfinite(wrong) ? h * std::clamp(kSafety * std::pow(wrong, order), 0.1, 0.7) : 0.1 * h;
      continue;
    }
    if (!first_rate_) first_rate_ = rate_;
    if (piece) tell(piece, t, h, s, formula);
    s.topRows(states_) = end_;
    slope_.swap(slopes_[static_cast<std::size_t>(formula.stages - 1)]);
    t = is_last ? b : t + h;
    const double next = step_after(h, wrong, most, collocation);
    // The last step of a stretch may be short for another reason.
    step_ = is_last ? std::max(step_, next) : next;
  }
}

}  // namespace slideway
