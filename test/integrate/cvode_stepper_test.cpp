#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "integrate/stepper.hpp"
#include "test/integrate/function_ode.hpp"
#include "test/integrate/stepping.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

Vector solve(FunctionOde& ode, MultistepMethod method, const StepperOptions& options, double start,
             const Vector& x, double end) {
  return end_state(*make_cvode_stepper(ode, method, options), start, x, end);
}

}  // namespace

TEST_CASE("exponential decay is as accurate as the tolerance asks, with both methods") {
  for (const MultistepMethod method : kMultistepMethods) {
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12, 1e-13}) {
      FunctionOde ode = decay();
      const Vector x = solve(ode, method, tolerances(1, rtol), 0, vector({1}), 5);
      CAPTURE(rtol);
      CHECK(std::abs(x(0) - std::exp(-5.0)) < 20 * rtol);
    }
  }
}

TEST_CASE("ten periods of a harmonic oscillator are as accurate as the tolerance asks, with both methods") {
  const double end = 20 * std::numbers::pi;
  for (const MultistepMethod method : kMultistepMethods) {
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10, 1e-12}) {
      FunctionOde ode = oscillator();
      const Vector x = solve(ode, method, tolerances(2, rtol), 0, vector({1, 0}), end);
      CAPTURE(rtol);
      CHECK((x - vector({1, 0})).norm() < 2000 * rtol);
    }
  }
}

TEST_CASE("van der Pol's stiff oscillator reaches the published state, with BDF") {
  // The problem VDPOL of the Test Set for Initial Value Problem Solvers, at t = 2.
  const Vector reference = vector({1.706167732170483, -0.8928097010247975});
  for (const double rtol : {1e-6, 1e-8, 1e-10, 1e-12}) {
    FunctionOde ode(
        2,
        [](double, ConstVectorRef x, VectorRef dx) {
          dx(0) = x(1);
          dx(1) = ((1 - x(0) * x(0)) * x(1) - x(0)) * 1e6;
        },
        [](double, ConstVectorRef x, MatrixRef jacobian) {
          jacobian << 0, 1, (-2 * x(0) * x(1) - 1) * 1e6, (1 - x(0) * x(0)) * 1e6;
        });
    const Vector x = solve(ode, MultistepMethod::bdf, tolerances(2, rtol), 0, vector({2, 0}), 2);
    CAPTURE(rtol);
    CHECK((x - reference).norm() < 1000 * rtol);
  }
}

TEST_CASE("stiffness that falls like one over the time since the start does not mislead BDF") {
  // x' = -6 (x - s)/(s + d), s' = 1: x = 6s/7 but for parts of the size of d.
  const auto velocity = [](double, ConstVectorRef x, VectorRef dx) {
    dx(0) = -6 * (x(0) - x(1)) / (x(1) + 1e-9);
    dx(1) = 1;
  };
  const auto jacobian = [](double, ConstVectorRef x, MatrixRef result) {
    const double near = x(1) + 1e-9;
    result << -6 / near, 6 / near + 6 * (x(0) - x(1)) / (near * near), 0, 0;
  };
  for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
    CAPTURE(rtol);
    FunctionOde ode(2, velocity, jacobian);
    const auto stepper = make_cvode_stepper(ode, MultistepMethod::bdf, tolerances(2, rtol));
    for (int restart = 0; restart < 3; ++restart) {
      REQUIRE(stepper->start(0, vector({0, 0}), 2, 0));
      CHECK(run(*stepper).status == StepStatus::reached_end);
      CHECK(state_at(*stepper, 2, 2)(0) == doctest::Approx(12.0 / 7).epsilon(100 * rtol + 1e-8));
    }
  }
}

