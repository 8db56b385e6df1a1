#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include "integrate/stepper.hpp"
#include "test/integrate/function_ode.hpp"
#include "test/integrate/stepping.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

std::unique_ptr<Stepper> make_rodas(SmoothOde& ode, const StepperOptions& options) {
  return make_one_step_stepper(ode, OneStepMethod::rodas, options);
}

// x' = λ(x − φ(t)) + φ'(t) from φ(0), φ = sin 3t + t: the solution is φ, whatever λ is (Prothero & Robinson).
FunctionOde prothero_robinson(double lambda) {
  return {1,
          [lambda](double t, ConstVectorRef x, VectorRef dx) {
            dx(0) = lambda * (x(0) - std::sin(3 * t) - t) + 3 * std::cos(3 * t) + 1;
          },
          [lambda](double, ConstVectorRef, MatrixRef jacobian) { jacobian(0, 0) = lambda; }};
}

// The same with a clock that began long before.
FunctionOde prothero_robinson_from(double start, double lambda) {
  return {1,
          [=](double t, ConstVectorRef x, VectorRef dx) {
            dx(0) =
                lambda * (x(0) - std::sin(3 * (t - start)) - (t - start)) + 3 * std::cos(3 * (t - start)) + 1;
          },
          [=](double, ConstVectorRef, MatrixRef jacobian) { jacobian(0, 0) = lambda; }};
}

// x' = x² cos t from 1/2: x = 1/(2 − sin t).
FunctionOde driven() {
  return {1, [](double t, ConstVectorRef x, VectorRef dx) { dx(0) = x(0) * x(0) * std::cos(t); },
          [](double t, ConstVectorRef x, MatrixRef jacobian) { jacobian(0, 0) = 2 * x(0) * std::cos(t); }};
}

// The greatest error of `steps` equal steps over [0, 2], at their ends and within them.
std::pair<double, double> errors_of_equal_steps(int steps) {
  FunctionOde ode = driven();
  StepperOptions options = tolerances(1, 1e-1, 1e3);
  options.max_step = 2.0 / steps;
  auto stepper = make_rodas(ode, options);
  REQUIRE(stepper->start(0, vector({0.5}), 2, options.max_step));
  double at_ends = 0;
  double within = 0;
  const auto error = [&](double t) { return std::abs(state_at(*stepper, t, 1)(0) - 1 / (2 - std::sin(t))); };
  StepReport report;
  do {
    report = stepper->step();
    REQUIRE(report.status != StepStatus::failed);
    at_ends = std::max(at_ends, error(report.end));
    for (const double part : {0.2, 0.5, 0.8})
      within = std::max(within, error(report.start + part * (report.end - report.start)));
  } while (report.status == StepStatus::advanced);
  CHECK(stepper->statistics().steps <= steps + 1);
  return {at_ends, within};
}

}  // namespace

TEST_CASE(
    "rodas is of order four, also where the field depends on time, and its dense output of order four, too") {
  const auto [coarse, coarse_within] = errors_of_equal_steps(40);
  const auto [fine, fine_within] = errors_of_equal_steps(160);
  CHECK(std::log(coarse / fine) / std::log(4.0) > 3.8);
  CHECK(std::log(coarse_within / fine_within) / std::log(4.0) > 3.6);
}

TEST_CASE("rodas is as accurate as the tolerance asks, stiff or not") {
  for (const double lambda : {1.0, -1.0, -1e3, -1e6, -1e9}) {
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
      FunctionOde ode = prothero_robinson(lambda);
      auto stepper = make_rodas(ode, tolerances(1, rtol));
      const Vector x = end_state(*stepper, 0, vector({0}), 1);
      CAPTURE(lambda);
      CAPTURE(rtol);
      CHECK(std::abs(x(0) - std::sin(3.0) - 1) < 20 * rtol);
      CHECK(stepper->statistics().velocity_evaluations == ode.velocity_calls);
      CHECK(stepper->statistics().jacobian_evaluations == ode.jacobian_calls);
    }
  }
}

