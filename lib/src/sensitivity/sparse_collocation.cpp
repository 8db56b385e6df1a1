#include "sensitivity/sparse_collocation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/at.hpp"
#include "core/factorise.hpp"

namespace slideway {

namespace {

constexpr int kMostTurns = 10;
// Turns that reduce the error by less are worth less than a shorter step.
constexpr double kSlowest = 0.6;
// The difference of a time and the sum of steps before it is a step again, to about so much.
constexpr double kSameStep = 1e-9;

bool have_same_pattern(const Eigen::SparseMatrix<double>& a, const Eigen::SparseMatrix<double>& b) {
  return a.rows() == b.rows() && a.nonZeros() == b.nonZeros() &&
         std::equal(a.outerIndexPtr(), a.outerIndexPtr() + a.outerSize() + 1, b.outerIndexPtr()) &&
         std::equal(a.innerIndexPtr(), a.innerIndexPtr() + a.nonZeros(), b.innerIndexPtr());
}

bool are_same(const Eigen::SparseMatrix<double>& a, const Eigen::SparseMatrix<double>& b) {
  return have_same_pattern(a, b) && std::equal(a.valuePtr(), a.valuePtr() + a.nonZeros(), b.valuePtr());
}

}  // namespace

SparseCollocation::SparseCollocation(const Formulas& formulas, Index states, const Pattern& pattern,
                                     double tolerance, Jacobian jacobian)
    : Collocation(formulas),
      states_(states),
      pattern_(pattern),
      tolerance_(tolerance),
      jacobian_(std::move(jacobian)),
      modes_(formulas.begin(), formulas.end()),
      stages_(most_stages()),
      moved_(most_stages()),
      changes_(most_stages()),
      residuals_(most_stages()) {}

const StageModes& SparseCollocation::modes() const {
  return modes_[static_cast<std::size_t>(&formula() - formulas().data())];
}

void SparseCollocation::evaluate(double t, const Matrix& s, Stage& stage) {
  jacobian_(t, split_);
  const Index n = states_, rank = split_.left.cols();
  size_ = n + rank + split_.corner.rows();
  stage.constant.setZero(size_, s.cols());
  entries_.clear();
  const auto add = [&](Index row, Index column, double value) {
    // Rows of S behind the states are constant.
    if (column < n) {
      entries_.push_back({static_cast<int>(row), static_cast<int>(column), value});
    } else {
      stage.constant.row(row) += value * s.row(column);
    }
  };
  const auto add_unknown = [&](Index row, Index number, double value) {
    entries_.push_back({static_cast<int>(row), static_cast<int>(n + number), value});
  };
  for (Index row = 0; row < n; ++row) {
    bool has_diagonal = false;
    for (Index e = pattern_.start[at(row)]; e < pattern_.start[at(row + 1)]; ++e) {
      const Index column = pattern_.column[at(e)];
      has_diagonal = has_diagonal || column == row;
      add(row, column, split_.values[e]);
    }
    if (!has_diagonal) add(row, row, 0);
    for (Index r = 0; r < rank; ++r)
      if (split_.left(row, r) != 0) add_unknown(row, r, split_.left(row, r));
  }
  for (Index r = 0; r < rank; ++r) {
    for (Index column = 0; column < s.rows(); ++column)
      if (split_.right(column, r) != 0) add(n + r, column, split_.right(column, r));
    add_unknown(n + r, r, -1);
  }
  for (Index c = 0; c < split_.border_columns.outerSize(); ++c)
    for (Sparse::InnerIterator entry(split_.border_columns, c); entry; ++entry)
      if (entry.row() < n) add_unknown(entry.row(), rank + c, -entry.value());
  for (Index c = 0; c < split_.border_rows.outerSize(); ++c)
    for (Sparse::InnerIterator entry(split_.border_rows, c); entry; ++entry)
      add(n + rank + entry.row(), c, entry.value());
  for (Index c = 0; c < split_.corner.outerSize(); ++c)
    for (Sparse::InnerIterator entry(split_.corner, c); entry; ++entry)
      add_unknown(n + rank + entry.row(), rank + c, -entry.value());
  assemble(stage);
}

void SparseCollocation::assemble(Stage& stage) {
  bool is_like = places_.size() == entries_.size() && like_.rows() == size_;
  for (std::size_t e = 0; is_like && e < entries_.size(); ++e)
    is_like = places_[e].first == entries_[e].row && places_[e].second == entries_[e].column;
  if (!is_like) find_slots();
  if (!have_same_pattern(stage.jacobian, like_)) stage.jacobian = like_;
  double* const values = stage.jacobian.valuePtr();
  for (std::size_t e = 0; e < entries_.size(); ++e) values[slots_[e]] = entries_[e].value;
}

// The entries of each column come by increasing rows.
void SparseCollocation::find_slots() {
  places_.clear();
  slots_.clear();
  like_.resize(size_, size_);
  like_.resizeNonZeros(static_cast<Index>(entries_.size()));
  int* const start = like_.outerIndexPtr();
  std::fill(start, start + size_ + 1, 0);
  for (const Entry& entry : entries_) ++start[entry.column + 1];
  for (Index j = 0; j < size_; ++j) start[j + 1] += start[j];
  std::vector<int> next(start, start + size_);
  for (const Entry& entry : entries_) {
    slots_.push_back(next[at(entry.column)]++);
    places_.emplace_back(entry.row, entry.column);
    like_.innerIndexPtr()[slots_.back()] = entry.row;
    like_.valuePtr()[slots_.back()] = entry.value;
  }
}

Matrix SparseCollocation::slope(double t, const Matrix& s) {
  Stage& stage = stages_[0];
  evaluate(t, s, stage);
  Matrix all = Matrix::Zero(size_, s.cols());
  all.topRows(states_) = s.topRows(states_);
  Matrix result = stage.jacobian * all + stage.constant;
  const Index rank = split_.left.cols(), unknowns = split_.corner.rows();
  if (rank + unknowns == 0) return result;
  // The residuals of v and y at zero are what they are to be made by.
  all.middleRows(states_, rank) = result.middleRows(states_, rank);
  if (unknowns > 0) {
    split_.corner.makeCompressed();
    Eigen::KLU<Sparse> factors(split_.corner);
    if (factors.info() != Eigen::Success) throw std::runtime_error("the sliding condition is singular");
    const Matrix right = result.bottomRows(unknowns);
    all.bottomRows(unknowns) = factors.solve(right);
  }
  result = stage.jacobian * all + stage.constant;
  return result.topRows(states_);
}

bool SparseCollocation::has_factors(double h) const {
  return of_ == &formula() && std::abs(step_ - h) <= kSameStep * h;
}

void SparseCollocation::factorise(double h) {
  const bool is_known = pair_factors_.size() == modes().pairs.size() && have_same_pattern(real_, star_);
  if (!is_known) {
    real_ = star_;
    complex_ = star_.cast<std::complex<double>>();
    diagonal_.clear();
    for (Index j = 0; j < states_; ++j) {
      const int* const rows = star_.innerIndexPtr();
      const int* const begin = rows + star_.outerIndexPtr()[j];
      const int* const end = rows + star_.outerIndexPtr()[j + 1];
      diagonal_.push_back(std::lower_bound(begin, end, static_cast<int>(j)) - rows);
    }
    real_factors_ = std::make_unique<Eigen::KLU<Sparse>>();
    real_factors_->analyzePattern(real_);
    pair_factors_.clear();
    for (std::size_t k = 0; k < modes().pairs.size(); ++k) {
      pair_factors_.push_back(std::make_unique<Eigen::KLU<ComplexSparse>>());
      pair_factors_.back()->analyzePattern(complex_);
    }
  }
  const auto take = [&](auto& factors, auto& matrix, auto value) {
    auto* const values = matrix.valuePtr();
    for (Index e = 0; e < star_.nonZeros(); ++e) values[e] = -star_.valuePtr()[e];
    for (const Index e : diagonal_) values[e] += value / h;
    factors.factorize(matrix);
    if (factors.info() != Eigen::Success)
      throw std::runtime_error("the equations of the derivatives are singular");
  };
  step_ = 0;
  take(*real_factors_, real_, modes().reals.front().value);
  for (std::size_t k = 0; k < pair_factors_.size(); ++k)
    take(*pair_factors_[k], complex_, modes().pairs[k].value);
  step_ = h;
  of_ = &formula();
}

void SparseCollocation::find_changes(const std::vector<Matrix>& residuals) {
  const Index stages = formula().stages;
  const auto combined = [&](const Vector& weights) {
    Matrix sum = weights[0] * residuals[0];
    for (Index k = 1; k < stages; ++k) sum += weights[k] * residuals[at(k)];
    return sum;
  };
  const StageModes::Real& real = modes().reals.front();
  const Matrix of_real = real_factors_->solve(combined(real.to));
  for (Index k = 0; k < stages; ++k) changes_[at(k)] = real.from[k] * of_real;
  for (std::size_t p = 0; p < pair_factors_.size(); ++p) {
    const StageModes::Pair& pair = modes().pairs[p];
    ComplexMatrix right(size_, residuals[0].cols());
    right.real() = combined(pair.to);
    right.imag() = combined(pair.to_imaginary);
    const ComplexMatrix of_pair = pair_factors_[p]->solve(right);
    for (Index k = 0; k < stages; ++k)
      changes_[at(k)] += pair.from[k] * of_pair.real() + pair.from_imaginary[k] * of_pair.imag();
  }
}

bool SparseCollocation::solve(double a, double h, const Matrix& s, const Matrix& floors,
                              std::vector<Matrix>& slopes, Matrix& end) {
  const Index n = states_, q = s.cols(), stages = formula().stages;
  Index size = 0;
  bool is_constant = true;
  for (Index k = 0; k < stages; ++k) {
    evaluate(time_of(a, h, k), s, stages_[at(k)]);
    if (k > 0 && size_ != size) return false;
    size = size_;
    is_constant = is_constant && (k == 0 || are_same(stages_[at(k)].jacobian, stages_[0].jacobian));
  }
  const Sparse& middle = stages_[at(stages / 2)].jacobian;
  if (!has_factors(h) || !are_same(star_, middle)) {
    star_ = middle;
    factorise(h);
  }
  const bool is_exact = is_constant && step_ == h;
  // moved_ holds the changes of S at the stages, and v and y there.
  for (Index k = 0; k < stages; ++k) moved_[at(k)].setZero(size, q);
  const auto rate_of = [&](Index k) {
    Matrix sum = (modes().inverse(k, 0) / h) * moved_[0].topRows(n);
    for (Index j = 1; j < stages; ++j) sum += (modes().inverse(k, j) / h) * moved_[at(j)].topRows(n);
    return sum;
  };
  Matrix all = Matrix::Zero(size, q), product(size, q);
  all.topRows(n) = s.topRows(n);
  double last = std::numeric_limits<double>::infinity();
  for (int turn = 0;; ++turn) {
    for (Index k = 0; k < stages; ++k) {
      if (turn > 0) {
        all = moved_[at(k)];
        all.topRows(n) += s.topRows(n);
      }
      if (turn > 0 || k == 0 || !is_constant) product = stages_[at(k)].jacobian * all;
      residuals_[at(k)] = stages_[at(k)].constant + product;
      if (turn > 0) residuals_[at(k)].topRows(n) -= rate_of(k);
    }
    find_changes(residuals_);
    for (Index k = 0; k < stages; ++k) moved_[at(k)] += changes_[at(k)];
    if (is_exact) break;
    double change = 0;
    for (Index k = 0; k < stages; ++k) {
      const auto sizes = s.topRows(n).cwiseAbs().cwiseMax(floors).array();
      change = std::max(change, (changes_[at(k)].topRows(n).cwiseAbs().array() / sizes).maxCoeff());
    }
    // The error of a step whose J is not finite is not a number either.
    if (change <= tolerance_ || !std::isfinite(change)) break;
    const double reduction = change / last;
    if (reduction < 1 && change * reduction / (1 - reduction) <= tolerance_) break;
    if (reduction > kSlowest || turn == kMostTurns) return false;
    last = change;
  }
  for (Index k = 0; k < stages; ++k) slopes[at(k)] = rate_of(k);
  end = s.topRows(n) + moved_[at(stages - 1)].topRows(n);
  return true;
}

// The slope of a layer far shorter than the step is damped by (I − h/λ J)⁻¹.
Matrix SparseCollocation::damped(double h, const Matrix& defect) {
  Matrix right = Matrix::Zero(star_.rows(), defect.cols());
  right.topRows(states_) = (modes().reals.front().value / h) * defect;
  const Matrix result = real_factors_->solve(right);
  return result.topRows(states_);
}

}  // namespace slideway