TEST_CASE("the exact Jacobian costs fewer evaluations than differences, and far fewer than none") {
  enum class Kind { exact, differences, zero };
  const auto evaluations = [](Kind kind) {
    const double mu = 1000;
    const auto velocity = [mu](double, ConstVectorRef x, VectorRef dx) {
      dx(0) = x(1);
      dx(1) = mu * (1 - x(0) * x(0)) * x(1) - x(0);
    };
    FunctionOde* counted = nullptr;
    FunctionOde ode(2, velocity, [&](double t, ConstVectorRef x, MatrixRef jacobian) {
      if (kind == Kind::exact) jacobian << 0, 1, -2 * mu * x(0) * x(1) - 1, mu * (1 - x(0) * x(0));
      if (kind == Kind::zero) jacobian.setZero();
      if (kind != Kind::differences) return;
      Vector base(2), moved(2), point = x;
      counted->velocity(t, point, base);
      for (Index j = 0; j < 2; ++j) {
        const double delta = 1e-7 * std::max(1.0, std::abs(x(j)));
        point(j) += delta;
        counted->velocity(t, point, moved);
        point(j) = x(j);
        jacobian.col(j) = (moved - base) / delta;
      }
    });
    counted = &ode;
    auto stepper = make_cvode_stepper(ode, MultistepMethod::bdf, tolerances(2, 1e-6));
    REQUIRE(stepper->start(0, vector({2, 0}), kind == Kind::zero ? 20.0 : 2000.0, 0));
    CHECK(run(*stepper).status == StepStatus::reached_end);
    return ode.velocity_calls;
  };
  const long exact = evaluations(Kind::exact);
  CHECK(exact < evaluations(Kind::differences));
  // Even over a hundredth of the time.
  CHECK(2 * exact < evaluations(Kind::zero));
}

TEST_CASE("a new start begins at order one") {
  for (const MultistepMethod method : kMultistepMethods) {
    FunctionOde ode = oscillator();
    auto stepper = make_cvode_stepper(ode, method, tolerances(2, 1e-8));
    REQUIRE(stepper->start(0, vector({1, 0}), 10, 0));
    CHECK(stepper->step().status == StepStatus::advanced);
    CHECK(stepper->interpolant().terms == 2);
    for (int i = 0; i < 30; ++i) CHECK(stepper->step().status == StepStatus::advanced);
    CHECK(stepper->interpolant().terms > 3);
    REQUIRE(stepper->start(0, vector({1, 0}), 10, 0));
    CHECK(stepper->step().status == StepStatus::advanced);
    CHECK(stepper->interpolant().terms == 2);
  }
}

TEST_CASE("the interpolating polynomial is the dense output, and solves the equation to the tolerance") {
  std::mt19937 random(1);
  for (const MultistepMethod method : kMultistepMethods) {
    FunctionOde ode = oscillator();
    auto stepper = make_cvode_stepper(ode, method, tolerances(2, 1e-9));
    REQUIRE(stepper->start(0, vector({1, 0}), 20, 0));
    for (StepReport report; report.status != StepStatus::reached_end;) {
      report = stepper->step();
      REQUIRE(report.status != StepStatus::failed);
      const Interpolant interpolant = stepper->interpolant();
      for (int i = 0; i < 5; ++i) {
        const double t = std::uniform_real_distribution<>(report.start, report.end)(random);
        const Vector x = state_at(*stepper, t, 2);
        CHECK((x - value_at(interpolant, t)).norm() < 10 * std::numeric_limits<double>::epsilon());
        CHECK((x - vector({std::cos(t), -std::sin(t)})).norm() < 1e-6);
      }
    }
  }
}

TEST_CASE("the right-hand side is never evaluated beyond the end, nor twice at the start") {
  for (const MultistepMethod method : kMultistepMethods) {
    for (const double first_step : {0.0, 1e-3, 50.0}) {
      FunctionOde ode = oscillator();
      auto stepper = make_cvode_stepper(ode, method, tolerances(2, 1e-5));
      std::vector<double> times;
      for (const double end : {1.0, 1.7, 1e2}) {
        REQUIRE(stepper->start(0.3, vector({1, 0}), end, first_step));
        const long calls = ode.velocity_calls;
        CHECK(run(*stepper).status == StepStatus::reached_end);
        CHECK(ode.velocity_calls > calls);
        CHECK(ode.latest_time <= end);
      }
      CHECK(stepper->statistics().velocity_evaluations == ode.velocity_calls);
      CHECK(stepper->statistics().jacobian_evaluations == ode.jacobian_calls);
    }
  }
}

