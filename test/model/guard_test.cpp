// Scalar guards: values and derivatives against those found by hand.
#include <cmath>
#include <limits>
#include <stdexcept>

#include <doctest/doctest.h>

#include "slideway/model/guard.hpp"

using namespace slideway;

namespace {

// g = t x₀² + sin(x₁) and its derivatives by hand.
struct Generic {
  template <class Time, class State>
  auto operator()(const Time& t, const State& x) const {
    using std::sin;
    return t * x[0] * x[0] + sin(x[1]);
  }
};

double plain(double t, ConstVectorRef x) { return t * x[0] * x[0] + std::sin(x[1]); }

const double kTime = 0.7;
const Vector kState = Eigen::Vector2d(1.3, -0.4);
const Vector kFirst = Eigen::Vector2d(0.2, 1.1), kSecond = Eigen::Vector2d(-0.6, 0.5),
             kMixed = Eigen::Vector2d(2, -3);

double rate_by_hand(double t_dot, const Vector& x_dot) {
  return t_dot * kState[0] * kState[0] + 2 * kTime * kState[0] * x_dot[0] + std::cos(kState[1]) * x_dot[1];
}

double mixed_by_hand(double t_first, double t_second) {
  const double second = 2 * kState[0] * (t_first * kSecond[0] + t_second * kFirst[0]) +
                        2 * kTime * kFirst[0] * kSecond[0] - std::sin(kState[1]) * kFirst[1] * kSecond[1];
  return second + rate_by_hand(0, kMixed);
}

}  // namespace

TEST_CASE("a guard that takes any number has exact derivatives") {
  const Guard guard{Generic{}};
  CHECK(guard.value(kTime, kState) == plain(kTime, kState));
  CHECK(guard.rate(kTime, kState, 1, kFirst) == doctest::Approx(rate_by_hand(1, kFirst)).epsilon(1e-15));
  CHECK(guard.rate(kTime, kState, 0, kFirst) == doctest::Approx(rate_by_hand(0, kFirst)).epsilon(1e-15));
  CHECK(guard.mixed(kTime, kState, 1, kFirst, 0.5, kSecond, kMixed) ==
        doctest::Approx(mixed_by_hand(1, 0.5)).epsilon(1e-15));
  Vector gradient(2);
  guard.gradient(kTime, kState, gradient);
  CHECK(gradient[0] == doctest::Approx(2 * kTime * kState[0]).epsilon(1e-15));
  CHECK(gradient[1] == doctest::Approx(std::cos(kState[1])).epsilon(1e-15));
}

TEST_CASE("the derivative of a guard of plain double does not depend on the length of the direction") {
  const Guard guard{[](double t, ConstVectorRef x) { return plain(t, x); }};
  for (const double length : {1e-10, 1e-8, 1e-6, 1e-3, 1.0, 1e3, 1e6}) {
    CAPTURE(length);
    CHECK(guard.rate(kTime, kState, 0, length * kFirst) / length ==
          doctest::Approx(rate_by_hand(0, kFirst)).epsilon(1e-8));
    // ∂²g along a short direction, of a speed that is not.
    const Vector none = Vector::Zero(2);
    CHECK(guard.mixed(kTime, kState, 1, kFirst, 0, length * kSecond, none) / length ==
          doctest::Approx(mixed_by_hand(1, 0) - rate_by_hand(0, kMixed)).epsilon(1e-5));
  }
}

TEST_CASE("a guard of plain double has derivatives by differences") {
  const Guard guard{[](double t, ConstVectorRef x) { return plain(t, x); }};
  CHECK(guard.value(kTime, kState) == plain(kTime, kState));
  CHECK(guard.rate(kTime, kState, 1, kFirst) == doctest::Approx(rate_by_hand(1, kFirst)).epsilon(1e-8));
  CHECK(guard.mixed(kTime, kState, 1, kFirst, 0.5, kSecond, kMixed) ==
        doctest::Approx(mixed_by_hand(1, 0.5)).epsilon(1e-5));
  Vector gradient(2);
  guard.gradient(kTime, kState, gradient);
  CHECK(gradient[0] == doctest::Approx(2 * kTime * kState[0]).epsilon(1e-8));
  CHECK(gradient[1] == doctest::Approx(std::cos(kState[1])).epsilon(1e-8));
}

