// Evaluator on guards that are affine in (t, x): their derivatives are learnt once.

#include "model/finite_difference.hpp"
#include "slideway/detail/model/evaluator.hpp"

namespace slideway {

namespace {
// The full derivative of so few guards is no larger than a few states.
constexpr Index kFewGuards = 8;
}  // namespace

void Evaluator::learn_affine_guards() {
  const Index n = system_.states();
  const Index m = system_.surfaces();
  const Vector origin = Vector::Zero(n);
  affine_dt_ = Vector::Zero(m);
  guards_dt(0.0, origin, affine_dt_);
  affine_origin_ = Vector::Zero(m);
  guards(0.0, origin, affine_origin_);
  if (system_.definition().guards_dx && m <= kFewGuards) {
    Matrix derivative = Matrix::Zero(m, n);
    system_.definition().guards_dx(0.0, origin, derivative);
    affine_dx_ = derivative.sparseView();
    affine_ = true;
    counts_ = {};
    return;
  }
  const std::optional<Pattern>& given = system_.definition().guards_dx_pattern;
  const Pattern pattern = given ? *given : full_pattern(m, n);
  const Colouring colouring = colour_columns(pattern);
  std::vector<Eigen::Triplet<double>> entries;
  Vector seed(n);
  Vector h_dot(m);
  for (Index colour = 0; colour < colouring.colours; ++colour) {
    for (Index j = 0; j < n; ++j) seed[j] = colouring.colour[static_cast<std::size_t>(j)] == colour;
    guard_directional(0.0, origin, 0.0, seed, h_dot);
    for (Index i = 0; i < m; ++i) {
      const auto row = static_cast<std::size_t>(i);
      for (Index k = pattern.start[row]; k < pattern.start[row + 1]; ++k) {
        const Index j = pattern.column[static_cast<std::size_t>(k)];
        if (colouring.colour[static_cast<std::size_t>(j)] == colour && h_dot[i] != 0) {
          entries.emplace_back(static_cast<int>(i), static_cast<int>(j), h_dot[i]);
        }
      }
    }
  }
  affine_dx_.resize(m, n);
  affine_dx_.setFromTriplets(entries.begin(), entries.end());
  affine_ = true;
  counts_ = {};
}

void Evaluator::guards_nearly(double t, ConstVectorRef x, VectorRef h) {
  if (!affine_) {
    guards(t, x, h);
    return;
  }
  affine_directional(t, x, h);
  h += affine_origin_;
}

void Evaluator::guard_rates_of(const std::vector<Index>& surfaces, double t, ConstVectorRef x,
                               ConstVectorRef dx, VectorRef rates) {
  if (!affine_) {
    guard_rates(t, x, dx, rates);
    return;
  }
  for (const Index i : surfaces) rates[i] = affine_row(i, 1.0, dx);
}

double Evaluator::guard_nearly(double t, ConstVectorRef x, Index surface) {
  if (affine_) return affine_origin_[surface] + affine_row(surface, t, x);
  ScratchFrame frame;
  auto h = take_vector(frame, system_.surfaces());
  guards(t, x, h);
  return h[surface];
}

double Evaluator::guard_rate_of_all(double t, ConstVectorRef x, ConstVectorRef dx, Index surface) {
  ScratchFrame frame;
  auto rates = take_vector(frame, system_.surfaces());
  guard_rates(t, x, dx, rates);
  return rates[surface];
}

void Evaluator::affine_directional(double t_dot, ConstVectorRef x_dot, VectorRef h_dot) const {
  for (Index i = 0; i < h_dot.size(); ++i) h_dot[i] = affine_row(i, t_dot, x_dot);
}

}  // namespace slideway