TEST_CASE("steps keep to max_step, and the first one to first_step") {
  for (const MultistepMethod method : kMultistepMethods) {
    FunctionOde ode(
        1, [](double, ConstVectorRef, VectorRef dx) { dx(0) = 1; },
        [](double, ConstVectorRef, MatrixRef jacobian) { jacobian.setZero(); });
    StepperOptions options = tolerances(1, 1e-6);
    options.max_step = 0.25;
    auto stepper = make_cvode_stepper(ode, method, options);
    REQUIRE(stepper->start(0, vector({0}), 10, 0.01));
    StepReport report = stepper->step();
    CHECK(report.end == doctest::Approx(0.01));
    while (report.status == StepStatus::advanced) {
      CHECK(report.end - report.start <= 0.25 * (1 + 1e-12));
      CHECK(stepper->last_step_size() <= 0.25 * (1 + 1e-12));
      report = stepper->step();
    }
    CHECK(report.status == StepStatus::reached_end);
    CHECK(state_at(*stepper, 10, 1)(0) == doctest::Approx(10));
  }
}

TEST_CASE("an interval of a few units in the last place is one step, a longer one is no trouble either") {
  for (const MultistepMethod method : kMultistepMethods) {
    for (const double t : {0.0, 1.0, -1.0, 1e-3, 1e15, -1e15}) {
      const double scale = std::max(1.0, std::abs(t));
      for (const int ulps : {1, 2, 3, 10, 49, 100, 150, 1000, 20000}) {
        double end = t;
        for (int i = 0; i < ulps; ++i) end = std::nextafter(end, std::numeric_limits<double>::infinity());
        FunctionOde ode(
            1, [scale](double, ConstVectorRef x, VectorRef dx) { dx = -x / scale; },
            [scale](double, ConstVectorRef, MatrixRef jacobian) { jacobian(0, 0) = -1 / scale; });
        auto stepper = make_cvode_stepper(ode, method, tolerances(1, 1e-6));
        REQUIRE(stepper->start(t, vector({1}), end, 0));
        const StepReport report = run(*stepper);
        CAPTURE(t);
        CAPTURE(ulps);
        CHECK(report.end == end);
        CHECK(report.status == StepStatus::reached_end);
        CHECK(std::abs(state_at(*stepper, end, 1)(0) - std::exp((t - end) / scale)) <
              4 * std::numeric_limits<double>::epsilon());
        CHECK(std::abs(state_at(*stepper, t, 1)(0) - 1) < 4 * std::numeric_limits<double>::epsilon());
        CHECK(stepper->step().status == StepStatus::failed);
        if (ulps < 50) CHECK(report.start == t);
      }
    }
  }
}

TEST_CASE("times may be negative or huge") {
  for (const MultistepMethod method : kMultistepMethods) {
    for (const double start : {-1e9, -3.0, 1e9}) {
      FunctionOde ode = decay();
      const Vector x = solve(ode, method, tolerances(1, 1e-7), start, vector({1}), start + 2);
      CHECK(x(0) == doctest::Approx(std::exp(-2.0)).epsilon(1e-5));
    }
    FunctionOde slow(
        1, [](double, ConstVectorRef x, VectorRef dx) { dx = -1e-30 * x; },
        [](double, ConstVectorRef, MatrixRef jacobian) { jacobian(0, 0) = -1e-30; });
    const Vector x = solve(slow, method, tolerances(1, 1e-7), -1e30, vector({1}), 1e30);
    CHECK(x(0) == doctest::Approx(std::exp(-2.0)).epsilon(1e-5));
  }
}

TEST_CASE("a state at rest stays there, in few steps") {
  for (const MultistepMethod method : kMultistepMethods) {
    FunctionOde ode(
        2, [](double, ConstVectorRef, VectorRef dx) { dx.setZero(); },
        [](double, ConstVectorRef, MatrixRef jacobian) { jacobian.setZero(); });
    auto stepper = make_cvode_stepper(ode, method, tolerances(2, 1e-10));
    REQUIRE(stepper->start(0, vector({3, 0}), 1e6, 0));
    CHECK(run(*stepper).status == StepStatus::reached_end);
    CHECK(state_at(*stepper, 123.4, 2) == vector({3, 0}));
    CHECK(stepper->statistics().steps < 30);
  }
}

