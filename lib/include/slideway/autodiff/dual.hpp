// Dual numbers: a value and its derivative in one direction, carried through ordinary arithmetic,
//
//     g(a + a'ε) = g(a) + g'(a) a' ε,      ε² = 0.
//
// Dual<Dual<double>> carries two directions and their mixed second derivative. Nothing is lazy: every
// operation returns a Dual, so `c ? x * y : -x` has one type. Comparisons look at the value only.
// Where a function has a kink (abs, min, max, hypot at 0) the derivative is the mean of the one-sided ones,
// and where a slope is infinite (sqrt at 0) a zero derivative stays zero instead of becoming 0·∞.
//
// It must not know systems, fields or guards.
#pragma once

#include <cmath>
#include <compare>
#include <numbers>
#include <type_traits>

#include <Eigen/Core>

namespace slideway {

template <class Number>
concept Arithmetic = std::is_arithmetic_v<Number>;

template <class T>
struct Dual {
  T value{};
  T derivative{};

  constexpr Dual() = default;
  constexpr Dual(const T& constant) : value(constant) {}
  template <Arithmetic Number>
  constexpr Dual(Number constant) : value(static_cast<double>(constant)) {}
  constexpr Dual(const T& value_part, const T& derivative_part)
      : value(value_part), derivative(derivative_part) {}

  friend constexpr Dual operator+(const Dual& a) { return a; }
  friend constexpr Dual operator-(const Dual& a) { return {-a.value, -a.derivative}; }

  friend constexpr Dual operator+(const Dual& a, const Dual& b) {
    return {a.value + b.value, a.derivative + b.derivative};
  }
  friend constexpr Dual operator-(const Dual& a, const Dual& b) {
    return {a.value - b.value, a.derivative - b.derivative};
  }
  friend constexpr Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, a.derivative * b.value + a.value * b.derivative};
  }
  friend constexpr Dual operator/(const Dual& a, const Dual& b) {
    const T quotient = a.value / b.value;
    return {quotient, (a.derivative - quotient * b.derivative) / b.value};
  }

  friend constexpr Dual operator+(const Dual& a, double b) { return {a.value + b, a.derivative}; }
  friend constexpr Dual operator+(double a, const Dual& b) { return {a + b.value, b.derivative}; }
  friend constexpr Dual operator-(const Dual& a, double b) { return {a.value - b, a.derivative}; }
  friend constexpr Dual operator-(double a, const Dual& b) { return {a - b.value, -b.derivative}; }
  friend constexpr Dual operator*(const Dual& a, double b) { return {a.value * b, a.derivative * b}; }
  friend constexpr Dual operator*(double a, const Dual& b) { return {a * b.value, a * b.derivative}; }
  friend constexpr Dual operator/(const Dual& a, double b) { return {a.value / b, a.derivative / b}; }
  friend constexpr Dual operator/(double a, const Dual& b) { return Dual(a) / b; }

  constexpr Dual& operator+=(const Dual& b) { return *this = *this + b; }
  constexpr Dual& operator-=(const Dual& b) { return *this = *this - b; }
  constexpr Dual& operator*=(const Dual& b) { return *this = *this * b; }
  constexpr Dual& operator/=(const Dual& b) { return *this = *this / b; }
  constexpr Dual& operator+=(double b) { return *this = *this + b; }
  constexpr Dual& operator-=(double b) { return *this = *this - b; }
  constexpr Dual& operator*=(double b) { return *this = *this * b; }
  constexpr Dual& operator/=(double b) { return *this = *this / b; }

  friend constexpr bool operator==(const Dual& a, const Dual& b) { return a.value == b.value; }
  friend constexpr auto operator<=>(const Dual& a, const Dual& b) { return a.value <=> b.value; }
};

// The plain number inside, however deep: what a table look-up or a message needs.
template <Arithmetic Number>
constexpr double value_of(Number number) {
  return static_cast<double>(number);
}
template <class T>
constexpr double value_of(const Dual<T>& number) {
  return value_of(number.value);
}

