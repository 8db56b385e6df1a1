#include "integrate/equations_solver.hpp"

#include <kinsol/kinsol.h>

#include <cmath>
#include <exception>
#include <limits>
#include <memory>
#include <utility>

#include "integrate/sundials_handles.hpp"

namespace slideway {

namespace {

struct FreeKinsol {
  void operator()(void* kinsol) const { KINFree(&kinsol); }
};

// The equations as KINSOL calls them. Exceptions do not pass through C: the first is kept and thrown again.
struct EquationsCall {
  const Equations& equations;
  Vector best = {};
  double least = std::numeric_limits<double>::infinity();
  std::exception_ptr thrown = {};

  template <class Ask>
  int guarded(const Ask& ask) {
    try {
      return ask() ? 0 : 1;
    } catch (...) {
      thrown = std::current_exception();
      return -1;
    }
  }
};

int equations_value(N_Vector u, N_Vector f, void* data) {
  auto& call = *static_cast<EquationsCall*>(data);
  return call.guarded([&] {
    auto result = sundials::values(f);
    if (!call.equations.value(sundials::values(u), result) || !result.allFinite()) return false;
    const double size = result.lpNorm<Eigen::Infinity>();
    if (size < call.least) {
      call.least = size;
      call.best = sundials::values(u);
    }
    return true;
  });
}

int equations_jacobian(N_Vector u, N_Vector, SUNMatrix jacobian, void* data, N_Vector, N_Vector) {
  auto& call = *static_cast<EquationsCall*>(data);
  return call.guarded([&] {
    auto result = sundials::values(jacobian);
    return call.equations.jacobian(sundials::values(u), result) && result.allFinite();
  });
}

std::string meaning_of(int flag) {
  switch (flag) {
    case KIN_LINESEARCH_NONCONV: return "no step along Newton's direction makes the residual smaller";
    case KIN_MAXITER_REACHED: return "the greatest number of iterations is reached";
    case KIN_MXNEWT_5X_EXCEEDED: return "the zero is far from the first approximation, or there is none";
    case KIN_STEP_LT_STPTOL: return "the steps became too small";
    case KIN_LSETUP_FAIL: return "the Jacobian is singular or does not exist";
    case KIN_LSOLVE_FAIL: return "the Jacobian is singular";
    case KIN_FIRST_SYSFUNC_ERR: return "the equations have no value at the first approximation";
    case KIN_REPTD_SYSFUNC_ERR: return "the equations have no value where Newton's method leads";
    case KIN_SYSFUNC_FAIL: return "the equations have no value";
    default: return "KINSOL ended with the flag " + std::to_string(flag);
  }
}

}  // namespace

EquationsResult solve_equations(const Equations& equations, Vector start, const EquationsOptions& options) {
  const Index size = start.size();
  const sundials::ContextHandle context(sundials::create_context());
  sundials::require(context);
  const sundials::VectorHandle u(N_VNew_Serial(size, context.get())),
      ones(N_VNew_Serial(size, context.get()));
  const sundials::MatrixHandle matrix(SUNDenseMatrix(size, size, context.get()));
  sundials::require(u);
  sundials::require(ones);
  sundials::require(matrix);
  const sundials::LinearSolverHandle solver(SUNLinSol_Dense(u.get(), matrix.get(), context.get()));
  sundials::require(solver);
  const std::unique_ptr<void, FreeKinsol> kinsol(KINCreate(context.get()));
  if (!kinsol) throw std::bad_alloc();

  EquationsCall call{.equations = equations};
  std::string last_message;
#if SUNDIALS_VERSION_MAJOR >= 7
  sundials::capture_messages(context.get(), nullptr, last_message);
#else
  KINSetErrHandlerFn(kinsol.get(), sundials::message_handler, &last_message);
#endif
  sundials::values(u.get()) = start;
  sundials::values(ones.get()).setOnes();
  KINInit(kinsol.get(), equations_value, u.get());
  KINSetUserData(kinsol.get(), &call);
  KINSetLinearSolver(kinsol.get(), solver.get(), matrix.get());
  KINSetJacFn(kinsol.get(), equations_jacobian);
  KINSetMaxSetupCalls(kinsol.get(), 1);
  KINSetNumMaxIters(kinsol.get(), options.max_iterations);
  KINSetMaxNewtonStep(kinsol.get(), options.longest_step);
  KINSetFuncNormTol(kinsol.get(), options.tolerance);
  KINSetScaledStepTol(kinsol.get(), 1e-15);
  const int flag = KINSol(kinsol.get(), u.get(), KIN_LINESEARCH, ones.get(), ones.get());
  if (call.thrown) std::rethrow_exception(call.thrown);

  EquationsResult result;
  KINGetNumNonlinSolvIters(kinsol.get(), &result.iterations);
  result.u = call.best.size() > 0 ? call.best : std::move(start);
  result.residual = call.least;
  result.converged =
      call.least <= (flag >= 0 ? std::max(options.tolerance, options.accepted) : options.accepted);
  if (!result.converged) result.message = meaning_of(flag);
  return result;
}

}  // namespace slideway
