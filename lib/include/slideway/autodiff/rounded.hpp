// Numbers that know their rounding: a value and a bound of the error of its evaluation, carried through ordinary arithmetic,
//
//     |computed − exact| ≤ ε·error,      error(a ∘ b) = |∂₁∘|·error(a) + |∂₂∘|·error(b) + |a ∘ b|/2.
//
// This is running error analysis (Wilkinson; Higham, Accuracy and Stability of Numerical Algorithms, 3.3), to first order. Inputs are
// exact. A result of arithmetic is within ε/2 of its size, and the result of an elementary function within ε of its size.
// Where a function has a kink or a step, the branch of the value counts alone. Comparisons look at the value only.
// It must not know systems, fields or guards.
#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <concepts>
#include <limits>
#include <type_traits>

#include "slideway/autodiff/dual.hpp"

namespace slideway {

struct Rounded {
  double value = 0;
  double error = 0;  // in units of ε, dimension of the value

  constexpr Rounded() = default;
  template <Arithmetic Number>
  constexpr Rounded(Number exact) : value(static_cast<double>(exact)) {}  // NOLINT: an input is exact
  constexpr Rounded(double result, double from_operands) : value(result), error(from_operands) {}

  // The rounding of the result of arithmetic is half a unit in its last place.
  static Rounded computed(double result, double from_operands) {
    return {result, from_operands + 0.5 * std::abs(result)};
  }

  friend constexpr Rounded operator+(const Rounded& a) { return a; }
  friend constexpr Rounded operator-(const Rounded& a) { return {-a.value, a.error}; }
  friend Rounded operator+(const Rounded& a, const Rounded& b) {
    return computed(a.value + b.value, a.error + b.error);
  }
  friend Rounded operator-(const Rounded& a, const Rounded& b) {
    return computed(a.value - b.value, a.error + b.error);
  }
  friend Rounded operator*(const Rounded& a, const Rounded& b) {
    return computed(a.value * b.value, std::abs(a.value) * b.error + std::abs(b.value) * a.error);
  }
  friend Rounded operator/(const Rounded& a, const Rounded& b) {
    const double quotient = a.value / b.value;
    return computed(quotient, (a.error + std::abs(quotient) * b.error) / std::abs(b.value));
  }
  Rounded& operator+=(const Rounded& b) { return *this = *this + b; }
  Rounded& operator-=(const Rounded& b) { return *this = *this - b; }
  Rounded& operator*=(const Rounded& b) { return *this = *this * b; }
  Rounded& operator/=(const Rounded& b) { return *this = *this / b; }

