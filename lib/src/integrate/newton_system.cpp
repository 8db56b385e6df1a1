#include "integrate/newton_system.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "core/at.hpp"
#include "core/ordering.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

namespace {

constexpr Index kBlock = 64;
constexpr int kKrylovVectors = 30;

void expect_success(int flag, const char* function) {
  if (flag != 0) throw std::runtime_error(std::string(function) + " failed with " + std::to_string(flag));
}

NewtonSystem& owner(SUNLinearSolver solver) { return *static_cast<NewtonSystem*>(solver->content); }

// A linear solver that hands everything on to the system that is its content.
SUNLinearSolver make_front(NewtonSystem& system, SUNContext context) {
  SUNLinearSolver front = SUNLinSolNewEmpty(context);
  if (front == nullptr) return nullptr;
  front->content = &system;
  front->ops->gettype = [](SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; };
  front->ops->initialize = [](SUNLinearSolver solver) { return owner(solver).initialize(); };
  front->ops->setup = [](SUNLinearSolver solver, SUNMatrix) { return owner(solver).set_up(); };
  front->ops->solve = [](SUNLinearSolver solver, SUNMatrix, N_Vector x, N_Vector b, double) {
    return owner(solver).solve(x, b);
  };
  front->ops->free = [](SUNLinearSolver solver) {
    SUNLinSolFreeEmpty(solver);
    return 0;
  };
  return front;
}

}  // namespace

NewtonSystem::NewtonSystem(SmoothOde& ode, CheckedOde& checked, LinearSolver solver,
                           const Callbacks& callbacks, void* cvode, N_Vector like, SUNContext context)
    : ode_(ode),
      checked_(checked),
      solver_(ShiftedSystem::chosen(ode, solver)),
      states_(ode.states()),
      pattern_(ode.jacobian_pattern()) {
  switch (solver_) {
    case LinearSolver::band:
    case LinearSolver::klu: make_factors(callbacks, cvode, context); break;
    case LinearSolver::gmres: make_gmres(callbacks, cvode, like, context); break;
    case LinearSolver::automatic:
    case LinearSolver::dense: make_dense(callbacks, cvode, like, context); break;
  }
}

void NewtonSystem::make_factors(const Callbacks& callbacks, void* cvode, SUNContext context) {
  shifted_.emplace(ode_, checked_, solver_, context);
  linear_solver_.reset(make_front(*this, context));
  require(linear_solver_);
  expect_success(CVodeSetLinearSolver(cvode, linear_solver_.get(), shifted_->matrix()),
                 "CVodeSetLinearSolver");
  expect_success(CVodeSetLinSysFn(cvode, callbacks.fill_sparse), "CVodeSetLinSysFn");
}

void NewtonSystem::make_dense(const Callbacks& callbacks, void* cvode, N_Vector like, SUNContext context) {
  matrix_.reset(SUNDenseMatrix(states_, states_, context));
  require(matrix_);
  linear_solver_.reset(SUNLinSol_Dense(like, matrix_.get(), context));
  require(linear_solver_);
  expect_success(CVodeSetLinearSolver(cvode, linear_solver_.get(), matrix_.get()), "CVodeSetLinearSolver");
  expect_success(CVodeSetJacFn(cvode, callbacks.fill_dense), "CVodeSetJacFn");
}

void NewtonSystem::make_gmres(const Callbacks& callbacks, void* cvode, N_Vector like, SUNContext context) {
  const bool has_own = ode_.has_preconditioner();
  const int side = has_own || pattern_ ? SUN_PREC_LEFT : SUN_PREC_NONE;
  linear_solver_.reset(SUNLinSol_SPGMR(like, side, kKrylovVectors, context));
  require(linear_solver_);
  expect_success(CVodeSetLinearSolver(cvode, linear_solver_.get(), nullptr), "CVodeSetLinearSolver");
  // CVODE takes differences of velocities where the ode has no products with its Jacobian.
  if (ode_.has_jacobian_times())
    expect_success(CVodeSetJacTimes(cvode, nullptr, callbacks.times), "CVodeSetJacTimes");
  if (side == SUN_PREC_NONE) return;
  expect_success(CVodeSetPreconditioner(cvode, callbacks.prepare_preconditioner, callbacks.precondition),
                 "CVodeSetPreconditioner");
  if (has_own) return;
  order_ = reverse_cuthill_mckee(*pattern_);
  place_ = places_of(order_);
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
  if (!keep_jacobian && !shifted_->find_jacobian(t, sundials::values(x), sundials::values(dx))) return 1;
  shifted_->shift(gamma);
  return 0;
}

int NewtonSystem::times(double t, N_Vector x, N_Vector direction, N_Vector product) {
  const bool usable =
      checked_.jacobian_times(t, sundials::values(x), sundials::values(direction), sundials::values(product));
  return usable ? 0 : 1;
}

int NewtonSystem::solve(N_Vector result, N_Vector right_hand_side) {
  return shifted_->solve(sundials::values(right_hand_side), sundials::values(result)) ? 0 : SUNLS_LUFACT_FAIL;
}

// A preconditioner that fails ends the run. CVODE might go on with a smaller step without solving anything, step
// by tiny step.
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