TEST_CASE("a step that meets a wall of NaN is tried again with a smaller one") {
  for (const MultistepMethod method : kMultistepMethods) {
    // x' = −10 x, but defined for x ≥ 0 only; the first step is far too long.
    long not_finite = 0;
    FunctionOde ode(
        1,
        [&](double, ConstVectorRef x, VectorRef dx) {
          dx(0) = -10 * std::sqrt(x(0)) * std::sqrt(x(0));
          not_finite += std::isnan(dx(0));
        },
        [](double, ConstVectorRef, MatrixRef jacobian) { jacobian(0, 0) = -10; });
    auto stepper = make_cvode_stepper(ode, method, tolerances(1, 1e-6));
    REQUIRE(stepper->start(0, vector({1}), 1, 0.5));
    const StepReport report = run(*stepper);
    CHECK(report.status == StepStatus::reached_end);
    CHECK(not_finite > 0);
    CHECK(state_at(*stepper, 1, 1)(0) == doctest::Approx(std::exp(-10.0)).epsilon(0.01));
  }
}

TEST_CASE("a wall of NaN that cannot be avoided is the user function's failure, and says where") {
  for (const MultistepMethod method : kMultistepMethods) {
    // Falls through the wall x = 0 at t = 1 − log 2 ... exactly, ∫₀¹ dx/(1+√x) = 2 − 2 log 2.
    const double wall = 2 - 2 * std::log(2.0);
    FunctionOde ode(
        1, [](double, ConstVectorRef x, VectorRef dx) { dx(0) = -1 - std::sqrt(x(0)); },
        [](double, ConstVectorRef x, MatrixRef jacobian) { jacobian(0, 0) = -0.5 / std::sqrt(x(0)); });
    auto stepper = make_cvode_stepper(ode, method, tolerances(1, 1e-6));
    REQUIRE(stepper->start(0, vector({1}), 2, 0));
    const StepReport report = run(*stepper);
    CHECK(report.status == StepStatus::failed);
    INFO(stepper->failure().message);
    CHECK(report.end == doctest::Approx(wall).epsilon(1e-4));
    CHECK(stepper->failure().by_user_function);
    CHECK(stepper->failure().message.find("not finite at t = 0.61") != std::string::npos);
    CHECK(stepper->failure().message.find("[0]") != std::string::npos);
    // And again, it needs a start.
    CHECK(stepper->step().status == StepStatus::failed);
    REQUIRE(stepper->start(0, vector({1}), 0.5, 0));
    CHECK(run(*stepper).status == StepStatus::reached_end);
  }
}

TEST_CASE("the text of an exception reaches the failure, wherever it was thrown") {
  const auto velocity = [](double t, ConstVectorRef x, VectorRef dx) {
    if (t > 0.5) throw std::runtime_error("the valve is shut");
    dx = -x;
  };
  for (const MultistepMethod method : kMultistepMethods) {
    FunctionOde ode(1, velocity, [](double, ConstVectorRef, MatrixRef jacobian) { jacobian(0, 0) = -1; });
    auto stepper = make_cvode_stepper(ode, method, tolerances(1, 1e-6));
    REQUIRE(stepper->start(0, vector({1}), 1, 0));
    CHECK(run(*stepper).status == StepStatus::failed);
    CHECK(stepper->failure().by_user_function);
    CHECK(stepper->failure().message.find("the valve is shut") != std::string::npos);
    // At the start there is not even a first step.
    CHECK_FALSE(stepper->start(0.6, vector({1}), 1, 0));
    CHECK(stepper->failure().by_user_function);
    CHECK(stepper->failure().message.find("the valve is shut") != std::string::npos);
    CHECK(stepper->step().status == StepStatus::failed);
  }
  FunctionOde ode(
      1, [](double, ConstVectorRef x, VectorRef dx) { dx = -x; },
      [](double, ConstVectorRef, MatrixRef) { throw 7; });
  auto stepper = make_cvode_stepper(ode, MultistepMethod::bdf, tolerances(1, 1e-6));
  REQUIRE(stepper->start(0, vector({1}), 1, 0));
  CHECK(run(*stepper).status == StepStatus::failed);
  CHECK(stepper->failure().by_user_function);
  CHECK(stepper->failure().message.find("the jacobian threw at t = ") != std::string::npos);
}

