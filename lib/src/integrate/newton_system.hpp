// Newton's linear equations (I − γJ) y = b as CVODE wants them: the SUNDIALS matrix and linear solver of the chosen kind,
// attached to CVODE's memory.
//
//     dense      SUNDIALS' dense matrix and its factors
//     band, klu  M = I − γS by SUNDIALS' band or KLU, and J = S + U Vᵀ by the formula of Woodbury:
//                y = M⁻¹b + γ Z (I − γ VᵀZ)⁻¹ Vᵀ M⁻¹b,  Z = M⁻¹U
//                Where J has a border, − B K⁻¹ C, M⁻¹b is the first part of the solution (y, z) of
//                (I − γS) y − γB z = b,  C y + K z = 0,  by Eigen's sparse factors
//     gmres      SUNDIALS' SPGMR on products J·v; the preconditioner is the ode's own, or else M cut into blocks along the
//                diagonal, in the order of Cuthill & McKee
//
// It must not know steps, events or modes.
#pragma once

#include <Eigen/LU>
#include <Eigen/SparseLU>
#include <vector>

#include "integrate/checked_ode.hpp"
#include "integrate/sundials_handles.hpp"
#include "slideway/integrate/linear_solver.hpp"

namespace slideway {

class NewtonSystem {
 public:
  // What CVODE calls with its user data, which then finds the system and calls the members of the same names.
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

  // What `automatic` stands for with this ode.
  static LinearSolver chosen(SmoothOde& ode, LinearSolver solver);

  // For CVODE. They return 0, 1 for "try a smaller step", or −1 for "give up".
  int fill_dense(double t, N_Vector x, N_Vector dx, SUNMatrix jacobian);
  int fill_sparse(double t, N_Vector x, N_Vector dx, bool keep_jacobian, double gamma);
  int times(double t, N_Vector x, N_Vector direction, N_Vector product);
  int prepare_preconditioner(double t, N_Vector x, N_Vector dx, bool keep_jacobian, double gamma);
  int precondition(double t, N_Vector x, N_Vector r, N_Vector z);

  bool uses_krylov() const { return solver_ == LinearSolver::gmres; }

  // For SUNDIALS: the linear solver in front of band and KLU. They return its flags.
  int initialize() { return SUNLinSolInitialize(inner_.get()); }
  int set_up(SUNMatrix matrix);
  int solve(SUNMatrix matrix, N_Vector result, N_Vector right_hand_side);

 private:
  void make_dense(const Callbacks& callbacks, void* cvode, N_Vector like, SUNContext context);
  void make_band(N_Vector like, SUNContext context);
  void make_klu(N_Vector like, SUNContext context);
  void make_gmres(const Callbacks& callbacks, void* cvode, N_Vector like, SUNContext context);
  void order_states();
  int flag_of_preconditioner(bool usable) const;
  void solve_blocks(ConstVectorRef right, VectorRef solution);
  int solve_inner(SUNMatrix matrix, ConstVectorRef right_hand_side, VectorRef result);
  bool factor_bordered();

  SmoothOde& ode_;
  CheckedOde& checked_;
  LinearSolver solver_;
  Index states_;
  const Pattern* pattern_;

  SplitJacobian jacobian_ = {};
  double gamma_ = 0;
  // order_[k] is the state in place k, place_ the inverse. Both empty: as it is.
  std::vector<Index> order_;
  std::vector<Index> place_;

  // The numbers of the matrix, and where among them the entries of the pattern and the diagonal are.
  double* numbers_ = nullptr;
  Index count_ = 0;
  std::vector<Index> slots_;
  std::vector<Index> diagonal_;

  Matrix correction_;                        // Z
  Eigen::PartialPivLU<Matrix> capacitance_;  // I − γ VᵀZ
  Vector projection_;

  Eigen::SparseMatrix<double> bordered_matrix_;
  Eigen::SparseLU<Eigen::SparseMatrix<double>> bordered_;
  Vector bordered_right_, bordered_result_;

  std::vector<Eigen::PartialPivLU<Matrix>> blocks_;
  Vector block_work_;

  sundials::MatrixHandle matrix_;
  sundials::VectorHandle inner_right_;
  sundials::VectorHandle inner_result_;
  sundials::LinearSolverHandle inner_;
  sundials::LinearSolverHandle outer_;
};

}  // namespace slideway