TEST_CASE("derivatives by hand are used where they are given") {
  GuardFunctions functions;
  functions.value = plain;
  functions.rate = [](double, ConstVectorRef, double, ConstVectorRef, GuardFunctions::States) {
    return 42.0;
  };
  CHECK(Guard(functions).rate(kTime, kState, 1, kFirst) == 42);
}

TEST_CASE("the rate of a guard of time alone is its derivative") {
  const Guard guard{[](auto t, const auto&) {
    using std::sin;
    return sin(3.0 * t);
  }};
  CHECK(guard.rate(kTime, kState, 1, kFirst) == doctest::Approx(3 * std::cos(3 * kTime)).epsilon(1e-15));
  Vector gradient(2);
  guard.gradient(kTime, kState, gradient);
  CHECK(gradient.isZero(0));
}

TEST_CASE("a guard told which states enter it does not look at the others") {
  const Guard guard{[](const auto& t, const auto& x) { return t * x[1] * x[1] - 3.0 * x[3]; }};
  const auto shape = guard.shape(4);
  REQUIRE(shape);
  CHECK(shape->states == std::vector<Index>{1, 3});
  CHECK_FALSE(shape->affine);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Vector x(4), x_dot(4), zero = Vector::Zero(4);
  x << nan, 2, nan, 1;
  x_dot << nan, 0.5, nan, 0.25;
  for (int round = 0; round < 2; ++round) {
    CHECK(guard.rate(3, x, 1, x_dot, &shape->states) == 4 + 3 * 2 * 2 * 0.5 - 3 * 0.25);
    CHECK(guard.mixed(3, x, 1, x_dot, 0, x_dot, zero, &shape->states) == 2 * 2 * 0.5 + 3 * 2 * 0.5 * 0.5);
    std::vector<double> slopes;
    guard.slopes(3, x, shape->states, slopes);
    CHECK(slopes == std::vector<double>{12, -3});
    CHECK(guard.slope_in_time(3, x, shape->states) == 4);
  }
}

TEST_CASE("a guard that throws leaves nothing behind for the next") {
  const Guard sum{[](const auto&, const auto& x) { return x[0] + x[1] + x[2]; }};
  const Guard throws{[](const auto& t, const auto& x) {
    if (x[1] > 0) throw std::domain_error("no");
    return t - t;
  }};
  const Vector x = Vector::Ones(3);
  std::vector<double> slopes;
  CHECK_THROWS_AS(throws.slopes(0, x, {1}, slopes), std::domain_error);
  sum.slopes(0, x, {0, 1, 2}, slopes);
  CHECK(slopes == std::vector<double>{1, 1, 1});
  CHECK(sum.slope_in_time(0, x, {0, 1, 2}) == 0);
}

TEST_CASE("a guard may ask another guard") {
  const Guard inner{[](const auto&, const auto& x) { return x[0] * x[0]; }};
  const Vector at = Vector::Constant(1, 5), along = Vector::Ones(1);
  const Guard outer{[&](const auto&, const auto& x) { return x[0] * inner.rate(0, at, 0, along) + x[1]; }};
  Vector x(2), x_dot(2);
  x << 3, 4;
  x_dot << 1, 100;
  CHECK(outer.rate(0, x, 0, x_dot) == 110);
}

TEST_CASE("copies are the same guard, and another with the same zeros is not") {
  const Guard guard{Generic{}};
  const Guard copy = guard;
  const Guard other{Generic{}};
  CHECK(copy == guard);
  CHECK_FALSE(other == guard);
}

TEST_CASE("no guard is told from one, and functions without a value are refused") {
  CHECK_FALSE(Guard());
  CHECK(Guard(Generic{}));
  CHECK_THROWS_AS(Guard(GuardFunctions{}), std::invalid_argument);
}
