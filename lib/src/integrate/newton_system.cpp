#include "integrate/newton_system.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <numeric>
#include <stdexcept>
#include <string>

#include "core/at.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/core/ordering.hpp"

namespace slideway {

namespace {

// Up to here the factors of a full matrix take less time than the bookkeeping of a sparse one.
constexpr Index kFewStates = 50;
// A pattern with a larger part of all entries is as good as full.
constexpr double kNearlyFull = 0.2;
constexpr Index kBlock = 64;
constexpr int kKrylovVectors = 30;
// SUNDIALS' ordering by approximate minimum degree, for patterns that are nearly symmetric.
constexpr int kKluMinimumDegree = 0;

void check(int flag, const char* function) {
  if (flag != 0) throw std::runtime_error(std::string(function) + " failed with " + std::to_string(flag));
}

template <class Handle>
void require(const Handle& handle) {
  if (!handle) throw std::bad_alloc();
}

NewtonSystem& owner(SUNLinearSolver solver) { return *static_cast<NewtonSystem*>(solver->content); }

// A linear solver that hands everything on to the system that is its content.
SUNLinearSolver make_front(NewtonSystem& system, SUNContext context) {
  SUNLinearSolver front = SUNLinSolNewEmpty(context);
  if (front == nullptr) return nullptr;
  front->content = &system;
  front->ops->gettype = [](SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; };
  front->ops->initialize = [](SUNLinearSolver solver) { return owner(solver).initialize(); };
  front->ops->setup = [](SUNLinearSolver solver, SUNMatrix matrix) { return owner(solver).set_up(matrix); };
  front->ops->solve = [](SUNLinearSolver solver, SUNMatrix matrix, N_Vector x, N_Vector b, double) {
    return owner(solver).solve(matrix, x, b);
  };
  front->ops->free = [](SUNLinearSolver solver) {
    SUNLinSolFreeEmpty(solver);
    return 0;
  };
  return front;
}

}  // namespace

LinearSolver NewtonSystem::chosen(SmoothOde& ode, LinearSolver solver) {
  if (solver != LinearSolver::automatic) return solver;
  const Pattern* pattern = ode.jacobian_pattern();
  const double n = static_cast<double>(ode.states());
  if (!pattern || ode.states() <= kFewStates) return LinearSolver::dense;
  if (static_cast<double>(pattern->entries()) > kNearlyFull * n * n) return LinearSolver::dense;
  // Faster than a band of any width: half the diagonals of SUNDIALS' band wait for exchanges of rows.
  return LinearSolver::klu;
}

NewtonSystem::NewtonSystem(SmoothOde& ode, CheckedOde& checked, LinearSolver solver,
                           const Callbacks& callbacks, void* cvode, N_Vector like, SUNContext context)
    : ode_(ode),
      checked_(checked),
      solver_(chosen(ode, solver)),
      states_(ode.states()),
      pattern_(ode.jacobian_pattern()) {
  if (!pattern_ && (solver_ == LinearSolver::band || solver_ == LinearSolver::klu)) {
    refuse({.what = "the pattern of the Jacobian is not known",
            .where = std::string("linear solver '") + to_string(solver_) + "'",
            .expected = "a system that tells which derivatives can differ from zero",
            .advice = "choose the linear solver dense or gmres"});
  }
  switch (solver_) {
    case LinearSolver::band: make_band(like, context); break;
    case LinearSolver::klu: make_klu(like, context); break;
    case LinearSolver::gmres: make_gmres(callbacks, cvode, like, context); return;
    case LinearSolver::automatic:
    case LinearSolver::dense: make_dense(callbacks, cvode, like, context); return;
  }
  inner_right_.reset(N_VClone(like));
  inner_result_.reset(N_VClone(like));
  require(inner_right_);
  require(inner_result_);
  outer_.reset(make_front(*this, context));
  require(outer_);
  check(CVodeSetLinearSolver(cvode, outer_.get(), matrix_.get()), "CVodeSetLinearSolver");
  check(CVodeSetLinSysFn(cvode, callbacks.fill_sparse), "CVodeSetLinSysFn");
}

void NewtonSystem::make_dense(const Callbacks& callbacks, void* cvode, N_Vector like, SUNContext context) {
  matrix_.reset(SUNDenseMatrix(states_, states_, context));
  require(matrix_);
  inner_.reset(SUNLinSol_Dense(like, matrix_.get(), context));
  require(inner_);
  check(CVodeSetLinearSolver(cvode, inner_.get(), matrix_.get()), "CVodeSetLinearSolver");
  check(CVodeSetJacFn(cvode, callbacks.fill_dense), "CVodeSetJacFn");
}

void NewtonSystem::order_states() {
  order_ = reverse_cuthill_mckee(*pattern_);
  place_.resize(order_.size());
  for (std::size_t k = 0; k < order_.size(); ++k) place_[at(order_[k])] = static_cast<Index>(k);
}

void NewtonSystem::make_band(N_Vector like, SUNContext context) {
  order_states();
  const Index width = half_bandwidth(*pattern_, order_);
  matrix_.reset(SUNBandMatrix(states_, width, width, context));
  require(matrix_);
  inner_.reset(SUNLinSol_Band(like, matrix_.get(), context));
  require(inner_);
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

void NewtonSystem::make_klu(N_Vector like, SUNContext context) {
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
  inner_.reset(SUNLinSol_KLU(like, matrix_.get(), context));
  require(inner_);
  check(SUNLinSol_KLUSetOrdering(inner_.get(), kKluMinimumDegree), "SUNLinSol_KLUSetOrdering");
}

void NewtonSystem::make_gmres(const Callbacks& callbacks, void* cvode, N_Vector like, SUNContext context) {
  const bool has_own = ode_.has_preconditioner();
  const int side = has_own || pattern_ ? SUN_PREC_LEFT : SUN_PREC_NONE;
  inner_.reset(SUNLinSol_SPGMR(like, side, kKrylovVectors, context));
  require(inner_);
  check(CVodeSetLinearSolver(cvode, inner_.get(), nullptr), "CVodeSetLinearSolver");
  // Without products of its own CVODE takes differences of velocities.
  if (ode_.has_jacobian_times()) check(CVodeSetJacTimes(cvode, nullptr, callbacks.times), "CVodeSetJacTimes");
  if (side == SUN_PREC_NONE) return;
  check(CVodeSetPreconditioner(cvode, callbacks.prepare_preconditioner, callbacks.precondition),
        "CVodeSetPreconditioner");
  if (has_own) return;
  order_states();
  const Index count = (states_ + kBlock - 1) / kBlock;
  blocks_.resize(at(count));
  block_work_ = Vector::Zero(kBlock);
}

int NewtonSystem::fill_dense(double t, N_Vector x, N_Vector dx, SUNMatrix jacobian) {
  const bool usable =
      checked_.jacobian(t, sundials::values(x), sundials::values(dx), sundials::values(jacobian));
  return usable ? 0 : 1;
}

int NewtonSystem::fill_sparse(double t, N_Vector x, N_Vector dx, bool keep_jacobian, double gamma) {
  if (!keep_jacobian && !checked_.split_jacobian(t, sundials::values(x), sundials::values(dx), jacobian_))
    return 1;
  gamma_ = gamma;
  std::fill(numbers_, numbers_ + count_, 0.0);
  for (std::size_t k = 0; k < slots_.size(); ++k)
    numbers_[slots_[k]] = -gamma * jacobian_.values[static_cast<Index>(k)];
  for (const Index slot : diagonal_) numbers_[slot] += 1;
  return 0;
}

int NewtonSystem::times(double t, N_Vector x, N_Vector direction, N_Vector product) {
  const bool usable =
      checked_.jacobian_times(t, sundials::values(x), sundials::values(direction), sundials::values(product));
  return usable ? 0 : 1;
}

int NewtonSystem::set_up(SUNMatrix matrix) {
  if (jacobian_.has_border()) {
    if (!factor_bordered()) return SUNLS_LUFACT_FAIL;
  } else if (const int flag = SUNLinSolSetup(inner_.get(), matrix); flag != 0) {
    return flag;
  }
  const Index rank = jacobian_.left.cols();
  if (rank == 0) return 0;
  correction_.resize(states_, rank);
  for (Index k = 0; k < rank; ++k) {
    const int solved = solve_inner(matrix, jacobian_.left.col(k), correction_.col(k));
    if (solved != 0) return solved;
  }
  Matrix capacitance = Matrix::Identity(rank, rank);
  capacitance.noalias() -= gamma_ * (jacobian_.right.transpose() * correction_);
  if (!capacitance.allFinite()) return SUNLS_LUFACT_FAIL;
  capacitance_.compute(capacitance);
  return 0;
}

bool NewtonSystem::factor_bordered() {
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

int NewtonSystem::solve_inner(SUNMatrix matrix, ConstVectorRef right_hand_side, VectorRef result) {
  if (jacobian_.has_border()) {
    bordered_right_.head(states_) = right_hand_side;
    bordered_result_ = bordered_.solve(bordered_right_);
    result = bordered_result_.head(states_);
    return 0;
  }
  auto right = sundials::values(inner_right_.get());
  auto solution = sundials::values(inner_result_.get());
  if (order_.empty()) {
    right = right_hand_side;
  } else {
    for (Index k = 0; k < states_; ++k) right[k] = right_hand_side[order_[at(k)]];
  }
  const int flag = SUNLinSolSolve(inner_.get(), matrix, inner_result_.get(), inner_right_.get(), 0);
  if (flag != 0) return flag;
  if (order_.empty()) {
    result = solution;
  } else {
    for (Index k = 0; k < states_; ++k) result[order_[at(k)]] = solution[k];
  }
  return 0;
}

int NewtonSystem::solve(SUNMatrix matrix, N_Vector result, N_Vector right_hand_side) {
  auto y = sundials::values(result);
  const int flag = solve_inner(matrix, sundials::values(right_hand_side), y);
  if (flag != 0) return flag;
  if (jacobian_.left.cols() > 0) {
    projection_.noalias() = jacobian_.right.transpose() * y;
    projection_ = capacitance_.solve(projection_).eval();
    y.noalias() += gamma_ * (correction_ * projection_);
  }
  return y.allFinite() ? 0 : SUNLS_LUFACT_FAIL;
}

// With a smaller step CVODE may go on without solving anything, step by tiny step: a preconditioner that fails ends the run.
int NewtonSystem::flag_of_preconditioner(bool usable) const {
  if (usable) return 0;
  return checked_.obstructed() ? -1 : 1;
}

int NewtonSystem::prepare_preconditioner(double t, N_Vector x, N_Vector dx, bool keep_jacobian,
                                         double gamma) {
  if (ode_.has_preconditioner()) {
    return flag_of_preconditioner(checked_.prepare_preconditioner(t, sundials::values(x), gamma));
  }
  if (!keep_jacobian && !checked_.split_jacobian(t, sundials::values(x), sundials::values(dx), jacobian_))
    return 1;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const Index first = static_cast<Index>(b) * kBlock;
    const Index size = std::min(kBlock, states_ - first);
    Matrix block = Matrix::Identity(size, size);
    for (Index row = 0; row < size; ++row) {
      const Index i = order_[at(first + row)];
      for (Index k = pattern_->start[at(i)]; k < pattern_->start[at(i + 1)]; ++k) {
        const Index column = place_[at(pattern_->column[at(k)])] - first;
        if (column >= 0 && column < size) block(row, column) -= gamma * jacobian_.values[k];
      }
    }
    blocks_[b].compute(block);
  }
  return 0;
}

int NewtonSystem::precondition(double t, N_Vector x, N_Vector r, N_Vector z) {
  const auto right = sundials::values(r);
  auto solution = sundials::values(z);
  if (ode_.has_preconditioner()) {
    return flag_of_preconditioner(checked_.precondition(t, sundials::values(x), right, solution));
  }
  solve_blocks(right, solution);
  return solution.allFinite() ? 0 : 1;
}

void NewtonSystem::solve_blocks(ConstVectorRef right, VectorRef solution) {
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const Index first = static_cast<Index>(b) * kBlock;
    const Index size = blocks_[b].rows();
    for (Index k = 0; k < size; ++k) block_work_[k] = right[order_[at(first + k)]];
    block_work_.head(size) = blocks_[b].solve(block_work_.head(size)).eval();
    for (Index k = 0; k < size; ++k) solution[order_[at(first + k)]] = block_work_[k];
  }
}

}  // namespace slideway
