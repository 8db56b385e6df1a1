// Stiff states far from t = 0, where the clock rounds the time by more than the tolerances of a motion in it.
#include <doctest/doctest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "integrate/clock_tolerances.hpp"
#include "integrate/stepper.hpp"
#include "test/integrate/function_ode.hpp"
#include "test/integrate/stepping.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

constexpr double kStiffness = 1e6;
constexpr double kStart = 1e4;

// x' = −λ(x − cos(t − start))
FunctionOde follower() {
  return {
      1,
      [](double t, ConstVectorRef x, VectorRef dx) { dx[0] = -kStiffness * (x[0] - std::cos(t - kStart)); },
      [](double, ConstVectorRef, MatrixRef jacobian) { jacobian(0, 0) = -kStiffness; }};
}

}  // namespace

TEST_CASE("what is stiff takes no more steps far from the start of the clock than its motion asks for") {
  constexpr double rtol = 1e-12;
  const auto steps_of = [&](const char* name, auto make) {
    CAPTURE(std::string(name));
    FunctionOde ode = follower();
    const std::unique_ptr<Stepper> stepper = make(ode);
    REQUIRE(stepper->start(kStart, Vector::Constant(1, 1), kStart + 3, 0));
    StepReport report;
    int steps = 0;
    do {
      report = stepper->step();
    } while (++steps < 100'000 && (report.status == StepStatus::advanced ||
                                   (report.status == StepStatus::failed && stepper->has_another_method())));
    CHECK(report.status == StepStatus::reached_end);
    Vector x(1);
    stepper->evaluate(kStart + 3, x);
    CHECK(std::abs(x[0] - std::cos(3) - std::sin(3) / kStiffness) < 1e-10);
  };
  steps_of("auto", [](SmoothOde& ode) { return make_automatic_stepper(ode, tolerances(1, rtol)); });
  steps_of("bdf",
           [](SmoothOde& ode) { return make_cvode_stepper(ode, MultistepMethod::bdf, tolerances(1, rtol)); });
  steps_of("rodas", [](SmoothOde& ode) {
    return make_one_step_stepper(ode, OneStepMethod::rodas, tolerances(1, rtol));
  });
}

TEST_CASE("tolerances on the clock are wider for states that follow a motion in time, and for no others") {
  const double weight = 1e12;
  const double h = 1e-6;
  const Vector x = Vector::Constant(1, std::cos(1.0));
  const Vector weights = Vector::Constant(1, weight);
  const auto are_wider = [&](auto field, double t, double slope) {
    FunctionOde ode(1,
                    [&](double time, ConstVectorRef state, VectorRef dx) { dx[0] = field(time, state[0]); });
    CheckedOde checked(ode);
    ClockTolerances on_clock(1e-12);
    const Vector velocity = Vector::Constant(1, slope);
    const bool wider = on_clock.are_wider(checked, {t, t + 1, h, x, velocity, weights});
    if (wider) CHECK(on_clock.tolerances()[0] > 10 / weight);
    return wider;
  };
  const auto stiff = [](double start) {
    return [=](double t, double state) {
      return -kStiffness * (state - std::cos(t - start)) - std::sin(t - start);
    };
  };
  CHECK(are_wider(stiff(kStart), kStart + 1, -std::sin(1.0)));
  // Near t = 0 the clock tells the time well enough.
  CHECK_FALSE(are_wider(stiff(0), 1, -std::sin(1.0)));
  // A quadrature and a pole see the time, but states of theirs do not follow a motion.
  CHECK_FALSE(are_wider([](double t, double) { return kStiffness * std::cos(t); }, kStart, 1));
  CHECK_FALSE(are_wider([](double t, double) { return 1 / (kStart + 1e-6 - t); }, kStart, 1e6));
  CHECK_FALSE(are_wider([](double, double state) { return state * state; }, kStart, 1));
}