// slope · derivative, where a derivative of 0 means "does not vary" and wins over an infinite slope.
constexpr double chain_product(double slope, double derivative) {
  return derivative == 0 ? 0.0 : slope * derivative;
}
template <class T>
constexpr Dual<T> chain_product(const Dual<T>& slope, const Dual<T>& derivative) {
  return {
      chain_product(slope.value, derivative.value),
      chain_product(slope.derivative, derivative.value) + chain_product(slope.value, derivative.derivative)};
}

// The Dual of a function with this value and slope at `argument`.
template <class T>
constexpr Dual<T> apply_chain_rule(const Dual<T>& argument, const T& value, const T& slope) {
  return {value, chain_product(slope, argument.derivative)};
}

// ---- elementary functions ---------------------------------------------------------------------------

template <class T>
Dual<T> sin(const Dual<T>& x) {
  using std::cos, std::sin;
  return apply_chain_rule<T>(x, sin(x.value), cos(x.value));
}
template <class T>
Dual<T> cos(const Dual<T>& x) {
  using std::cos, std::sin;
  return apply_chain_rule<T>(x, cos(x.value), -sin(x.value));
}
template <class T>
Dual<T> tan(const Dual<T>& x) {
  using std::tan;
  const T value = tan(x.value);
  return apply_chain_rule<T>(x, value, 1.0 + value * value);
}
template <class T>
Dual<T> asin(const Dual<T>& x) {
  using std::asin, std::sqrt;
  return apply_chain_rule<T>(x, asin(x.value), 1.0 / sqrt((1.0 - x.value) * (1.0 + x.value)));
}
template <class T>
Dual<T> acos(const Dual<T>& x) {
  using std::acos, std::sqrt;
  return apply_chain_rule<T>(x, acos(x.value), -1.0 / sqrt((1.0 - x.value) * (1.0 + x.value)));
}
template <class T>
Dual<T> atan(const Dual<T>& x) {
  using std::atan;
  return apply_chain_rule<T>(x, atan(x.value), 1.0 / (1.0 + x.value * x.value));
}
template <class T>
Dual<T> sinh(const Dual<T>& x) {
  using std::cosh, std::sinh;
  return apply_chain_rule<T>(x, sinh(x.value), cosh(x.value));
}
template <class T>
Dual<T> cosh(const Dual<T>& x) {
  using std::cosh, std::sinh;
  return apply_chain_rule<T>(x, cosh(x.value), sinh(x.value));
}
template <class T>
Dual<T> tanh(const Dual<T>& x) {
  using std::tanh, std::cosh;
  // 1/cosh² keeps its digits where 1 − tanh² has lost them.
  const T reciprocal = 1.0 / cosh(x.value);
  return apply_chain_rule<T>(x, tanh(x.value), reciprocal * reciprocal);
}
template <class T>
Dual<T> asinh(const Dual<T>& x) {
  using std::asinh, std::sqrt;
  return apply_chain_rule<T>(x, asinh(x.value), 1.0 / sqrt(1.0 + x.value * x.value));
}
template <class T>
Dual<T> acosh(const Dual<T>& x) {
  using std::acosh, std::sqrt;
  return apply_chain_rule<T>(x, acosh(x.value), 1.0 / sqrt((x.value - 1.0) * (x.value + 1.0)));
}
template <class T>
Dual<T> atanh(const Dual<T>& x) {
  using std::atanh;
  return apply_chain_rule<T>(x, atanh(x.value), 1.0 / ((1.0 - x.value) * (1.0 + x.value)));
}
template <class T>
Dual<T> exp(const Dual<T>& x) {
  using std::exp;
  const T value = exp(x.value);
  return apply_chain_rule<T>(x, value, value);
}
template <class T>
Dual<T> expm1(const Dual<T>& x) {
  using std::exp, std::expm1;
  return apply_chain_rule<T>(x, expm1(x.value), exp(x.value));
}
template <class T>
Dual<T> log(const Dual<T>& x) {
  using std::log;
  return apply_chain_rule<T>(x, log(x.value), 1.0 / x.value);
}
template <class T>
Dual<T> log1p(const Dual<T>& x) {
  using std::log1p;
  return apply_chain_rule<T>(x, log1p(x.value), 1.0 / (1.0 + x.value));
}
template <class T>
Dual<T> log2(const Dual<T>& x) {
  using std::log2;
  return apply_chain_rule<T>(x, log2(x.value), std::numbers::log2e / x.value);
}
template <class T>
Dual<T> log10(const Dual<T>& x) {
  using std::log10;
  return apply_chain_rule<T>(x, log10(x.value), std::numbers::log10e / x.value);
}
template <class T>
Dual<T> sqrt(const Dual<T>& x) {
  using std::sqrt;
  const T value = sqrt(x.value);
  return apply_chain_rule<T>(x, value, 0.5 / value);
}
template <class T>
Dual<T> cbrt(const Dual<T>& x) {
  using std::cbrt;
  const T value = cbrt(x.value);
  return apply_chain_rule<T>(x, value, 1.0 / (3.0 * value * value));
}
template <class T>
Dual<T> erf(const Dual<T>& x) {
  using std::erf, std::exp;
  return apply_chain_rule<T>(x, erf(x.value), 2.0 * std::numbers::inv_sqrtpi * exp(-x.value * x.value));
}
template <class T>
Dual<T> erfc(const Dual<T>& x) {
  using std::erfc, std::exp;
  return apply_chain_rule<T>(x, erfc(x.value), -2.0 * std::numbers::inv_sqrtpi * exp(-x.value * x.value));
}

