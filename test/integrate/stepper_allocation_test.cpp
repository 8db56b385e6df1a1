// Steps, restarts and dense output ask for no memory.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "integrate/stepper.hpp"
#include "test/allocation_count.hpp"
#include "test/integrate/function_ode.hpp"

#if SLIDEWAY_COUNTS_ALLOCATIONS

namespace slideway::test {
namespace {

// A stiff or non-stiff problem of n states.
FunctionOde forced_chain(Index n) {
  return FunctionOde(
      n,
      [n](double t, ConstVectorRef x, VectorRef dx) {
        dx(0) = std::cos(t) - x(0);
        for (Index i = 1; i < n; ++i) dx(i) = 3 * (x(i - 1) - x(i));
      },
      [n](double, ConstVectorRef, MatrixRef jacobian) {
        jacobian.setZero();
        jacobian.diagonal().setConstant(-3);
        jacobian(0, 0) = -1;
        for (Index i = 1; i < n; ++i) jacobian(i, i - 1) = 3;
      });
}

}  // namespace

TEST_CASE("allocations are counted, in C and in C++ and in Eigen") {
  const auto counted = [](const auto& action) {
    const std::size_t before = allocations().calls;
    action();
    return allocations().calls - before;
  };
  std::string text;
  Vector vector;
  CHECK(counted([&] { text.assign(1000, 'x'); }) == 1);
  CHECK(counted([&] { vector.resize(1000); }) == 1);
  CHECK(counted([&] { vector *= 2; }) == 0);
}

TEST_CASE("steps, restarts and dense output allocate nothing") {
  const auto make_stepper = [](int method, FunctionOde& ode, const StepperOptions& options) {
    if (method == 2) return make_one_step_stepper(ode, OneStepMethod::dopri5, options);
    if (method == 3) return make_one_step_stepper(ode, OneStepMethod::dop853, options);
    if (method == 4) return make_one_step_stepper(ode, OneStepMethod::rodas, options);
    return make_cvode_stepper(ode, method == 0 ? MultistepMethod::bdf : MultistepMethod::adams, options);
  };
  for (const int method : {0, 1, 2, 3, 4}) {
    for (const Index n : {1, 2, 40}) {
      FunctionOde ode = forced_chain(n);
      ode.with_projection([](double, ConstVectorRef, VectorRef) {});
      const StepperOptions options = {.rtol = 1e-7, .atol = Vector::Constant(n, 1e-9), .max_step = 0};
      auto stepper = make_stepper(method, ode, options);
      const Vector start = Vector::Zero(n);
      Vector x = start;
      Vector weights = start;
      double sum = 0;

      const std::size_t before = allocations().calls;
      for (int restart = 0; restart < 20; ++restart) {
        ode.constrain = restart % 2 == 1;
        const double t = 0.7 * restart;
        bool running =
            stepper->start(t, restart == 0 ? start : x, restart == 10 ? std::nextafter(t, t + 1) : t + 30,
                           restart % 3 == 0 ? 0.0 : 1e-3);
        while (running) {
          const StepReport report = stepper->step();
          stepper->evaluate(0.5 * (report.start + report.end), x);
          sum += stepper->interpolant().coefficient(1)(0);
          stepper->error_weights(x, weights);
          running = report.status == StepStatus::advanced;
        }
      }
      const std::size_t after = allocations().calls;

      CHECK(after - before == 0);
      CHECK(stepper->failure().message.empty());
      CHECK(std::isfinite(sum));
    }
  }
}

}  // namespace slideway::test

#endif