  friend constexpr bool operator==(const Rounded& a, const Rounded& b) { return a.value == b.value; }
  friend constexpr auto operator<=>(const Rounded& a, const Rounded& b) { return a.value <=> b.value; }
};

constexpr double value_of(const Rounded& number) { return number.value; }

// A function of slope s: error(f) = |s|·error + |f|. Where s is large, the function is taken to change by no more than a root does.
inline Rounded rounded_result(const Dual<double>& result, double error) {
  constexpr double epsilon = std::numeric_limits<double>::epsilon();
  const double by_slope = error == 0 ? 0.0 : std::abs(result.derivative) * error;
  const double by_root = std::sqrt(error / epsilon);
  const double moved = std::isfinite(by_slope) ? by_slope : by_root;
  return {result.value, moved + std::abs(result.value)};
}

#define SLIDEWAY_ROUNDED_FUNCTION(name) \
  inline Rounded name(const Rounded& x) { return rounded_result(name(Dual<double>(x.value, 1.0)), x.error); }
SLIDEWAY_ROUNDED_FUNCTION(sin)
SLIDEWAY_ROUNDED_FUNCTION(cos)
SLIDEWAY_ROUNDED_FUNCTION(tan)
SLIDEWAY_ROUNDED_FUNCTION(asin)
SLIDEWAY_ROUNDED_FUNCTION(acos)
SLIDEWAY_ROUNDED_FUNCTION(atan)
SLIDEWAY_ROUNDED_FUNCTION(sinh)
SLIDEWAY_ROUNDED_FUNCTION(cosh)
SLIDEWAY_ROUNDED_FUNCTION(tanh)
SLIDEWAY_ROUNDED_FUNCTION(asinh)
SLIDEWAY_ROUNDED_FUNCTION(acosh)
SLIDEWAY_ROUNDED_FUNCTION(atanh)
SLIDEWAY_ROUNDED_FUNCTION(exp)
SLIDEWAY_ROUNDED_FUNCTION(expm1)
SLIDEWAY_ROUNDED_FUNCTION(log)
SLIDEWAY_ROUNDED_FUNCTION(log1p)
SLIDEWAY_ROUNDED_FUNCTION(log2)
SLIDEWAY_ROUNDED_FUNCTION(log10)
SLIDEWAY_ROUNDED_FUNCTION(sqrt)
SLIDEWAY_ROUNDED_FUNCTION(cbrt)
SLIDEWAY_ROUNDED_FUNCTION(erf)
SLIDEWAY_ROUNDED_FUNCTION(erfc)
#undef SLIDEWAY_ROUNDED_FUNCTION

// These results are exact.
inline Rounded abs(const Rounded& x) { return {std::abs(x.value), x.error}; }
inline Rounded fabs(const Rounded& x) { return abs(x); }
inline Rounded floor(const Rounded& x) { return Rounded(std::floor(x.value)); }
inline Rounded ceil(const Rounded& x) { return Rounded(std::ceil(x.value)); }
inline Rounded round(const Rounded& x) { return Rounded(std::round(x.value)); }
inline Rounded trunc(const Rounded& x) { return Rounded(std::trunc(x.value)); }

template <class A, class B>
concept RoundedArguments = (std::same_as<A, Rounded> &&
                            (std::same_as<B, Rounded> || std::is_arithmetic_v<B>)) ||
                           (std::is_arithmetic_v<A> && std::same_as<B, Rounded>);

// Of two arguments: the slopes by one after the other.
#define SLIDEWAY_ROUNDED_FUNCTION(name)                                                           \
  template <class A, class B>                                                                     \
  requires RoundedArguments<A, B> Rounded name(const A& first, const B& second) {                 \
    const Rounded a(first);                                                                       \
    const Rounded b(second);                                                                      \
    const Rounded by_first = rounded_result(name(Dual<double>(a.value, 1.0), b.value), a.error);  \
    if (b.error == 0) return by_first;                                                            \
    const Rounded by_second = rounded_result(name(a.value, Dual<double>(b.value, 1.0)), b.error); \
    return {by_first.value, by_first.error + by_second.error};                                    \
  }
SLIDEWAY_ROUNDED_FUNCTION(pow)
SLIDEWAY_ROUNDED_FUNCTION(atan2)
SLIDEWAY_ROUNDED_FUNCTION(hypot)
#undef SLIDEWAY_ROUNDED_FUNCTION

template <Arithmetic Number>
Rounded fmod(const Rounded& x, Number period) {
  return {std::fmod(x.value, static_cast<double>(period)), x.error};
}
template <class A, class B>
requires RoundedArguments<A, B> Rounded min(const A& first, const B& second) {
  const Rounded a(first), b(second);
  return b.value < a.value ? b : a;
}
template <class A, class B>
requires RoundedArguments<A, B> Rounded max(const A& first, const B& second) {
  const Rounded a(first), b(second);
  return a.value < b.value ? b : a;
}

inline bool isfinite(const Rounded& x) { return std::isfinite(x.value); }
inline bool isnan(const Rounded& x) { return std::isnan(x.value); }
inline bool isinf(const Rounded& x) { return std::isinf(x.value); }
inline bool signbit(const Rounded& x) { return std::signbit(x.value); }

}  // namespace slideway

// Eigen vectors of these numbers, alone and mixed with double.
namespace Eigen {

template <>
struct NumTraits<slideway::Rounded> : NumTraits<double> {
  using Real = slideway::Rounded;
  using NonInteger = slideway::Rounded;
  using Nested = slideway::Rounded;
  using Literal = double;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 2,
    AddCost = 4,
    MulCost = 6
  };
};

template <class Operation>
struct ScalarBinaryOpTraits<slideway::Rounded, double, Operation> {
  using ReturnType = slideway::Rounded;
};
template <class Operation>
struct ScalarBinaryOpTraits<double, slideway::Rounded, Operation> {
  using ReturnType = slideway::Rounded;
};

}  // namespace Eigen
