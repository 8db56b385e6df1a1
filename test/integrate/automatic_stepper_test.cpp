#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include "slideway/integrate/stepper.hpp"
#include "test/integrate/function_ode.hpp"
#include "test/integrate/stepping.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

// Steps until something other than `advanced` happens; every step begins where the last one ended.
StepReport run(Stepper& stepper, double start) {
  StepReport report;
  double reached = start;
  do {
    report = stepper.step();
    CHECK(report.start == reached);
    reached = report.end;
  } while (report.status == StepStatus::advanced);
  return report;
}

FunctionOde van_der_pol(double mu) {
  return {2,
          [mu](double, ConstVectorRef x, VectorRef dx) {
            dx(0) = x(1);
            dx(1) = ((1 - x(0) * x(0)) * x(1) - x(0)) * mu;
          },
          [mu](double, ConstVectorRef x, MatrixRef jacobian) {
            jacobian << 0, 1, (-2 * x(0) * x(1) - 1) * mu, (1 - x(0) * x(0)) * mu;
          }};
}

}  // namespace

TEST_CASE("the automatic choice stays with dopri5 where a problem is not stiff") {
  FunctionOde ode = oscillator();
  auto automatic = make_automatic_stepper(ode, tolerances(2, 1e-8));
  REQUIRE(automatic->start(0, Eigen::Vector2d(1, 0), 500, 0));
  CHECK(run(*automatic, 0).status == StepStatus::reached_end);
  auto dopri5 = make_odeint_stepper(ode, tolerances(2, 1e-8));
  REQUIRE(dopri5->start(0, Eigen::Vector2d(1, 0), 500, 0));
  CHECK(run(*dopri5, 0).status == StepStatus::reached_end);
  CHECK(std::isnan(automatic->statistics().stiff_from));
  CHECK(automatic->statistics().velocity_evaluations == dopri5->statistics().velocity_evaluations);
  CHECK(automatic->statistics().jacobian_evaluations == 0);
}

TEST_CASE("the automatic choice goes over to BDF where a problem is stiff, says when, and stays with it") {
  // The problem VDPOL of the Test Set for Initial Value Problem Solvers, at t = 2.
  const Eigen::Vector2d reference(1.706167732170483, -0.8928097010247975);
  for (const double rtol : {1e-5, 1e-8}) {
    FunctionOde ode = van_der_pol(1e6);
    auto stepper = make_automatic_stepper(ode, tolerances(2, rtol));
    REQUIRE(stepper->start(0, Eigen::Vector2d(2, 0), 2, 0));
    CHECK(run(*stepper, 0).status == StepStatus::reached_end);
    Vector x(2);
    stepper->evaluate(2, x);
    CAPTURE(rtol);
    CHECK((x - reference).norm() < 1000 * rtol);
    const StepperStatistics statistics = stepper->statistics();
    CHECK(statistics.stiff_from > 0);
    CHECK(statistics.stiff_from < 1e-2);
    CHECK(statistics.restarts == 1);
    CHECK(statistics.velocity_evaluations == ode.velocity_calls);
    CHECK(statistics.jacobian_evaluations == ode.jacobian_calls);
    CHECK(statistics.jacobian_evaluations > 0);
    CHECK(statistics.velocity_evaluations < 10'000);

    const std::int64_t jacobians = statistics.jacobian_evaluations;
    REQUIRE(stepper->start(0, Eigen::Vector2d(2, 0), 1e-6, 0));
    CHECK(run(*stepper, 0).status == StepStatus::reached_end);
    CHECK(stepper->statistics().jacobian_evaluations > jacobians);
    CHECK(stepper->statistics().stiff_from == statistics.stiff_from);
  }
}

TEST_CASE("what stops dopri5 and BDF alike is a failure of the automatic choice too") {
  FunctionOde ode(
      1,
      [](double t, ConstVectorRef x, VectorRef dx) {
        if (t > 0.5) throw std::runtime_error("the valve is shut");
        dx = -x;
      },
      [](double, ConstVectorRef, MatrixRef jacobian) { jacobian(0, 0) = -1; });
  auto stepper = make_automatic_stepper(ode, tolerances(1, 1e-6));
  REQUIRE(stepper->start(0, Vector::Constant(1, 1.0), 1, 0));
  CHECK(run(*stepper, 0).status == StepStatus::failed);
  CHECK(stepper->failure().by_user_function);
  CHECK(stepper->failure().message.find("the valve is shut") != std::string::npos);
  CHECK(stepper->step().status == StepStatus::failed);
}

TEST_CASE("after the end the automatic choice has no step to take, stiff or not") {
  FunctionOde ode = oscillator();
  auto stepper = make_automatic_stepper(ode, tolerances(2, 1e-6));
  CHECK(stepper->step().status == StepStatus::failed);
  REQUIRE(stepper->start(0, Eigen::Vector2d(1, 0), 1, 0));
  CHECK(run(*stepper, 0).status == StepStatus::reached_end);
  CHECK(stepper->step().status == StepStatus::failed);
  CHECK(std::isnan(stepper->statistics().stiff_from));
}
