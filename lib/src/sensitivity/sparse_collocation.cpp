#include "sensitivity/sparse_collocation.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "core/at.hpp"

namespace slideway {

namespace {

// After so many turns a shorter step is taken, and after one that leaves more of the error than kSlowest. Both decide cost alone, since a
// step counts only when its equations are solved to their tolerance. Other values were not measured.
constexpr int kMostTurns = 10;
constexpr double kSlowest = 0.6;

}  // namespace

SparseCollocation::SparseCollocation(const Formulas& formulas, Index states, const Pattern& pattern,
                                     double tolerance, BorderedJacobian::Jacobian jacobian)
    : Collocation(formulas),
      tolerance_(tolerance),
      jacobian_(states, pattern, std::move(jacobian)),
      stages_(most_stages()) {
  for (const Radau& one : formulas) factors_.emplace_back(one, states);
}

Matrix SparseCollocation::slope(double t, const Matrix& s) {
  BorderedJacobian::Value& stage = stages_[0];
  jacobian_.evaluate(t, s, stage);
  const Index n = jacobian_.states();
  const SplitJacobian& parts = jacobian_.parts();
  Matrix all = Matrix::Zero(jacobian_.size(), s.cols());
  all.topRows(n) = s.topRows(n);
  Matrix result = stage.jacobian * all + stage.constant;
  const Index rank = parts.left.cols(), unknowns = parts.corner.rows();
  if (rank + unknowns > 0) {
    // The last rows are what v and y are to be made of, where these are zero.
    all.middleRows(n, rank) = result.middleRows(n, rank);
    if (unknowns > 0) {
      Eigen::SparseMatrix<double> corner = parts.corner;
      corner.makeCompressed();
      const Eigen::KLU<Eigen::SparseMatrix<double>> corner_factors(corner);
      if (corner_factors.info() != Eigen::Success)
        throw std::runtime_error("the sliding condition is singular");
      const Matrix right = result.bottomRows(unknowns);
      all.bottomRows(unknowns) = corner_factors.solve(right);
    }
    result = stage.jacobian * all + stage.constant;
  }
  return result.topRows(n);
}

bool SparseCollocation::evaluate(double a, double h, const Matrix& s) {
  for (Index k = 0; k < formula().stages; ++k) {
    const Index size = jacobian_.size();
    jacobian_.evaluate(time_of(a, h, k), s, stages_[at(k)]);
    if (k > 0 && jacobian_.size() != size) return false;
  }
  return true;
}

bool SparseCollocation::is_constant() const {
  for (Index k = 1; k < formula().stages; ++k)
    if (!BorderedJacobian::are_same(stages_[at(k)], stages_[0])) return false;
  return true;
}

void SparseCollocation::find_rates(double h) {
  rates_.noalias() = moved_ * (factors().modes().inverse.transpose() / h);
}

void SparseCollocation::find_residuals(const Matrix& s, bool is_first, bool are_alike) {
  const Index n = jacobian_.states(), q = s.cols();
  Matrix all = Matrix::Zero(jacobian_.size(), q), product;
  all.topRows(n) = s.topRows(n);
  for (Index k = 0; k < formula().stages; ++k) {
    if (!is_first) {
      all = of_stage(moved_, k, q);
      all.topRows(n) += s.topRows(n);
    }
    if (k == 0 || !is_first || !are_alike) product = stages_[at(k)].jacobian * all;
    auto residual = of_stage(corrections_, k, q);
    residual = stages_[at(k)].constant + product;
    if (!is_first) residual.topRows(n) -= of_stage(rates_, k, q).topRows(n);
  }
}

double SparseCollocation::largest_change(const Matrix& s, const Matrix& floors) {
  const Index n = jacobian_.states();
  const auto sizes = s.topRows(n).cwiseAbs().cwiseMax(floors).array();
  double largest = 0;
  for (Index k = 0; k < formula().stages; ++k) {
    const auto change = of_stage(corrections_, k, s.cols()).topRows(n).cwiseAbs().array();
    largest = std::max(largest, (change / sizes).maxCoeff());
  }
  return largest;
}

bool SparseCollocation::solve(double a, double h, const Matrix& s, const Matrix& floors,
                              std::vector<Matrix>& slopes, Matrix& end) {
  const Index n = jacobian_.states(), q = s.cols(), stages = formula().stages;
  if (!evaluate(a, h, s)) return false;
  factors().take(stages_[at(stages / 2)], h);
  const bool are_alike = is_constant(), is_exact = are_alike && factors().step() == h;
  moved_.setZero(jacobian_.size() * q, stages);
  corrections_.resize(jacobian_.size() * q, stages);
  double last = 0;
  for (int turn = 0;; ++turn) {
    if (turn > 0) find_rates(h);
    find_residuals(s, turn == 0, are_alike);
    factors().solve(corrections_, q);
    moved_ += corrections_;
    if (is_exact) break;
    const double change = largest_change(s, floors);
    // The error of a step whose J is not finite is not a number either.
    if (change <= tolerance_ || !std::isfinite(change)) break;
    if (turn > 0) {
      const double reduction = change / last;
      if (reduction < 1 && change * reduction / (1 - reduction) <= tolerance_) break;
      if (reduction > kSlowest || turn == kMostTurns) return false;
    }
    last = change;
  }
  find_rates(h);
  for (Index k = 0; k < stages; ++k) slopes[at(k)] = of_stage(rates_, k, q).topRows(n);
  end = s.topRows(n) + of_stage(moved_, stages - 1, q).topRows(n);
  return true;
}

Matrix SparseCollocation::damped(double /*h*/, const Matrix& defect) { return factors().damped(defect); }

}  // namespace slideway
