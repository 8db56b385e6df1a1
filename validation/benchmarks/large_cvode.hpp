// CVODE for a hand-written problem of any size (large_problems.hpp): its own root-finding, and a fresh start after every
// event. Adams with fixed-point iteration, or BDF with sparse factors (KLU) where the problem has a Jacobian.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_config.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include "validation/benchmarks/large_problems.hpp"

namespace slideway::benchmarks {

template <class Problem>
class LargeCvode {
 public:
  static constexpr bool stiff = requires(const Problem& problem) { problem.nonzeros(); };

  LargeCvode(Problem problem, double rtol, double atol)
      : problem_(std::move(problem)), rtol_(rtol), atol_(atol) {
#if SUNDIALS_VERSION_MAJOR >= 7
    check(SUNContext_Create(SUN_COMM_NULL, &context_), "SUNContext_Create");
#else
    check(SUNContext_Create(nullptr, &context_), "SUNContext_Create");
#endif
    const auto n = static_cast<sunindextype>(problem_.states());
    state_ = N_VNew_Serial(n, context_);
    cvode_ = CVodeCreate(stiff ? CV_BDF : CV_ADAMS, context_);
    const std::vector<double> start = problem_.start();
    std::copy(start.begin(), start.end(), N_VGetArrayPointer(state_));
    check(CVodeInit(cvode_, field, 0, state_), "CVodeInit");
    check(CVodeSStolerances(cvode_, rtol, atol), "CVodeSStolerances");
    check(CVodeSetUserData(cvode_, this), "CVodeSetUserData");
    check(CVodeSetMaxNumSteps(cvode_, 10'000'000), "CVodeSetMaxNumSteps");
    const int roots = static_cast<int>(problem_.roots());
    if (roots > 0) {
      check(CVodeRootInit(cvode_, roots, root_functions), "CVodeRootInit");
      check(CVodeSetNoInactiveRootWarn(cvode_), "CVodeSetNoInactiveRootWarn");
      std::vector<int> falling(problem_.roots(), -1);
      check(CVodeSetRootDirection(cvode_, falling.data()), "CVodeSetRootDirection");
    }
    if constexpr (stiff) {
      matrix_ = SUNSparseMatrix(n, n, 3 * n, CSC_MAT, context_);
      linear_solver_ = SUNLinSol_KLU(state_, matrix_, context_);
      check(CVodeSetLinearSolver(cvode_, linear_solver_, matrix_), "CVodeSetLinearSolver");
      check(CVodeSetJacFn(cvode_, jacobian), "CVodeSetJacFn");
    } else {
      fixed_point_ = SUNNonlinSol_FixedPoint(state_, 0, context_);
      check(CVodeSetNonlinearSolver(cvode_, fixed_point_), "CVodeSetNonlinearSolver");
    }
  }
  ~LargeCvode() {
    if (linear_solver_ != nullptr) SUNLinSolFree(linear_solver_);
    if (matrix_ != nullptr) SUNMatDestroy(matrix_);
    if (fixed_point_ != nullptr) SUNNonlinSolFree(fixed_point_);
    CVodeFree(&cvode_);
    N_VDestroy(state_);
    SUNContext_Free(&context_);
  }
  LargeCvode(const LargeCvode&) = delete;
  LargeCvode& operator=(const LargeCvode&) = delete;

  LargeResult run(double end) {
    std::vector<int> found(problem_.roots());
    double* const x = N_VGetArrayPointer(state_);
    double t = 0;
    check(CVodeSetStopTime(cvode_, end), "CVodeSetStopTime");
    while (true) {
      const int flag = CVode(cvode_, end, state_, &t, CV_NORMAL);
      check(flag, "CVode");
      long int steps = 0;
      check(CVodeGetNumSteps(cvode_, &steps), "CVodeGetNumSteps");
      result_.steps += steps;
      if (flag != CV_ROOT_RETURN) break;
      check(CVodeGetRootInfo(cvode_, found.data()), "CVodeGetRootInfo");
      for (std::size_t i = 0; i < found.size(); ++i) {
        if (found[i] == 0) continue;
        problem_.change(t, x, i);
        ++result_.events;
      }
      check(CVodeReInit(cvode_, t, state_), "CVodeReInit");
      check(CVodeSetStopTime(cvode_, end), "CVodeSetStopTime");
      if constexpr (stiff) {
        // The pattern of the Jacobian is another one.
        check(SUNLinSol_KLUReInit(linear_solver_, matrix_, static_cast<sunindextype>(3 * problem_.states()),
                                  SUNKLU_REINIT_PARTIAL),
              "SUNLinSol_KLUReInit");
      }
    }
    result_.final.assign(x, x + problem_.states());
    return result_;
  }

 private:
  static void check(int flag, const char* function) {
    if (flag < 0) throw std::runtime_error(std::string(function) + " failed with " + std::to_string(flag));
  }
  static int field(sunrealtype t, N_Vector x, N_Vector dx, void* self) {
    auto* program = static_cast<LargeCvode*>(self);
    ++program->result_.field_evaluations;
    program->problem_.field(t, N_VGetArrayPointer(x), N_VGetArrayPointer(dx));
    return 0;
  }
  static int root_functions(sunrealtype t, N_Vector x, sunrealtype* g, void* self) {
    const Problem& problem = static_cast<LargeCvode*>(self)->problem_;
    for (std::size_t i = 0; i < problem.roots(); ++i) g[i] = problem.root(t, N_VGetArrayPointer(x), i);
    return 0;
  }
  static int jacobian(sunrealtype, N_Vector x, N_Vector, SUNMatrix matrix, void* self, N_Vector, N_Vector,
                      N_Vector) {
    if constexpr (stiff) {
      SUNMatZero(matrix);
      const Problem& problem = static_cast<LargeCvode*>(self)->problem_;
      sunindextype* const start = SUNSparseMatrix_IndexPointers(matrix);
      sunindextype* const row = SUNSparseMatrix_IndexValues(matrix);
      sunrealtype* const value = SUNSparseMatrix_Data(matrix);
      if constexpr (requires { problem.jacobian_at(value, start, row, value); }) {
        problem.jacobian_at(N_VGetArrayPointer(x), start, row, value);
      } else {
        problem.jacobian(start, row, value);
      }
    }
    return 0;
  }

  Problem problem_;
  double rtol_, atol_;
  SUNContext context_ = nullptr;
  N_Vector state_ = nullptr;
  void* cvode_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver linear_solver_ = nullptr;
  SUNNonlinearSolver fixed_point_ = nullptr;
  LargeResult result_;
};

}  // namespace slideway::benchmarks