// ---- powers -----------------------------------------------------------------------------------------

// A constant exponent never takes the logarithm of the base, so the base may be negative.
template <class T, Arithmetic Number>
Dual<T> pow(const Dual<T>& base, Number exponent) {
  using std::pow;
  const auto power = static_cast<double>(exponent);
  if (power == 0) return Dual<T>(1.0);
  return apply_chain_rule<T>(base, pow(base.value, power), power * pow(base.value, power - 1.0));
}
template <class T, Arithmetic Number>
Dual<T> pow(Number base, const Dual<T>& exponent) {
  using std::log, std::pow;
  const auto constant = static_cast<double>(base);
  const T value = pow(constant, exponent.value);
  return apply_chain_rule<T>(exponent, value, constant == 0 && value == 0 ? T(0.0) : log(constant) * value);
}
template <class T>
Dual<T> pow(const Dual<T>& base, const Dual<T>& exponent) {
  using std::log, std::pow;
  const T value = pow(base.value, exponent.value);
  const T slope = exponent.value == 0 ? T(0.0) : exponent.value * pow(base.value, exponent.value - 1.0);
  // Along a constant exponent the second slope is not used, whatever the logarithm gives.
  const T exponent_slope = base.value == 0 && value == 0 ? T(0.0) : log(base.value) * value;
  return {value, chain_product(slope, base.derivative) + chain_product(exponent_slope, exponent.derivative)};
}

// ---- several arguments ------------------------------------------------------------------------------

template <class T>
Dual<T> atan2(const Dual<T>& y, const Dual<T>& x) {
  using std::atan2;
  const T square = x.value * x.value + y.value * y.value;
  return {atan2(y.value, x.value),
          chain_product(x.value / square, y.derivative) - chain_product(y.value / square, x.derivative)};
}
template <class T, Arithmetic Number>
Dual<T> atan2(const Dual<T>& y, Number x) {
  return atan2(y, Dual<T>(x));
}
template <class T, Arithmetic Number>
Dual<T> atan2(Number y, const Dual<T>& x) {
  return atan2(Dual<T>(y), x);
}

