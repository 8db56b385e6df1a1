// Running errors against evaluations in extended precision.
#include "slideway/autodiff/rounded.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

using namespace slideway;

namespace {

constexpr double epsilon = std::numeric_limits<double>::epsilon();

// The error of `function` at random places is within its bound, and the bound is no more than `most` times the largest error.
template <class Function>
void check_bound(const Function& function, double low, double high, double most) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> place(low, high);
  double largest = 0, largest_bound = 0;
  for (int k = 0; k < 2000; ++k) {
    const double x = place(random);
    const double y = place(random);
    const Rounded found = function(Rounded(x), Rounded(y));
    const double value = function(x, y);
    const long double exact = function(static_cast<long double>(x), static_cast<long double>(y));
    const auto error = static_cast<double>(std::abs(static_cast<long double>(value) - exact));
    const double bound = epsilon * found.error;
    CAPTURE(x);
    CAPTURE(y);
    CHECK(found.value == value);
    CHECK(error <= bound);
    largest = std::max(largest, error);
    largest_bound = std::max(largest_bound, bound);
  }
  CHECK(largest_bound <= most * largest);
}

}  // namespace

TEST_CASE(
    "The rounding of a formula is within its running error, which is no more than a few times as large") {
  using std::exp, std::sin, std::sqrt, std::log, std::pow, std::hypot, std::atan2, std::tanh;
  check_bound([](auto x, auto y) { return x * y - x / y; }, 0.1, 3, 4);
  check_bound([](auto x, auto y) { return (x + 1000) - 1000 - y; }, -1, 1, 8);
  check_bound([](auto x, auto y) { return sin(x + 300) * 1.02 + y; }, -1, 1, 8);
  check_bound([](auto x, auto y) { return exp(3 * x) - exp(3 * y); }, -1, 1, 16);
  check_bound([](auto x, auto y) { return log(1 + x * x) - log(1 + y * y); }, -1, 1, 16);
  check_bound([](auto x, auto y) { return sqrt(x) - pow(y, 1.5); }, 0, 1, 16);
  check_bound([](auto x, auto y) { return hypot(x, y) + atan2(x, y) - tanh(x); }, 0.1, 2, 24);
}

TEST_CASE(
    "A difference of equal numbers is exact, and the rounding of larger terms that cancel is not forgotten") {
  CHECK((Rounded(0.259) - 0.259).error == 0);
  CHECK(((Rounded(1e-9) + 1e6) - 1e6).error >= 0.5e6);
  CHECK(log(1.0 + Rounded(1e-9) * Rounded(1e-9)).error >= 0.5);
}

TEST_CASE("The error of a root where its slope is infinite is that of the root of the error") {
  const Rounded cancelled = (Rounded(0.1) + 1.0) - 1.1;
  const Rounded zero = cancelled - cancelled.value;
  REQUIRE(zero.value == 0);
  CHECK(std::isfinite(sqrt(zero).error));
  CHECK(epsilon * sqrt(zero).error == doctest::Approx(std::sqrt(epsilon * zero.error)));
}

TEST_CASE("Kinks and steps take the branch of the value") {
  const Rounded sum = Rounded(1e6) + 0.1;
  CHECK(max(sum, 3.0).error == sum.error);
  CHECK(max(sum, 2e6).error == 0);
  CHECK(min(sum, 3.0).error == 0);
  CHECK(abs(-sum).error == sum.error);
  CHECK(floor(sum).error == 0);
}
