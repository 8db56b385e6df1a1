#include "slideway/autodiff/dual.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

using namespace slideway;
using First = Dual<double>;
using Second = Dual<Dual<double>>;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

First variable(double value) { return {value, 1.0}; }
Second twice_variable(double value) { return {{value, 1.0}, {1.0, 0.0}}; }

template <class Function>
double central_difference(Function&& function, double x) {
  const double step = 6e-6 * std::max(1.0, std::abs(x));
  return (function(x + step) - function(x - step)) / (2 * step);
}

// Value against the function on double, first and second derivative against central differences.
template <class Function>
void check_function(const std::string& name, const std::vector<double>& points, Function function) {
  for (const double x : points) {
    CAPTURE(name);
    CAPTURE(x);
    const First first = function(variable(x));
    CHECK(first.value == function(x));
    const double slope = central_difference(function, x);
    CHECK(first.derivative == doctest::Approx(slope).epsilon(1e-8).scale(1));

    const auto derivative = [&](double at) { return function(variable(at)).derivative; };
    const Second second = function(twice_variable(x));
    CHECK(second.value.value == first.value);
    CHECK(second.value.derivative == first.derivative);
    CHECK(second.derivative.value == first.derivative);
    const double curvature = central_difference(derivative, x);
    CHECK(second.derivative.derivative == doctest::Approx(curvature).epsilon(1e-7).scale(1));
  }
}

}  // namespace

TEST_CASE("elementary functions of duals agree with central differences, twice") {
  const std::vector<double> all{-2.3, -0.4, 0.0, 0.7, 3.1};
  const std::vector<double> positive{0.2, 1.0, 4.5};
  const std::vector<double> within{-0.8, -0.1, 0.0, 0.6};
  check_function("sin", all, [](auto x) { return sin(x); });
  check_function("cos", all, [](auto x) { return cos(x); });
  check_function("tan", all, [](auto x) { return tan(x); });
  check_function("asin", within, [](auto x) { return asin(x); });
  check_function("acos", within, [](auto x) { return acos(x); });
  check_function("atan", all, [](auto x) { return atan(x); });
  check_function("sinh", all, [](auto x) { return sinh(x); });
  check_function("cosh", all, [](auto x) { return cosh(x); });
  check_function("tanh", all, [](auto x) { return tanh(x); });
  check_function("asinh", all, [](auto x) { return asinh(x); });
  check_function("acosh", {1.3, 4.0}, [](auto x) { return acosh(x); });
  check_function("atanh", within, [](auto x) { return atanh(x); });
  check_function("exp", all, [](auto x) { return exp(x); });
  check_function("expm1", all, [](auto x) { return expm1(x); });
  check_function("log", positive, [](auto x) { return log(x); });
  check_function("log1p", within, [](auto x) { return log1p(x); });
  check_function("log2", positive, [](auto x) { return log2(x); });
  check_function("log10", positive, [](auto x) { return log10(x); });
  check_function("sqrt", positive, [](auto x) { return sqrt(x); });
  check_function("cbrt", {-2.0, 0.3, 5.0}, [](auto x) { return cbrt(x); });
  check_function("erf", all, [](auto x) { return erf(x); });
  check_function("erfc", all, [](auto x) { return erfc(x); });
  check_function("abs", {-2.0, 3.0}, [](auto x) {
    using std::abs;
    return abs(x);
  });
  check_function("fabs", {-2.0, 3.0}, [](auto x) { return fabs(x); });
  check_function("fmod", {-3.0, 1.0, 7.0}, [](auto x) { return fmod(x, 2.5); });
}

TEST_CASE("arithmetic with duals, doubles and integers agrees with central differences, twice") {
  const std::vector<double> points{-1.7, 0.3, 2.2};
  check_function("sum", points, [](auto x) { return 1 + x + 2.5 + x * 3 - (4 - x) - 1.5; });
  check_function("product", points, [](auto x) { return 2 * x * x * 0.5 * x; });
  check_function("quotient", points, [](auto x) { return (x * x - 1) / (x + 5) / 2 + 3 / (x * x + 1); });
  check_function("sign", points, [](auto x) { return -x + (+x) * x; });
  check_function("compound", points, [](auto x) {
    auto y = x;
    y += x * x;
    y += 1;
    y -= 2 * x;
    y -= 0.5;
    y *= x;
    y *= 3;
    y /= x * x + 1;
    y /= 2;
    return y;
  });
}

