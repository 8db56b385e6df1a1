#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include "integrate/stepper.hpp"
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
  } while (report.status == StepStatus::advanced ||
           (report.status == StepStatus::failed && stepper.has_another_method()));
  return report;
}

}  // namespace

TEST_CASE("the automatic choice stays with dopri5 where a problem is not stiff and the tolerance not tight") {
  FunctionOde ode = oscillator();
  auto automatic = make_automatic_stepper(ode, tolerances(2, 1e-6));
  REQUIRE(automatic->start(0, Eigen::Vector2d(1, 0), 500, 0));
  CHECK(run(*automatic, 0).status == StepStatus::reached_end);
  auto dopri5 = make_one_step_stepper(ode, OneStepMethod::dopri5, tolerances(2, 1e-6));
  REQUIRE(dopri5->start(0, Eigen::Vector2d(1, 0), 500, 0));
  CHECK(run(*dopri5, 0).status == StepStatus::reached_end);
  CHECK(std::isnan(automatic->statistics().stiff_from));
  CHECK(automatic->statistics().velocity_evaluations == dopri5->statistics().velocity_evaluations);
  CHECK(automatic->statistics().dop853_steps == 0);
  CHECK(automatic->statistics().jacobian_evaluations == 0);
}

TEST_CASE("the automatic choice takes no rounding of free falls for a stiff problem") {
  FunctionOde ode(
      2,
      [](double, ConstVectorRef x, VectorRef dx) {
        dx[0] = x[1];
        dx[1] = -9.81;
      },
      [](double, ConstVectorRef, MatrixRef jacobian) {
        jacobian.setZero();
        jacobian(0, 1) = 1;
      });
  auto stepper = make_automatic_stepper(ode, tolerances(2, 1e-4));
  for (int k = 0; k < 200; ++k) {
    const double flight = 1 + 0.1 * k;
    REQUIRE(stepper->start(3 * k, Eigen::Vector2d(1e6, 4.905 * flight), 3 * k + flight, 0));
    REQUIRE(run(*stepper, 3 * k).status == StepStatus::reached_end);
  }
  CHECK(std::isnan(stepper->statistics().stiff_from));
}

TEST_CASE("the automatic choice takes dop853 where the tolerance is tight and the steps are many") {
  FunctionOde ode = oscillator();
  auto automatic = make_automatic_stepper(ode, tolerances(2, 1e-10));
  REQUIRE(automatic->start(0, Eigen::Vector2d(1, 0), 500, 0));
  CHECK(run(*automatic, 0).status == StepStatus::reached_end);
  const StepperStatistics statistics = automatic->statistics();
  CHECK(statistics.velocity_evaluations == ode.velocity_calls);
  CHECK(statistics.steps == statistics.dop853_steps + 8);
  CHECK(statistics.restarts == 1);
  CHECK(std::isnan(statistics.stiff_from));
  CHECK((state_at(*automatic, 500, 2) - Eigen::Vector2d(std::cos(500.0), -std::sin(500.0))).norm() < 1e-7);
  auto dopri5 = make_one_step_stepper(ode, OneStepMethod::dopri5, tolerances(2, 1e-10));
  REQUIRE(dopri5->start(0, Eigen::Vector2d(1, 0), 500, 0));
  CHECK(run(*dopri5, 0).status == StepStatus::reached_end);
  CHECK(3 * statistics.velocity_evaluations < dopri5->statistics().velocity_evaluations);
}