TEST_CASE(
    "between its steps rodas is as accurate as the tolerance asks, however stiff, and its steps are not the "
    "shorter for it") {
  for (const double lambda : {-1e2, -1e4, -1e6, -1e8}) {
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
      FunctionOde ode = prothero_robinson(lambda);
      auto stepper = make_rodas(ode, tolerances(1, rtol));
      REQUIRE(stepper->start(0, vector({0}), 5, 0));
      double worst = 0;
      StepReport report;
      do {
        report = stepper->step();
        REQUIRE(report.status != StepStatus::failed);
        for (double s = 0.05; s < 1; s += 0.1) {
          const double t = report.start + s * (report.end - report.start);
          worst = std::max(worst, std::abs(state_at(*stepper, t, 1)(0) - std::sin(3 * t) - t));
        }
      } while (report.status == StepStatus::advanced);
      CAPTURE(lambda);
      CAPTURE(rtol);
      // The state is up to 5.5.
      CHECK(worst < 10 * 5.5 * rtol);
      CHECK(static_cast<double>(stepper->statistics().steps) < 20 + 12 * std::pow(rtol, -0.25));
    }
  }
}

TEST_CASE("rodas goes on where its tolerance is about what the clock resolves, though the problem is stiff") {
  constexpr double start = 1e4;
  for (const double rtol : {1e-6, 1e-10, 1e-11, 1e-12}) {
    FunctionOde ode = prothero_robinson_from(start, -1e6);
    auto stepper = make_rodas(ode, tolerances(1, rtol));
    const Vector x = end_state(*stepper, start, vector({0}), start + 5);
    CAPTURE(rtol);
    CHECK(std::abs(x(0) - std::sin(15.0) - 5) < 100 * rtol);
    CHECK(static_cast<double>(stepper->statistics().steps) < 20 + 12 * std::pow(rtol, -0.25));
  }
}

TEST_CASE("rodas follows van der Pol's relaxations") {
  // The problem VDPOL of the Test Set for Initial Value Problem Solvers, at t = 2.
  const Eigen::Vector2d reference(1.706167732170483, -0.8928097010247975);
  for (const double rtol : {1e-4, 1e-6, 1e-8}) {
    FunctionOde ode = van_der_pol(1e6);
    auto stepper = make_rodas(ode, tolerances(2, rtol));
    const Vector x = end_state(*stepper, 0, vector({2, 0}), 2);
    CAPTURE(rtol);
    CHECK((x - reference).norm() < 200 * rtol);
    CHECK(static_cast<double>(stepper->statistics().steps) < 60 * std::pow(rtol, -0.25));
  }
}

TEST_CASE("a step of rodas costs nine evaluations and a Jacobian, and none is beyond the end") {
  FunctionOde ode = driven();
  auto stepper = make_rodas(ode, tolerances(1, 1e-6));
  REQUIRE(stepper->start(0, vector({0.5}), 3, 0.01));
  CHECK(ode.velocity_calls == 1);
  REQUIRE(stepper->step().status == StepStatus::advanced);
  CHECK(ode.velocity_calls == 1 + 9);
  CHECK(ode.jacobian_calls == 1);
  CHECK(run(*stepper).status == StepStatus::reached_end);
  CHECK(ode.latest_time == 3);
}

TEST_CASE("rodas keeps what linear laws keep to rounding, stiff or not") {
  // Two states that change alike, driven in time, beside one that is stiff; and a sum that is constant.
  FunctionOde ode(
      3,
      [](double t, ConstVectorRef x, VectorRef dx) {
        const double flow = std::cos(7 * t) - 1e5 * (x(2) - std::sin(t));
        dx(0) = flow;
        dx(1) = flow;
        dx(2) = -0.1 * flow + 1e5 * (std::sin(t) - x(2));
      },
      [](double, ConstVectorRef, MatrixRef jacobian) {
        jacobian.setZero();
        jacobian(0, 2) = jacobian(1, 2) = -1e5;
        jacobian(2, 2) = 1e4 - 1e5;
      });
  auto stepper = make_rodas(ode, tolerances(3, 1e-6));
  REQUIRE(stepper->start(0, vector({0.5, 0.5, 0}), 5, 0));
  StepReport report;
  double apart = 0;
  do {
    report = stepper->step();
    REQUIRE(report.status != StepStatus::failed);
    for (const double part : {0.3, 0.7, 1.0}) {
      const Vector x = state_at(*stepper, report.start + part * (report.end - report.start), 3);
      apart = std::max(apart, std::abs(x(0) - x(1)));
    }
  } while (report.status == StepStatus::advanced);
  CHECK(apart < 10 * std::numeric_limits<double>::epsilon());
}

