#include "integrate/shifted_system.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <string>

#include "core/at.hpp"
#include "core/ordering.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/core/finite.hpp"

namespace slideway {

namespace {

// Up to here the factors of a full matrix take less time than the bookkeeping of a sparse one.
constexpr Index kFewStates = 50;
// A pattern with a larger part of all entries is as good as full.
constexpr double kNearlyFull = 0.2;
// SUNDIALS' ordering by approximate minimum degree, for patterns that are nearly symmetric.
constexpr int kKluMinimumDegree = 0;

}  // namespace

LinearSolver ShiftedSystem::chosen(SmoothOde& ode, LinearSolver solver) {
  if (solver != LinearSolver::automatic) return solver;
  const Pattern* pattern = ode.jacobian_pattern();
  const double n = static_cast<double>(ode.states());
  if (!pattern || ode.states() <= kFewStates) return LinearSolver::dense;
  if (static_cast<double>(pattern->entries()) > kNearlyFull * n * n) return LinearSolver::dense;
  // Faster than a band of any width: half the diagonals of SUNDIALS' band wait for exchanges of rows.
  return LinearSolver::klu;
}

ShiftedSystem::ShiftedSystem(SmoothOde& ode, CheckedOde& checked, LinearSolver solver, SUNContext context)
    : checked_(checked), states_(ode.states()), is_dense_(false), pattern_(ode.jacobian_pattern()) {
  solver = chosen(ode, solver);
  const std::string where = std::string("linear solver '") + to_string(solver) + "'";
  if (solver == LinearSolver::gmres) {
    refuse({.what = "the method takes factors of the matrix",
            .where = where,
            .expected = "dense, band or klu",
            .advice = "choose one of them, or the method bdf"});
  }
  is_dense_ = solver == LinearSolver::dense;
  if (is_dense_) {
    dense_.jacobian = dense_.shifted = Matrix::Zero(states_, states_);
    dense_.factors = Eigen::PartialPivLU<Matrix>(states_);
    dense_.right = Vector::Zero(states_);
    return;
  }
  if (!pattern_) {
    refuse({.what = "the pattern of the Jacobian is not known",
            .where = where,
            .expected = "a system that tells which derivatives can differ from zero",
            .advice = "choose the linear solver dense or gmres"});
  }
  right_.reset(N_VNew_Serial(states_, context));
  result_.reset(N_VNew_Serial(states_, context));
  require(right_);
  require(result_);
  solver == LinearSolver::band ? make_band(context) : make_klu(context);
}

void ShiftedSystem::make_band(SUNContext context) {
  order_ = reverse_cuthill_mckee(*pattern_);
  place_ = places_of(order_);
  const Index width = half_bandwidth(*pattern_, order_);
  matrix_.reset(SUNBandMatrix(states_, width, width, context));
  require(matrix_);
  solver_.reset(SUNLinSol_Band(right_.get(), matrix_.get(), context));
  require(solver_);
  // Columns one after the other, each with room above for what the pivots fill.
  const Index leading = static_cast<Index>(SUNBandMatrix_LDim(matrix_.get()));
  const Index diagonal = static_cast<Index>(SUNBandMatrix_StoredUpperBandwidth(matrix_.get()));
  const auto slot = [&](Index i, Index j) {
    return place_[at(j)] * leading + place_[at(i)] - place_[at(j)] + diagonal;
  };
  for (Index i = 0; i < states_; ++i) {
    for (Index k = pattern_->start[at(i)]; k < pattern_->start[at(i + 1)]; ++k) {
      slots_.push_back(slot(i, pattern_->column[at(k)]));
    }
    diagonal_.push_back(slot(i, i));
  }
  numbers_ = SUNBandMatrix_Data(matrix_.get());
  count_ = leading * states_;
}

void ShiftedSystem::make_klu(SUNContext context) {
  const Index entries = pattern_->entries();
  matrix_.reset(SUNSparseMatrix(states_, states_, entries, CSC_MAT, context));
  require(matrix_);
  auto* start = SUNSparseMatrix_IndexPointers(matrix_.get());
  auto* rows = SUNSparseMatrix_IndexValues(matrix_.get());
  std::fill(start, start + states_ + 1, 0);
  for (const Index j : pattern_->column) ++start[j + 1];
  for (Index j = 0; j < states_; ++j) start[j + 1] += start[j];
  std::vector<Index> next(start, start + states_);
  slots_.resize(at(entries));
  diagonal_.assign(at(states_), 0);
  for (Index i = 0; i < states_; ++i) {
    for (Index k = pattern_->start[at(i)]; k < pattern_->start[at(i + 1)]; ++k) {
      const Index j = pattern_->column[at(k)];
      const Index slot = next[at(j)]++;
      rows[slot] = i;
      slots_[at(k)] = slot;
      if (i == j) diagonal_[at(i)] = slot;
    }
  }
  numbers_ = SUNSparseMatrix_Data(matrix_.get());
  count_ = entries;
  solver_.reset(SUNLinSol_KLU(right_.get(), matrix_.get(), context));
  require(solver_);
  if (SUNLinSol_KLUSetOrdering(solver_.get(), kKluMinimumDegree) != 0) throw std::bad_alloc();
}

bool ShiftedSystem::find_jacobian(double t, ConstVectorRef x, ConstVectorRef dx) {
  return is_dense_ ? checked_.jacobian(t, x, dx, dense_.jacobian)
                   : checked_.split_jacobian(t, x, dx, jacobian_);
}

void ShiftedSystem::shift(double gamma) {
  gamma_ = gamma;
  if (is_dense_) {
    dense_.shifted = -gamma * dense_.jacobian;
    dense_.shifted.diagonal().array() += 1;
    return;
  }
  std::fill(numbers_, numbers_ + count_, 0.0);
  for (std::size_t k = 0; k < slots_.size(); ++k)
    numbers_[slots_[k]] = -gamma * jacobian_.values[static_cast<Index>(k)];
  for (const Index slot : diagonal_) numbers_[slot] += 1;
}

void ShiftedSystem::forget_factors() {
  if (!is_dense_) SUNLinSolInitialize(solver_.get());
}

bool ShiftedSystem::factor() {
  if (is_dense_) {
    dense_.factors.compute(dense_.shifted);
    return true;
  }
  if (jacobian_.has_border()) {
    if (!factor_bordered()) return false;
  } else if (SUNLinSolSetup(solver_.get(), matrix_.get()) != 0) {
    return false;
  }
  const Index rank = jacobian_.left.cols();
  if (rank == 0) return true;
  correction_.resize(states_, rank);
  for (Index k = 0; k < rank; ++k) {
    if (!solve_sparse_part(jacobian_.left.col(k), correction_.col(k))) return false;
  }
  Matrix capacitance = Matrix::Identity(rank, rank);
  capacitance.noalias() -= gamma_ * (jacobian_.right.transpose() * correction_);
  if (!capacitance.allFinite()) return false;
  capacitance_.compute(capacitance);
  return true;
}

bool ShiftedSystem::factor_bordered() {
  const Index unknowns = jacobian_.corner.rows();
  // The rows of the border have units of their own.
  Vector sizes = Vector::Zero(unknowns);
  for (Index j = 0; j < unknowns; ++j) {
    for (Eigen::SparseMatrix<double>::InnerIterator entry(jacobian_.corner, j); entry; ++entry)
      sizes[entry.row()] = std::max(sizes[entry.row()], std::abs(entry.value()));
  }
  if (!(sizes.minCoeff() > 0)) return false;
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < states_; ++i) {
    entries.emplace_back(i, i, 1);
    for (Index k = pattern_->start[at(i)]; k < pattern_->start[at(i + 1)]; ++k)
      entries.emplace_back(i, pattern_->column[at(k)], -gamma_ * jacobian_.values[k]);
  }
  const auto add = [&](const Eigen::SparseMatrix<double>& part, Index first_row, Index first_column,
                       const auto& factor) {
    for (Index j = 0; j < part.outerSize(); ++j) {
      for (Eigen::SparseMatrix<double>::InnerIterator entry(part, j); entry; ++entry)
        entries.emplace_back(first_row + entry.row(), first_column + j, factor(entry.row()) * entry.value());
    }
  };
  add(jacobian_.border_columns, 0, states_, [&](Index) { return -gamma_; });
  add(jacobian_.border_rows, states_, 0, [&](Index row) { return 1 / sizes[row]; });
  add(jacobian_.corner, states_, states_, [&](Index row) { return 1 / sizes[row]; });
  bordered_matrix_.resize(states_ + unknowns, states_ + unknowns);
  bordered_matrix_.setFromTriplets(entries.begin(), entries.end());
  bordered_.compute(bordered_matrix_);
  bordered_right_ = Vector::Zero(states_ + unknowns);
  return bordered_.info() == Eigen::Success;
}