TEST_CASE("powers in every mixture agree with central differences, twice") {
  check_function("x^2.5", {0.4, 3.0}, [](auto x) { return pow(x, 2.5); });
  check_function("x^3", {-2.0, 0.0, 1.5}, [](auto x) { return pow(x, 3); });
  check_function("x^-2", {-2.0, 1.5}, [](auto x) { return pow(x, -2); });
  check_function("2^x", {-2.0, 0.0, 1.5}, [](auto x) { return pow(2.0, x); });
  check_function("3^x, integer base", {-2.0, 1.5}, [](auto x) { return pow(3, x); });
  check_function("x^x", {0.4, 2.0}, [](auto x) { return pow(x, x); });
  check_function("x^(a dual constant)", {-2.0, 0.0, 1.5}, [](auto x) {
    using std::pow;
    const decltype(x) cube(3.0);
    return pow(x, cube);
  });
}

TEST_CASE("functions of two arguments agree with central differences, twice") {
  const std::vector<double> points{-1.3, 0.2, 2.0};
  check_function("atan2", points, [](auto x) { return atan2(x * x - 2, x + 0.5); });
  check_function("atan2 over a number", points, [](auto x) { return atan2(x, 2.0); });
  check_function("atan2 of a number", points, [](auto x) { return atan2(1.0, x); });
  check_function("hypot", points, [](auto x) { return hypot(x, 2 * x + 1); });
  check_function("hypot with a number", points, [](auto x) { return hypot(x, 3.0) + hypot(2, x); });
}

TEST_CASE("min and max choose a branch with its derivative, also beside a number") {
  using std::max, std::min;
  CHECK(max(variable(2), First(1)).derivative == 1);
  CHECK(max(variable(0), First(1)).derivative == 0);
  CHECK(max(variable(2), 1).derivative == 1);
  CHECK(max(3.0, variable(2)).derivative == 0);
  CHECK(min(variable(2), 1.0).derivative == 0);
  CHECK(min(3, variable(2)).derivative == 1);
  CHECK(min(variable(2), First(5)).value == 2);
}

TEST_CASE("at a kink the derivative is the mean of the one-sided ones, as a central difference gives") {
  using std::abs, std::hypot, std::max, std::min;
  CHECK(abs(variable(0)).derivative == 0);
  CHECK(max(variable(0), 0.0).derivative == 0.5);
  CHECK(min(variable(0), 0.0).derivative == 0.5);
  CHECK(hypot(variable(0), First(0)).derivative == 0);
  CHECK(hypot(variable(0), First(0)).value == 0);
}

TEST_CASE("the absolute value of not-a-number is not a number") {
  CHECK(isnan(abs(First(std::numeric_limits<double>::quiet_NaN()))));
}

TEST_CASE("the square root at 0 has an infinite slope for what varies and none for what does not") {
  CHECK(sqrt(variable(0)).derivative == infinity);
  CHECK(sqrt(First(0)).derivative == 0);
  CHECK(cbrt(variable(0)).derivative == infinity);
  CHECK(cbrt(First(0)).derivative == 0);
  CHECK(pow(First(0), 0.5).derivative == 0);
  CHECK(asin(First(1)).derivative == 0);
  CHECK(acos(First(-1)).derivative == 0);
  CHECK(acosh(First(1)).derivative == 0);
  const Second constant = sqrt(Second(0));
  CHECK(constant.derivative.derivative == 0);
  CHECK(constant.derivative.value == 0);
}

TEST_CASE("x^1.5 leaves 0 with slope 0") { CHECK(pow(variable(0), 1.5).derivative == 0); }

TEST_CASE("a constant exponent takes no logarithm of a negative base") {
  CHECK(pow(variable(-2), 2).derivative == -4);
  CHECK(pow(variable(-2), 3.0).derivative == 12);
  CHECK(pow(variable(-2), First(3)).derivative == 12);
  CHECK(pow(-2.0, First(3)).derivative == 0);
  CHECK(pow(-2.0, First(3)).value == -8);
}

TEST_CASE("powers are right where base or exponent is 0") {
  CHECK(pow(variable(0), 0).value == 1);
  CHECK(pow(variable(0), 0).derivative == 0);
  CHECK(pow(variable(0), 1).derivative == 1);
  CHECK(pow(variable(0), 2).derivative == 0);
  CHECK(pow(variable(0), First(0)).derivative == 0);
  CHECK(pow(variable(0), First(1)).derivative == 1);
  CHECK(pow(variable(0), First(2)).derivative == 0);
  CHECK(pow(variable(3), First(0)).derivative == 0);
  CHECK(pow(0.0, variable(2)).derivative == 0);
  CHECK(pow(twice_variable(0), 2).derivative.derivative == 2);
  CHECK(pow(twice_variable(0), Second(2)).derivative.derivative == 2);
}

