#include "sensitivity/mode_factors.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/at.hpp"

namespace slideway {

namespace {

// The difference of a time and the sum of steps before it is a step again, to about so much.
constexpr double kSameStep = 1e-9;
// Pivots that are good for a step are not checked again for one that is longer or shorter by a factor less than this. It is a choice;
// other values were not measured.
constexpr double kNearStep = 3;

}  // namespace

void ModeFactors::analyse() {
  real_ = star_.jacobian;
  complex_ = star_.jacobian.cast<std::complex<double>>();
  diagonal_.clear();
  for (Index j = 0; j < states_; ++j) {
    const int* const rows = real_.innerIndexPtr();
    const int* const begin = rows + real_.outerIndexPtr()[j];
    const int* const end = rows + real_.outerIndexPtr()[j + 1];
    diagonal_.push_back(std::lower_bound(begin, end, static_cast<int>(j)) - rows);
  }
  real_factors_ = std::make_unique<RepeatedKlu<double>>();
  real_factors_->analyzePattern(real_);
  pair_factors_.clear();
  for (std::size_t k = 0; k < modes_.pairs.size(); ++k) {
    pair_factors_.push_back(std::make_unique<RepeatedKlu<std::complex<double>>>());
    pair_factors_.back()->analyzePattern(complex_);
  }
  analysed_ = star_.version;
}

void ModeFactors::take(const BorderedJacobian::Value& value, double h) {
  const bool is_same = analysed_ > 0 && BorderedJacobian::are_same(star_, value);
  if (is_same && std::abs(step_ - h) <= kSameStep * h) return;
  const bool is_near = is_same && h <= kNearStep * checked_step_ && checked_step_ <= kNearStep * h;
  star_ = value;
  step_ = 0;
  if (analysed_ != star_.version) analyse();
  const auto factorise = [&](auto& factors, auto& matrix, auto eigenvalue) {
    auto* const values = matrix.valuePtr();
    const double* const of_star = star_.jacobian.valuePtr();
    for (Index e = 0; e < matrix.nonZeros(); ++e) values[e] = -of_star[e];
    for (const Index e : diagonal_) values[e] += eigenvalue / h;
    if (!factors.refactorize(matrix, is_near))
      throw std::runtime_error("the equations of the derivatives are singular");
  };
  factorise(*real_factors_, real_, modes_.reals.front().value);
  for (std::size_t k = 0; k < pair_factors_.size(); ++k)
    factorise(*pair_factors_[k], complex_, modes_.pairs[k].value);
  step_ = h;
  if (!is_near) checked_step_ = h;
}

void ModeFactors::solve(Matrix& stages, Index q) {
  const Index size = stages.rows() / q;
  of_modes_.noalias() = stages * modes_.to.transpose();
  const auto of_mode = [&](Index row) { return Eigen::Map<Matrix>(of_modes_.col(row).data(), size, q); };
  real_factors_->solve_in_place(of_modes_.col(modes_.reals.front().row).data(), q);
  for (std::size_t p = 0; p < pair_factors_.size(); ++p) {
    const Index row = modes_.pairs[p].row;
    of_pair_.resize(size, q);
    of_pair_.real() = of_mode(row);
    of_pair_.imag() = of_mode(row + 1);
    pair_factors_[p]->solve_in_place(of_pair_.data(), q);
    of_mode(row) = of_pair_.real();
    of_mode(row + 1) = of_pair_.imag();
  }
  stages.noalias() = of_modes_ * modes_.from.transpose();
}

Matrix ModeFactors::damped(const Matrix& s) {
  Matrix result = Matrix::Zero(star_.jacobian.rows(), s.cols());
  result.topRows(states_) = (modes_.reals.front().value / step_) * s;
  real_factors_->solve_in_place(result.data(), result.cols());
  return result.topRows(states_);
}

}  // namespace slideway