// At the origin, a cone's tip, the derivative is 0, as for abs.
template <class T>
Dual<T> hypot(const Dual<T>& x, const Dual<T>& y) {
  if (value_of(x) == 0 && value_of(y) == 0) return Dual<T>(0.0);
  using std::hypot;
  const T value = hypot(x.value, y.value);
  return {value, (x.value / value) * x.derivative + (y.value / value) * y.derivative};
}
template <class T, Arithmetic Number>
Dual<T> hypot(const Dual<T>& x, Number y) {
  return hypot(x, Dual<T>(y));
}
template <class T, Arithmetic Number>
Dual<T> hypot(Number x, const Dual<T>& y) {
  return hypot(Dual<T>(x), y);
}

template <class T>
constexpr Dual<T> min(const Dual<T>& a, const Dual<T>& b) {
  if (a == b) return 0.5 * (a + b);
  return b < a ? b : a;
}
template <class T, Arithmetic Number>
constexpr Dual<T> min(const Dual<T>& a, Number b) {
  return min(a, Dual<T>(b));
}
template <class T, Arithmetic Number>
constexpr Dual<T> min(Number a, const Dual<T>& b) {
  return min(Dual<T>(a), b);
}
template <class T>
constexpr Dual<T> max(const Dual<T>& a, const Dual<T>& b) {
  if (a == b) return 0.5 * (a + b);
  return a < b ? b : a;
}
template <class T, Arithmetic Number>
constexpr Dual<T> max(const Dual<T>& a, Number b) {
  return max(a, Dual<T>(b));
}
template <class T, Arithmetic Number>
constexpr Dual<T> max(Number a, const Dual<T>& b) {
  return max(Dual<T>(a), b);
}

// ---- kinks and steps --------------------------------------------------------------------------------

template <class T>
constexpr Dual<T> abs(const Dual<T>& x) {
  if (x.value < 0) return -x;
  if (x.value > 0) return x;
  return x == 0 ? Dual<T>(0.0) : x;  // not a number stays what it is
}
template <class T>
constexpr Dual<T> fabs(const Dual<T>& x) {
  return abs(x);
}
template <class T>
Dual<T> floor(const Dual<T>& x) {
  return Dual<T>(std::floor(value_of(x)));
}
template <class T>
Dual<T> ceil(const Dual<T>& x) {
  return Dual<T>(std::ceil(value_of(x)));
}
template <class T>
Dual<T> round(const Dual<T>& x) {
  return Dual<T>(std::round(value_of(x)));
}
template <class T>
Dual<T> trunc(const Dual<T>& x) {
  return Dual<T>(std::trunc(value_of(x)));
}
template <class T, Arithmetic Number>
Dual<T> fmod(const Dual<T>& x, Number period) {
  using std::fmod;
  return {fmod(x.value, static_cast<double>(period)), x.derivative};
}

template <class T>
bool isfinite(const Dual<T>& x) {
  return std::isfinite(value_of(x));
}
template <class T>
bool isnan(const Dual<T>& x) {
  return std::isnan(value_of(x));
}
template <class T>
bool isinf(const Dual<T>& x) {
  return std::isinf(value_of(x));
}
template <class T>
bool signbit(const Dual<T>& x) {
  return std::signbit(value_of(x));
}

}  // namespace slideway

// Eigen vectors and matrices of Duals, alone and mixed with double.
namespace Eigen {

template <class T>
struct NumTraits<slideway::Dual<T>> : NumTraits<double> {
  using Real = slideway::Dual<T>;
  using NonInteger = slideway::Dual<T>;
  using Nested = slideway::Dual<T>;
  using Literal = double;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 2 * static_cast<int>(NumTraits<T>::ReadCost),
    AddCost = 2 * static_cast<int>(NumTraits<T>::AddCost),
    MulCost = 3 * static_cast<int>(NumTraits<T>::MulCost) + static_cast<int>(NumTraits<T>::AddCost)
  };
};

template <class T, class Operation>
struct ScalarBinaryOpTraits<slideway::Dual<T>, double, Operation> {
  using ReturnType = slideway::Dual<T>;
};
template <class T, class Operation>
struct ScalarBinaryOpTraits<double, slideway::Dual<T>, Operation> {
  using ReturnType = slideway::Dual<T>;
};

}  // namespace Eigen
