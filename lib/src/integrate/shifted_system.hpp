// The linear equations (I − γJ) y = b of an implicit step, by factors that are made once for several b:
//
//     dense      Eigen's factors of the full matrix
//     band, klu  M = I − γS by SUNDIALS' band or KLU, and J = S + U Vᵀ by the formula of Woodbury:
//                y = M⁻¹b + γ Z (I − γ VᵀZ)⁻¹ Vᵀ M⁻¹b,  Z = M⁻¹U
//                Where J has a border, − B K⁻¹ C, M⁻¹b is the first part of the solution (y, z) of
//                (I − γS) y − γB z = b,  C y + K z = 0,  by Eigen's sparse factors
//
// It must not know who asks, steps, events or modes.
#pragma once

#include <vector>

#include "core/factorise.hpp"
#include "integrate/checked_ode.hpp"
#include "integrate/sundials_handles.hpp"
#include "slideway/integrate/linear_solver.hpp"

namespace slideway {

class ShiftedSystem {
 public:
  // Throws std::invalid_argument for a solver that needs a pattern the ode does not have, and for gmres, which makes no factors.
  ShiftedSystem(SmoothOde& ode, CheckedOde& checked, LinearSolver solver, SUNContext context);

  // The solver that `automatic` stands for with this ode.
  static LinearSolver chosen(SmoothOde& ode, LinearSolver solver);

  // Takes J at (t, x), where dx is the velocity; false if it is not usable.
  [[nodiscard]] bool find_jacobian(double t, ConstVectorRef x, ConstVectorRef dx);
  // Fills I − γJ, but for what is added by the formulas above.
  void shift(double gamma);
  // The next factors are made without anything of those before: their pivots.
  void forget_factors();
  // Makes the factors of what was filled; false if there are none.
  [[nodiscard]] bool factor();
  // y for this b; they may be the same. False if y is not finite.
  [[nodiscard]] bool solve(ConstVectorRef b, VectorRef y);

  // The matrix of band and klu, for whoever has to name one.
  SUNMatrix matrix() const { return matrix_.get(); }

 private:
  void make_band(SUNContext context);
  void make_klu(SUNContext context);
  bool factor_bordered();
  bool solve_sparse_part(ConstVectorRef b, VectorRef y);

  CheckedOde& checked_;
  Index states_;
  bool is_dense_;
  const Pattern* pattern_;
  double gamma_ = 0;

  // Dense holds the factors of the full matrix.
  struct Dense {
    Matrix jacobian, shifted;
    Eigen::PartialPivLU<Matrix> factors;
    Vector right;
  };
  Dense dense_;

  SplitJacobian jacobian_ = {};
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

  sundials::VectorHandle right_, result_;
  sundials::MatrixHandle matrix_;
  sundials::LinearSolverHandle solver_;
};

}  // namespace slideway