TEST_CASE("both branches of a conditional have one type, and the right derivative") {
  const First x = variable(3), y(2);
  for (const bool condition : {true, false}) {
    const auto chosen = condition ? x * y : -x;
    CHECK(chosen.value == (condition ? 6 : -3));
    CHECK(chosen.derivative == (condition ? 2 : -1));
  }
  const auto with_number = x > 0 ? x : 1.0;
  CHECK(with_number.derivative == 1);
  const auto with_integer = x > 5 ? x : 0;
  CHECK(with_integer.derivative == 0);
}

TEST_CASE("comparisons look at the value only, beside duals, doubles and integers") {
  const First x = variable(2);
  CHECK(x == 2);
  CHECK(x == First(2));
  CHECK(2.0 == x);
  CHECK(x != 3);
  CHECK(x > 1);
  CHECK(1 < x);
  CHECK(x >= 2.0);
  CHECK(x <= First(2));
  CHECK_FALSE(x < 2);
  const Second y = twice_variable(2);
  CHECK(y > 1);
  CHECK(y == 2);
  CHECK(3.0 > y);
  CHECK(std::clamp(x, First(0), First(1)) == 1);
  CHECK_FALSE(First(std::numeric_limits<double>::quiet_NaN()) == 0);
  CHECK_FALSE(First(std::numeric_limits<double>::quiet_NaN()) < 0);
}

TEST_CASE("rounding functions are constant between their steps") {
  CHECK(floor(variable(2.7)).value == 2);
  CHECK(ceil(variable(2.2)).value == 3);
  CHECK(round(variable(2.7)).value == 3);
  CHECK(trunc(variable(-2.7)).value == -2);
  CHECK(floor(variable(2.7)).derivative == 0);
  CHECK(round(twice_variable(2.7)).derivative.derivative == 0);
}

TEST_CASE("a dual is finite, or not a number, if its value is") {
  CHECK(isfinite(variable(1)));
  CHECK_FALSE(isfinite(First(infinity)));
  CHECK(isinf(First(infinity)));
  CHECK(isnan(twice_variable(std::numeric_limits<double>::quiet_NaN())));
  CHECK(signbit(variable(-0.0)));
}

TEST_CASE("the plain number can be taken out of any depth") {
  CHECK(value_of(1.5) == 1.5);
  CHECK(value_of(variable(1.5)) == 1.5);
  CHECK(value_of(twice_variable(1.5)) == 1.5);
}

TEST_CASE("a nested dual holds the mixed second derivative in two directions") {
  // x² y³ at (2, 3): ∂²/∂x∂y = 6 x y² = 108.
  const Second x{{2.0, 1.0}, {0.0, 0.0}};
  const Second y{{3.0, 0.0}, {1.0, 0.0}};
  const Second product = x * x * y * y * y;
  CHECK(product.value.value == 108);
  CHECK(product.value.derivative == 108);
  CHECK(product.derivative.value == 108);
  CHECK(product.derivative.derivative == 108);
}

TEST_CASE("Eigen vectors of duals mix with vectors, matrices and numbers of double") {
  Eigen::Matrix<First, Eigen::Dynamic, 1> x(2);
  x << variable(3), First(4);
  Eigen::Matrix2d matrix;
  matrix << 1, 2, 3, 4;
  const Eigen::Vector2d weights{10, 20};
  const Eigen::Matrix<First, Eigen::Dynamic, 1> image = matrix * x;
  CHECK(image[0].value == 11);
  CHECK(image[0].derivative == 1);
  CHECK(image[1].derivative == 3);
  const First weighted = weights.cast<First>().dot(x);
  CHECK(weighted.derivative == 10);
  const Eigen::Matrix<First, Eigen::Dynamic, 1> combination = 2.0 * x - x / 2.0 + weights;
  CHECK(combination[0].derivative == 1.5);
  CHECK(combination[1].value == 26);
  const Eigen::Matrix<First, Eigen::Dynamic, 1> scaled = x[0] * weights;
  CHECK(scaled[1].derivative == 20);
  CHECK(x.squaredNorm().derivative == 6);
  CHECK(x.norm().value == 5);
  CHECK(x.norm().derivative == doctest::Approx(0.6));
  CHECK(x.sum().derivative == 1);
  CHECK(x.maxCoeff().value == 4);
  CHECK(x.array().sin().matrix()[0].derivative == doctest::Approx(std::cos(3.0)));
  CHECK(x.allFinite());
}

TEST_CASE("Eigen vectors of nested duals work too") {
  Eigen::Matrix<Second, Eigen::Dynamic, 1> x(2);
  x << twice_variable(3), Second(4);
  CHECK(x.squaredNorm().derivative.derivative == 2);
  CHECK((2.0 * x - x).sum().derivative.value == 1);
}
