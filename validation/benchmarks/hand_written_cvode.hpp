// The part of a hand-written CVODE program with explicit modes that does not depend on the problem: integrate the mode at
// hand until one of its root functions fires, let the problem choose the next mode, start afresh.
//
// A problem has
//     static constexpr int states, roots;
//     char mode;                                       the mode at hand
//     void field(double t, const double* x, double* dx) const;
//     void jacobian(double t, const double* x, double* columns) const;    column by column
//     void root_functions(double t, const double* x, double* g) const;
//     void directions(int* direction) const;           of the roots that matter: -1 falling, +1 rising
//     double largest_step() const;                     a limit so that no root is stepped over, 0: none
//     char next_mode(double t, double* x);             at a root; may correct x
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_config.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

namespace slideway::benchmarks {

struct HandWrittenResult {
  std::vector<double> times = {};  // of the mode changes
  std::string modes = {};          // a character per mode, one more than times
  std::vector<double> final = {};
  std::int64_t field_evaluations = 0;  // all calls of the field
  std::int64_t guard_evaluations = 0;  // all calls of the root functions
  std::int64_t jacobian_evaluations = 0;
  std::int64_t steps = 0;
};

template <class Problem>
class HandWrittenProgram {
 public:
  HandWrittenProgram(Problem problem, bool stiff, double rtol, double atol)
      : problem_(problem), context_(create_context()), state_(nullptr, N_VDestroy) {
    state_.reset(N_VNew_Serial(Problem::states, context_.get()));
    cvode_ = CVodeCreate(stiff ? CV_BDF : CV_ADAMS, context_.get());
    if (cvode_ == nullptr || !state_) throw std::runtime_error("CVodeCreate failed");
    N_VConst(0, state_.get());
    check(CVodeInit(cvode_, right_hand_side, 0, state_.get()), "CVodeInit");
    check(CVodeSStolerances(cvode_, rtol, atol), "CVodeSStolerances");
    check(CVodeSetUserData(cvode_, this), "CVodeSetUserData");
    check(CVodeSetMaxNumSteps(cvode_, 1'000'000), "CVodeSetMaxNumSteps");
    check(CVodeRootInit(cvode_, Problem::roots, roots), "CVodeRootInit");
    check(CVodeSetNoInactiveRootWarn(cvode_), "CVodeSetNoInactiveRootWarn");
    if (stiff) {
      matrix_ = SUNDenseMatrix(Problem::states, Problem::states, context_.get());
      linear_solver_ = SUNLinSol_Dense(state_.get(), matrix_, context_.get());
      check(CVodeSetLinearSolver(cvode_, linear_solver_, matrix_), "CVodeSetLinearSolver");
      check(CVodeSetJacFn(cvode_, jacobian), "CVodeSetJacFn");
    } else {
      fixed_point_ = SUNNonlinSol_FixedPoint(state_.get(), 0, context_.get());
      check(CVodeSetNonlinearSolver(cvode_, fixed_point_), "CVodeSetNonlinearSolver");
    }
  }

  ~HandWrittenProgram() {
    if (linear_solver_ != nullptr) SUNLinSolFree(linear_solver_);
    if (matrix_ != nullptr) SUNMatDestroy(matrix_);
    if (fixed_point_ != nullptr) SUNNonlinSolFree(fixed_point_);
    CVodeFree(&cvode_);
  }
  HandWrittenProgram(const HandWrittenProgram&) = delete;
  HandWrittenProgram& operator=(const HandWrittenProgram&) = delete;

  HandWrittenResult run(const std::vector<double>& start, double end) {
    result_ = {};
    double* x = N_VGetArrayPointer(state_.get());
    std::copy(start.begin(), start.end(), x);
    double t = 0;
    result_.modes = problem_.mode;
    while (true) {
      restart(t, end);
      double reached = t;
      const int flag = CVode(cvode_, end, state_.get(), &reached, CV_NORMAL);
      check(flag, "CVode");
      t = reached;
      add_counts();
      if (flag != CV_ROOT_RETURN) break;
      problem_.mode = problem_.next_mode(t, x);
      result_.times.push_back(t);
      result_.modes += problem_.mode;
    }
    result_.final.assign(x, x + Problem::states);
    return result_;
  }

 private:
  using Context = std::unique_ptr<std::remove_pointer_t<SUNContext>, void (*)(SUNContext)>;

  static Context create_context() {
    SUNContext context = nullptr;
#if SUNDIALS_VERSION_MAJOR >= 7
    const bool failed = SUNContext_Create(SUN_COMM_NULL, &context) != 0;
#else
    const bool failed = SUNContext_Create(nullptr, &context) != 0;
#endif
    if (failed) throw std::runtime_error("SUNContext_Create failed");
    return Context(context, [](SUNContext old) { SUNContext_Free(&old); });
  }

  static void check(int flag, const char* function) {
    if (flag < 0) throw std::runtime_error(std::string(function) + " failed with " + std::to_string(flag));
  }

  void restart(double t, double end) {
    check(CVodeReInit(cvode_, t, state_.get()), "CVodeReInit");
    check(CVodeSetStopTime(cvode_, end), "CVodeSetStopTime");
    check(CVodeSetMaxStep(cvode_, problem_.largest_step()), "CVodeSetMaxStep");
    std::array<int, Problem::roots> direction{};
    problem_.directions(direction.data());
    check(CVodeSetRootDirection(cvode_, direction.data()), "CVodeSetRootDirection");
  }

  void add_counts() {
    long int steps = 0;
    check(CVodeGetNumSteps(cvode_, &steps), "CVodeGetNumSteps");
    result_.steps += steps;
  }

  static int right_hand_side(sunrealtype t, N_Vector x, N_Vector dx, void* self) {
    auto* program = static_cast<HandWrittenProgram*>(self);
    ++program->result_.field_evaluations;
    program->problem_.field(t, N_VGetArrayPointer(x), N_VGetArrayPointer(dx));
    return 0;
  }

  static int roots(sunrealtype t, N_Vector x, sunrealtype* g, void* self) {
    auto* program = static_cast<HandWrittenProgram*>(self);
    ++program->result_.guard_evaluations;
    program->problem_.root_functions(t, N_VGetArrayPointer(x), g);
    return 0;
  }

  static int jacobian(sunrealtype t, N_Vector x, N_Vector, SUNMatrix matrix, void* self, N_Vector, N_Vector,
                      N_Vector) {
    auto* program = static_cast<HandWrittenProgram*>(self);
    ++program->result_.jacobian_evaluations;
    program->problem_.jacobian(t, N_VGetArrayPointer(x), SUNDenseMatrix_Data(matrix));
    return 0;
  }

  Problem problem_;
  Context context_;
  std::unique_ptr<std::remove_pointer_t<N_Vector>, void (*)(N_Vector)> state_;
  void* cvode_ = nullptr;
  SUNMatrix matrix_ = nullptr;
  SUNLinearSolver linear_solver_ = nullptr;
  SUNNonlinearSolver fixed_point_ = nullptr;
  HandWrittenResult result_;
};

}  // namespace slideway::benchmarks
