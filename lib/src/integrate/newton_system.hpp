// Newton's linear equations (I − γJ) y = b as CVODE wants them: the SUNDIALS matrix and linear solver of the chosen kind,
// attached to CVODE's memory.
//
//     dense      SUNDIALS' dense matrix and its factors
//     band, klu  a ShiftedSystem
//     gmres      SUNDIALS' SPGMR on products J·v; the preconditioner is the ode's own, or else M cut into blocks along the
//                diagonal, in the order of Cuthill & McKee
//
// It must not know steps, events or modes.
#pragma once

#include <optional>
#include <vector>

#include "core/factorise.hpp"
#include "integrate/checked_ode.hpp"
#include "integrate/shifted_system.hpp"
#include "integrate/sundials_handles.hpp"
#include "slideway/integrate/linear_solver.hpp"

namespace slideway {

class NewtonSystem {
 public:
  // The functions that CVODE calls with its user data; each finds the system and calls the member of the same name.
  struct Callbacks {
    CVLsJacFn fill_dense;
    CVLsLinSysFn fill_sparse;
    CVLsJacTimesVecFn times;
    CVLsPrecSetupFn prepare_preconditioner;
    CVLsPrecSolveFn precondition;
  };

  // Makes what `solver` needs, with vectors like `like`, and attaches it to CVODE's memory. Throws std::invalid_argument
  // for a solver that needs a pattern the ode does not have.
  NewtonSystem(SmoothOde& ode, CheckedOde& checked, LinearSolver solver, const Callbacks& callbacks,
               void* cvode, N_Vector like, SUNContext context);

  // SUNDIALS keeps a pointer to it.
  NewtonSystem(const NewtonSystem&) = delete;
  NewtonSystem& operator=(const NewtonSystem&) = delete;

  // CVODE calls these. They return 0, 1 for "try a smaller step", or −1 for "give up".
  int fill_dense(double t, N_Vector x, N_Vector dx, SUNMatrix jacobian);
  int fill_sparse(double t, N_Vector x, N_Vector dx, bool keep_jacobian, double gamma);
  int times(double t, N_Vector x, N_Vector direction, N_Vector product);
  int prepare_preconditioner(double t, N_Vector x, N_Vector dx, bool keep_jacobian, double gamma);
  int precondition(double t, N_Vector x, N_Vector r, N_Vector z);

  bool uses_krylov() const { return solver_ == LinearSolver::gmres; }

  // SUNDIALS calls these: the linear solver in front of band and KLU. They return its flags.
  int initialize() {
    shifted_->forget_factors();
    return SUNLS_SUCCESS;
  }
  int set_up() { return shifted_->factor() ? 0 : SUNLS_LUFACT_FAIL; }
  int solve(N_Vector result, N_Vector right_hand_side);

 private:
  void make_factors(const Callbacks& callbacks, void* cvode, SUNContext context);
  void make_dense(const Callbacks& callbacks, void* cvode, N_Vector like, SUNContext context);
  void make_gmres(const Callbacks& callbacks, void* cvode, N_Vector like, SUNContext context);
  int flag_of_preconditioner(bool usable) const;
  void solve_blocks(ConstVectorRef right, VectorRef solution);

  SmoothOde& ode_;
  CheckedOde& checked_;
  LinearSolver solver_;
  Index states_;

  std::optional<ShiftedSystem> shifted_;  // of band and klu

  // These serve gmres: order_[k] is the state in place k, and place_ the inverse.
  const Pattern* pattern_;
  SplitJacobian jacobian_ = {};
  std::vector<Index> order_;
  std::vector<Index> place_;
  std::vector<Eigen::PartialPivLU<Matrix>> blocks_;
  Vector block_work_;

  sundials::MatrixHandle matrix_;  // of dense
  sundials::LinearSolverHandle linear_solver_;
};

}  // namespace slideway