TEST_CASE("a solution that grows without bound is a failure of the step, not of a user function") {
  for (const MultistepMethod method : kMultistepMethods) {
    FunctionOde ode(
        1, [](double, ConstVectorRef x, VectorRef dx) { dx(0) = x(0) * x(0); },
        [](double, ConstVectorRef x, MatrixRef jacobian) { jacobian(0, 0) = 2 * x(0); });
    auto stepper = make_cvode_stepper(ode, method, tolerances(1, 1e-6));
    REQUIRE(stepper->start(0, vector({1}), 2, 0));
    const StepReport report = run(*stepper);
    CHECK(report.status == StepStatus::failed);
    CHECK(report.end == doctest::Approx(1).epsilon(1e-4));
    INFO(stepper->failure().message);
    CHECK_FALSE(stepper->failure().by_user_function);
    CHECK(stepper->failure().message.find("t = 0.9999") != std::string::npos);

    FunctionOde spiking(
        1, [](double, ConstVectorRef x, VectorRef dx) { dx(0) = std::exp(x(0)); },
        [](double, ConstVectorRef x, MatrixRef jacobian) { jacobian(0, 0) = std::exp(x(0)); });
    stepper = make_cvode_stepper(spiking, method, tolerances(1, 1e-6));
    REQUIRE(stepper->start(0, vector({-2}), 10, 0));
    CHECK(run(*stepper).status == StepStatus::failed);
    INFO(stepper->failure().message);
    CHECK(stepper->failure().message.find("between this time and the next") != std::string::npos);
  }
}

TEST_CASE("a state that overflows is a failure of the step, not of a user function") {
  for (const MultistepMethod method : kMultistepMethods) {
    FunctionOde ode(
        1, [](double, ConstVectorRef x, VectorRef dx) { dx = x; },
        [](double, ConstVectorRef, MatrixRef jacobian) { jacobian(0, 0) = 1; });
    auto stepper = make_cvode_stepper(ode, method, tolerances(1, 1e-4));
    REQUIRE(stepper->start(0, vector({1}), 1000, 0));
    const StepReport report = run(*stepper);
    CHECK(report.status == StepStatus::failed);
    CHECK(report.end > 600);
    CHECK(report.end < 710);
    CHECK_FALSE(stepper->failure().by_user_function);
  }
}

TEST_CASE("a first step that is hopeless at CVODE's own size is found by trying smaller ones") {
  for (const MultistepMethod method : kMultistepMethods) {
    // Defined on the curve x₁ = x₀² and within 1e-30 of it only, so for x₀ below 1e-15.
    FunctionOde ode(
        2,
        [](double, ConstVectorRef x, VectorRef dx) {
          dx(0) = 1;
          dx(1) = 2 * x(0);
          if (std::abs(x(1) - x(0) * x(0)) > 1e-30) dx(1) = std::nan("");
        },
        [](double, ConstVectorRef, MatrixRef jacobian) { jacobian << 0, 0, 2, 0; });
    auto stepper = make_cvode_stepper(ode, method, tolerances(2, 1e-3));
    REQUIRE(stepper->start(0, vector({0, 0}), 1, 0));
    CHECK(stepper->step().status == StepStatus::advanced);
  }
}

TEST_CASE("projection keeps the state on the unit circle to rounding for a thousand revolutions") {
  const double end = 2000 * std::numbers::pi;
  FunctionOde ode = oscillator();
  ode.with_projection([](double, ConstVectorRef, VectorRef x) { x /= x.norm(); });
  const auto drift = [&](bool constrain) {
    ode.constrain = constrain;
    auto stepper = make_cvode_stepper(ode, MultistepMethod::bdf, tolerances(2, 1e-6));
    REQUIRE(stepper->start(0, vector({1, 0}), end, 0));
    double worst = 0;
    for (StepReport report; report.status != StepStatus::reached_end;) {
      report = stepper->step();
      REQUIRE(report.status != StepStatus::failed);
      worst = std::max(worst, std::abs(state_at(*stepper, report.end, 2).norm() - 1));
    }
    return worst;
  };
  CHECK(drift(true) < 4 * std::numeric_limits<double>::epsilon());
  CHECK(drift(false) > 1e-4);
}

