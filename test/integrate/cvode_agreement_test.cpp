// The stepper beside CVODE driven by hand: the same steps, bit for bit, and the same dense output.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <random>
#include <string>

#include "integrate/stepper.hpp"
#include "integrate/sundials_handles.hpp"
#include "test/integrate/function_ode.hpp"

namespace slideway::test {
namespace {

constexpr double kRtol = 1e-8;
constexpr double kAtol = 1e-10;
constexpr double kEnd = 30;

// A Duffing oscillator.
int velocity(double t, N_Vector x, N_Vector dx, void*) {
  const auto state = sundials::values(x);
  sundials::values(dx) << state(1), -state(0) * state(0) * state(0) - 0.1 * state(1) + std::cos(t);
  return 0;
}

int jacobian(double, N_Vector x, N_Vector, SUNMatrix matrix, void*, N_Vector, N_Vector, N_Vector) {
  const auto state = sundials::values(x);
  sundials::values(matrix) << 0, 1, -3 * state(0) * state(0), -0.1;
  return 0;
}

FunctionOde duffing() {
  return {2,
          [](double t, ConstVectorRef x, VectorRef dx) {
            dx << x(1), -x(0) * x(0) * x(0) - 0.1 * x(1) + std::cos(t);
          },
          [](double, ConstVectorRef x, MatrixRef matrix) { matrix << 0, 1, -3 * x(0) * x(0), -0.1; }};
}

// The text written to standard error during `action`.
template <typename Action>
std::string standard_error_of(const Action& action) {
  std::FILE* file = std::tmpfile();
  REQUIRE(file != nullptr);
  std::fflush(stderr);
  const int saved = dup(STDERR_FILENO);
  dup2(fileno(file), STDERR_FILENO);
  action();
  std::fflush(stderr);
  dup2(saved, STDERR_FILENO);
  close(saved);
  std::rewind(file);
  std::string text;
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text += static_cast<char>(c);
  std::fclose(file);
  return text;
}

}  // namespace

TEST_CASE("the stepper takes CVODE's own steps, and its polynomial is CVodeGetDky's") {
  std::mt19937 random(7);
  for (const MultistepMethod method : {MultistepMethod::bdf, MultistepMethod::adams}) {
    const bool bdf = method == MultistepMethod::bdf;
    const sundials::ContextHandle context(sundials::create_context());
    const sundials::VectorHandle state(N_VNew_Serial(2, context.get()));
    const sundials::VectorHandle work(N_VNew_Serial(2, context.get()));
    const sundials::MatrixHandle matrix(SUNDenseMatrix(2, 2, context.get()));
    const sundials::LinearSolverHandle linear(SUNLinSol_Dense(state.get(), matrix.get(), context.get()));
    const sundials::NonlinearSolverHandle fixed_point(SUNNonlinSol_FixedPoint(state.get(), 0, context.get()));
    const sundials::CvodeHandle cvode(CVodeCreate(bdf ? CV_BDF : CV_ADAMS, context.get()));
    sundials::values(state.get()) << 1, 0;
    REQUIRE(CVodeInit(cvode.get(), velocity, 0, state.get()) == CV_SUCCESS);
    REQUIRE(CVodeSStolerances(cvode.get(), kRtol, kAtol) == CV_SUCCESS);
    if (bdf) {
      REQUIRE(CVodeSetLinearSolver(cvode.get(), linear.get(), matrix.get()) == CV_SUCCESS);
      REQUIRE(CVodeSetJacFn(cvode.get(), jacobian) == CV_SUCCESS);
    } else {
      REQUIRE(CVodeSetNonlinearSolver(cvode.get(), fixed_point.get()) == CV_SUCCESS);
    }
    REQUIRE(CVodeSetStopTime(cvode.get(), kEnd) == CV_SUCCESS);

    FunctionOde ode = duffing();
    auto stepper =
        make_cvode_stepper(ode, method, {.rtol = kRtol, .atol = Vector::Constant(2, kAtol), .max_step = 0});
    REQUIRE(stepper->start(0, Eigen::Vector2d(1, 0), kEnd, 0));
    Vector x(2);
    long jacobians = 0;
    double jacobian_step = 0;
    for (StepReport report; report.status != StepStatus::reached_end;) {
      report = stepper->step();
      REQUIRE(report.status != StepStatus::failed);
      double t = 0;
      REQUIRE(CVode(cvode.get(), kEnd, state.get(), &t, CV_ONE_STEP) >= 0);
      CHECK(report.end == t);
      if (bdf) {
        // The stepper adds one thing to CVODE: a new Jacobian when the step has doubled.
        long evaluated = 0;
        double h = 0;
        CVodeGetNumJacEvals(cvode.get(), &evaluated);
        CVodeGetLastStep(cvode.get(), &h);
        if (evaluated != jacobians) jacobian_step = h;
        jacobians = evaluated;
        CVodeSetJacEvalFrequency(cvode.get(), h > 2 * jacobian_step ? 1 : 51);
      }
      stepper->evaluate(t, x);
      CHECK(x == sundials::values(state.get()));
      for (int i = 0; i < 4; ++i) {
        const double inside = std::uniform_real_distribution<>(report.start, report.end)(random);
        REQUIRE(CVodeGetDky(cvode.get(), inside, 0, work.get()) == CV_SUCCESS);
        stepper->evaluate(inside, x);
        CHECK((x - sundials::values(work.get())).norm() < 1e-15 * (1 + x.norm()));
      }
    }
    long evaluations = 0;
    CVodeGetNumRhsEvals(cvode.get(), &evaluations);
    CHECK(stepper->statistics().velocity_evaluations == evaluations);
    CHECK(ode.velocity_calls == evaluations);
    long steps = 0;
    CVodeGetNumSteps(cvode.get(), &steps);
    CHECK(stepper->statistics().steps == steps);
  }
}

TEST_CASE("nothing is printed, whatever goes wrong") {
  CHECK(standard_error_of([] { std::fputs("heard", stderr); }) == "heard");
  const std::string text = standard_error_of([] {
    for (const MultistepMethod method : {MultistepMethod::bdf, MultistepMethod::adams}) {
      FunctionOde ode(
          1, [](double, ConstVectorRef x, VectorRef dx) { dx(0) = -1 - std::sqrt(x(0)); },
          [](double, ConstVectorRef x, MatrixRef matrix) { matrix(0, 0) = -0.5 / std::sqrt(x(0)); });
      auto stepper =
          make_cvode_stepper(ode, method, {.rtol = 1e-6, .atol = Vector::Constant(1, 1e-8), .max_step = 0});
      REQUIRE(stepper->start(1e9, Vector::Constant(1, 1.0), 1e9 + 2, 1e-12));
      StepReport report;
      do {
        report = stepper->step();
      } while (report.status != StepStatus::failed);
    }
  });
  CHECK(text == "");
}

}  // namespace slideway::test