TEST_CASE("the automatic choice takes dopri5 again where starts leave room for a single step of dop853") {
  FunctionOde ode = oscillator();
  auto stepper = make_automatic_stepper(ode, tolerances(2, 1e-10));
  REQUIRE(stepper->start(0, Eigen::Vector2d(1, 0), 10, 0));
  CHECK(run(*stepper, 0).status == StepStatus::reached_end);
  const std::int64_t before = stepper->statistics().dop853_steps;
  CHECK(before > 5);
  Vector x = state_at(*stepper, 10, 2);
  for (int k = 0; k < 100; ++k) {
    const double t = 10 + 0.01 * k;
    const double end = 10 + 0.01 * (k + 1);
    REQUIRE(stepper->start(t, x, end, stepper->usual_step()));
    REQUIRE(run(*stepper, t).status == StepStatus::reached_end);
    x = state_at(*stepper, end, 2);
  }
  CHECK(stepper->statistics().dop853_steps <= before + 5);
  CHECK(stepper->statistics().restarts == 101);
  CHECK(stepper->statistics().steps < 10 + before + 5 + 200);
  CHECK((x - Eigen::Vector2d(std::cos(11.0), -std::sin(11.0))).norm() < 1e-8);
  // And dop853 where there is room.
  REQUIRE(stepper->start(11, x, 20, stepper->usual_step()));
  CHECK(run(*stepper, 11).status == StepStatus::reached_end);
  CHECK(stepper->statistics().dop853_steps > before + 10);
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

TEST_CASE("BDF goes on from where dopri5 stands that finds no step at all") {
  // Steps that dopri5 could take here are shorter than the clock can tell at this time.
  FunctionOde ode(
      1, [](double t, ConstVectorRef x, VectorRef dx) { dx(0) = -1e12 * (x(0) - std::cos(t)); },
      [](double, ConstVectorRef, MatrixRef jacobian) { jacobian(0, 0) = -1e12; });
  auto dopri5 = make_one_step_stepper(ode, OneStepMethod::dopri5, tolerances(1, 1e-6));
  const Vector x = Vector::Constant(1, std::cos(1e6));
  REQUIRE(dopri5->start(1e6, x, 1e6 + 10, 0));
  REQUIRE(run(*dopri5, 1e6).status == StepStatus::failed);
  CHECK(state_at(*dopri5, 1e6, 1) == x);
  CHECK(dopri5->last_step_size() == 0);
  auto stepper = make_automatic_stepper(ode, tolerances(1, 1e-6));
  REQUIRE(stepper->start(1e6, x, 1e6 + 10, 0));
  REQUIRE(run(*stepper, 1e6).status == StepStatus::reached_end);
  CHECK(std::abs(state_at(*stepper, 1e6 + 10, 1)(0) - std::cos(1e6 + 10)) < 1e-5);
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

TEST_CASE("the automatic choice ends where no method can even begin") {
  int calls = 0;
  FunctionOde ode(
      1,
      [&calls](double, ConstVectorRef x, VectorRef dx) {
        if (++calls > 40) throw std::runtime_error("interrupted");
        dx = -x;
      },
      [](double, ConstVectorRef, MatrixRef jacobian) { jacobian(0, 0) = -1; });
  auto stepper = make_automatic_stepper(ode, tolerances(1, 1e-6));
  REQUIRE(stepper->start(0, Vector::Constant(1, 1.0), 100, 0));
  CHECK(run(*stepper, 0).status == StepStatus::failed);
  CHECK(stepper->failure().message.find("interrupted") != std::string::npos);
  CHECK(calls < 1000);
}

TEST_CASE(
    "the automatic choice goes over to BDF where what is stiff holds up steps by the error test alone") {
  // u' = -1e6 (u - sin t): tight tolerances keep dop853 within its limit of stability.
  for (const double rtol : {1e-10, 1e-11, 1e-12, 1e-13}) {
    FunctionOde ode{1, [](double t, ConstVectorRef x, VectorRef dx) { dx(0) = -1e6 * (x(0) - std::sin(t)); },
                    [](double, ConstVectorRef, MatrixRef jacobian) { jacobian(0, 0) = -1e6; }};
    auto stepper = make_automatic_stepper(ode, tolerances(1, rtol));
    REQUIRE(stepper->start(0, vector({0}), 6, 0));
    CHECK(run(*stepper, 0).status == StepStatus::reached_end);
    CAPTURE(rtol);
    CHECK(stepper->statistics().stiff_from < 0.1);
    CHECK(stepper->statistics().velocity_evaluations < 200'000);
    CHECK(std::abs(state_at(*stepper, 6, 1)(0) - std::sin(6.0) + 1e-6 * std::cos(6.0)) < 1000 * rtol);
  }
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