TEST_CASE("whether a run is projected is decided by each start") {
  FunctionOde ode = oscillator();
  long projections = 0;
  ode.with_projection([&](double, ConstVectorRef weights, VectorRef x) {
    ++projections;
    // The weights are the reciprocals of what counts as an error.
    CHECK(weights(0) == doctest::Approx(1 / (1e-4 * std::abs(x(0)) + 1e-6)).epsilon(0.5));
    x /= x.norm();
  });
  auto stepper = make_cvode_stepper(ode, MultistepMethod::bdf, tolerances(2, 1e-4));
  for (const bool constrain : {false, true, false, true}) {
    ode.constrain = constrain;
    projections = 0;
    REQUIRE(stepper->start(0, vector({1, 0}), 1, 0));
    CHECK(run(*stepper).status == StepStatus::reached_end);
    CHECK((projections > 0) == constrain);
  }
}

TEST_CASE("a projection that throws is a user function's failure") {
  FunctionOde ode = oscillator();
  ode.with_projection([](double t, ConstVectorRef, VectorRef x) {
    if (t > 0.5) throw std::runtime_error("no surface here");
    x /= x.norm();
  });
  auto stepper = make_cvode_stepper(ode, MultistepMethod::bdf, tolerances(2, 1e-4));
  REQUIRE(stepper->start(0, vector({1, 0}), 1, 0));
  CHECK(run(*stepper).status == StepStatus::failed);
  CHECK(stepper->failure().by_user_function);
  CHECK(stepper->failure().message.find("no surface here") != std::string::npos);
}

TEST_CASE("each component has its own absolute tolerance") {
  // Two forced decays of sizes 1 and 1e-9.
  const auto error_of_small_state = [](MultistepMethod method, double atol) {
    FunctionOde ode(
        2,
        [](double t, ConstVectorRef x, VectorRef dx) {
          dx(0) = -0.1 * x(0);
          dx(1) = -x(1) + 1e-9 * std::sin(7 * t);
        },
        [](double, ConstVectorRef, MatrixRef jacobian) { jacobian << -0.1, 0, 0, -1; });
    StepperOptions options = tolerances(2, 1e-8, 1e-10);
    options.atol(1) = atol;
    const Vector x = solve(ode, method, options, 0, vector({1, 0}), 3);
    // x₁ = 1e-9 (sin 7t − 7 cos 7t + 7 e^(−t))/50
    const double exact = 1e-9 * (std::sin(21.0) - 7 * std::cos(21.0) + 7 * std::exp(-3.0)) / 50;
    return std::abs(x(1) - exact) / 1e-9;
  };
  for (const MultistepMethod method : kMultistepMethods) {
    CHECK(error_of_small_state(method, 1e-17) < 1e-6);
    CHECK(error_of_small_state(method, 1e-6) > 1e-5);
  }
}

TEST_CASE("error weights are the reciprocals of what the tolerances allow") {
  FunctionOde ode = oscillator();
  StepperOptions options = tolerances(2, 1e-3);
  options.atol = vector({1e-6, 1e-2});
  auto stepper = make_cvode_stepper(ode, MultistepMethod::adams, options);
  Vector weights(2);
  stepper->error_weights(vector({-2, 0}), weights);
  CHECK(weights(0) == doctest::Approx(1 / (2e-3 + 1e-6)));
  CHECK(weights(1) == doctest::Approx(1e2));
}

TEST_CASE("statistics add up over a thousand restarts") {
  for (const MultistepMethod method : kMultistepMethods) {
    FunctionOde ode = decay();
    auto stepper = make_cvode_stepper(ode, method, tolerances(1, 1e-6));
    Vector x = vector({1});
    long steps = 0;
    for (int i = 0; i < 1000; ++i) {
      const double t = 0.001 * i;
      REQUIRE(stepper->start(t, x, t + 0.001, 0));
      StepReport report;
      do {
        report = stepper->step();
        ++steps;
      } while (report.status == StepStatus::advanced);
      REQUIRE(report.status == StepStatus::reached_end);
      stepper->evaluate(report.end, x);
    }
    CHECK(x(0) == doctest::Approx(std::exp(-1.0)).epsilon(1e-4));
    CHECK(stepper->statistics().restarts == 1000);
    CHECK(stepper->statistics().steps == steps);
    CHECK(stepper->statistics().velocity_evaluations == ode.velocity_calls);
  }
}