TEST_CASE(
    "the dense output of rodas joins up with its slopes where motion is not stiff, and is near its chords") {
  FunctionOde ode = oscillator();
  auto stepper = make_rodas(ode, tolerances(2, 1e-6));
  REQUIRE(stepper->start(0, vector({1, 0}), 10, 0));
  std::vector<int> all(2);
  std::iota(all.begin(), all.end(), 0);
  StepReport report;
  do {
    report = stepper->step();
    REQUIRE(report.status != StepStatus::failed);
    const double h = report.end - report.start;
    const Interpolant polynomial = stepper->interpolant();
    const Vector first = state_at(*stepper, report.start, 2);
    const Vector last = state_at(*stepper, report.end, 2);
    const Vector slope = polynomial.coefficient(1) / polynomial.scale;
    CHECK((slope - vector({first(1), -first(0)})).norm() < 1e3 * std::numeric_limits<double>::epsilon() / h);
    const StepChords chords = stepper->chords_of(all);
    for (const double part : {0.1, 0.5, 0.9}) {
      const Vector off = state_at(*stepper, report.start + part * h, 2) - ((1 - part) * first + part * last);
      for (Index i = 0; i < 2; ++i)
        CHECK(std::abs(off(i)) <= chords.off[i] + 10 * std::numeric_limits<double>::epsilon());
    }
  } while (report.status == StepStatus::advanced);
}

TEST_CASE("where a velocity or a Jacobian fails rodas says why, and stands where it was") {
  const auto shut = [](double t, ConstVectorRef x, VectorRef dx) {
    if (t > 0.5) throw std::runtime_error("the valve is shut");
    dx = -x;
  };
  const auto slope = [](double, ConstVectorRef, MatrixRef jacobian) { jacobian(0, 0) = -1; };
  FunctionOde ode(1, shut, slope);
  auto stepper = make_rodas(ode, tolerances(1, 1e-6));
  REQUIRE(stepper->start(0, vector({1}), 1, 0));
  const StepReport failed = run(*stepper);
  CHECK(failed.status == StepStatus::failed);
  CHECK(stepper->failure().by_user_function);
  CHECK(stepper->failure().message.find("the valve is shut") != std::string::npos);
  CHECK(failed.end <= 0.5);
  CHECK(state_at(*stepper, failed.end, 1)(0) == doctest::Approx(std::exp(-failed.end)).epsilon(1e-5));

  FunctionOde without = {1, [](double, ConstVectorRef x, VectorRef dx) { dx = -x; }};
  auto blind = make_rodas(without, tolerances(1, 1e-6));
  REQUIRE(blind->start(0, vector({1}), 1, 0));
  CHECK(run(*blind).status == StepStatus::failed);
  CHECK(blind->failure().message.find("this test gives no Jacobian") != std::string::npos);
}

TEST_CASE("rodas stays on the surface that the solution is confined to") {
  FunctionOde ode = oscillator();
  ode.with_projection([](double, ConstVectorRef, VectorRef x) { x.normalize(); });
  auto stepper = make_rodas(ode, tolerances(2, 1e-5));
  const Vector x = end_state(*stepper, 0, vector({1, 0}), 20);
  CHECK(std::abs(x.norm() - 1) < 4 * std::numeric_limits<double>::epsilon());
  CHECK((x - vector({std::cos(20.0), -std::sin(20.0)})).norm() < 1e-3);
}
