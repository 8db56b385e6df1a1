// The common part of the tests of steppers: tolerances, short vectors, and a way to the end of a run.
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "integrate/cvode_stepper.hpp"
#include "integrate/stepper.hpp"

namespace slideway::test {

inline StepperOptions tolerances(Index states, double rtol, double atol) {
  return {.rtol = rtol, .atol = Vector::Constant(states, atol), .max_step = 0};
}

inline StepperOptions tolerances(Index states, double rtol) { return tolerances(states, rtol, rtol / 100); }

inline Vector vector(std::initializer_list<double> values) {
  Vector result(static_cast<Index>(values.size()));
  std::copy(values.begin(), values.end(), result.begin());
  return result;
}

constexpr MultistepMethod kMultistepMethods[] = {MultistepMethod::bdf, MultistepMethod::adams};

// A stepper for one state refuses a start that makes no sense, and a step before any start.
inline void check_senseless_starts(Stepper& stepper) {
  CHECK(stepper.step().status == StepStatus::failed);
  CHECK_FALSE(stepper.failure().message.empty());
  const double infinity = std::numeric_limits<double>::infinity();
  for (const auto& [t, end] : std::vector<std::pair<double, double>>{
           {1, 1}, {1, 0}, {0, infinity}, {std::nan(""), 1}, {0, std::nan("")}}) {
    CHECK_FALSE(stepper.start(t, vector({1}), end, 0));
    CHECK(stepper.failure().message.find("cannot start") != std::string::npos);
    CHECK(stepper.step().status == StepStatus::failed);
  }
  CHECK_FALSE(stepper.start(0, vector({infinity}), 1, 0));
  CHECK_FALSE(stepper.failure().by_user_function);
}

// Steps until something other than `advanced` happens.
inline StepReport run(Stepper& stepper) {
  StepReport report;
  do {
    report = stepper.step();
  } while (report.status == StepStatus::advanced);
  return report;
}

inline Vector state_at(Stepper& stepper, double t, Index states) {
  Vector x(states);
  stepper.evaluate(t, x);
  return x;
}

// The state at `end`, which must be reached.
inline Vector end_state(Stepper& stepper, double start, const Vector& x, double end) {
  REQUIRE(stepper.start(start, x, end, 0));
  const StepReport report = run(stepper);
  INFO(stepper.failure().message);
  REQUIRE(report.status == StepStatus::reached_end);
  CHECK(report.end == end);
  return state_at(stepper, end, x.size());
}

// Σₖ Cₖ σᵏ, term by term.
inline Vector value_at(const Interpolant& interpolant, double t) {
  Vector sum = Vector::Zero(interpolant.states);
  for (Index k = 0; k < interpolant.terms; ++k)
    sum += interpolant.coefficient(k) * std::pow(interpolant.place(t), static_cast<double>(k));
  return sum;
}

}  // namespace slideway::test