TEST_CASE("three hundred states of a heat equation decay as its slowest mode does") {
  const Index n = 300;
  const double spacing = std::numbers::pi / static_cast<double>(n + 1);
  const auto apply = [=](ConstVectorRef x, VectorRef dx) {
    for (Index i = 0; i < n; ++i) {
      const double left = i > 0 ? x(i - 1) : 0.0;
      const double right = i + 1 < n ? x(i + 1) : 0.0;
      dx(i) = (left - 2 * x(i) + right) / (spacing * spacing);
    }
  };
  FunctionOde ode(
      n, [=](double, ConstVectorRef x, VectorRef dx) { apply(x, dx); },
      [=](double, ConstVectorRef, MatrixRef jacobian) {
        jacobian.setZero();
        jacobian.diagonal().setConstant(-2 / (spacing * spacing));
        jacobian.diagonal(1).setConstant(1 / (spacing * spacing));
        jacobian.diagonal(-1).setConstant(1 / (spacing * spacing));
      });
  Vector mode(n);
  for (Index i = 0; i < n; ++i) mode(i) = std::sin(spacing * static_cast<double>(i + 1));
  const double rate = 2 * (std::cos(spacing) - 1) / (spacing * spacing);
  const Vector x = solve(ode, MultistepMethod::bdf, tolerances(n, 1e-8), 0, mode, 1);
  CHECK((x - std::exp(rate) * mode).cwiseAbs().maxCoeff() < 1e-6);
}

TEST_CASE("steppers do not disturb one another, in turns or in threads") {
  const auto final_state = [] {
    FunctionOde ode = oscillator();
    return solve(ode, MultistepMethod::bdf, tolerances(2, 1e-8), 0, vector({1, 0}), 50);
  };
  const Vector alone = final_state();

  FunctionOde first_ode = oscillator();
  FunctionOde second_ode = decay();
  auto first = make_cvode_stepper(first_ode, MultistepMethod::bdf, tolerances(2, 1e-8));
  auto second = make_cvode_stepper(second_ode, MultistepMethod::adams, tolerances(1, 1e-5));
  REQUIRE(first->start(0, vector({1, 0}), 50, 0));
  REQUIRE(second->start(0, vector({1}), 5, 0));
  StepStatus status = StepStatus::advanced;
  while (status == StepStatus::advanced) {
    status = first->step().status;
    if (second->step().status == StepStatus::reached_end) REQUIRE(second->start(0, vector({1}), 5, 0));
  }
  CHECK(state_at(*first, 50, 2) == alone);

  std::vector<Vector> results(4);
  std::vector<std::thread> threads;
  for (Vector& result : results) threads.emplace_back([&] { result = final_state(); });
  for (std::thread& thread : threads) thread.join();
  for (const Vector& result : results) CHECK(result == alone);
}

TEST_CASE("a start that makes no sense is refused with a reason") {
  FunctionOde ode = decay();
  auto stepper = make_cvode_stepper(ode, MultistepMethod::bdf, tolerances(1, 1e-6));
  check_senseless_starts(*stepper);
}

TEST_CASE("tolerances that make no sense are refused, saying which and why") {
  FunctionOde ode = oscillator();
  const auto refusal = [&](const StepperOptions& options) -> std::string {
    try {
      make_cvode_stepper(ode, MultistepMethod::bdf, options);
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  CHECK(refusal(tolerances(2, 1e-13)).empty());
  for (const double rtol : {0.0, -1e-3, 1.0, 1e-17, std::nan("")}) {
    CHECK(refusal(tolerances(2, rtol, 1e-9)).find("rtol") != std::string::npos);
  }
  for (const double atol : {0.0, -1.0, std::numeric_limits<double>::infinity(), std::nan("")}) {
    StepperOptions options = tolerances(2, 1e-6);
    options.atol(1) = atol;
    CHECK(refusal(options).find("atol[1]") != std::string::npos);
  }
  CHECK(refusal(tolerances(3, 1e-6)).find("expected 2, got 3") != std::string::npos);
  StepperOptions options = tolerances(2, 1e-6);
  options.max_step = -1;
  CHECK(refusal(options).find("max_step") != std::string::npos);
  options.max_step = std::numeric_limits<double>::infinity();
  CHECK(refusal(options).empty());
}