bool ShiftedSystem::solve_sparse_part(ConstVectorRef b, VectorRef y) {
  if (jacobian_.has_border()) {
    bordered_right_.head(states_) = b;
    bordered_result_ = bordered_.solve(bordered_right_);
    y = bordered_result_.head(states_);
    return true;
  }
  auto right = sundials::values(right_.get());
  if (order_.empty()) {
    right = b;
  } else {
    for (Index k = 0; k < states_; ++k) right[k] = b[order_[at(k)]];
  }
  if (SUNLinSolSolve(solver_.get(), matrix_.get(), result_.get(), right_.get(), 0) != 0) return false;
  const auto result = sundials::values(result_.get());
  if (order_.empty()) {
    y = result;
  } else {
    for (Index k = 0; k < states_; ++k) y[order_[at(k)]] = result[k];
  }
  return true;
}

bool ShiftedSystem::solve(ConstVectorRef b, VectorRef y) {
  if (is_dense_) {
    dense_.right = b;
    y = dense_.factors.solve(dense_.right);
    return all_finite(y);
  }
  if (!solve_sparse_part(b, y)) return false;
  if (jacobian_.left.cols() > 0) {
    projection_.noalias() = jacobian_.right.transpose() * y;
    projection_ = capacitance_.solve(projection_).eval();
    y.noalias() += gamma_ * (correction_ * projection_);
  }
  return all_finite(y);
}

}  // namespace slideway
