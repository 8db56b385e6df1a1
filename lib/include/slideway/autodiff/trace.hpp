// A number that remembers what it was made of: which states, which relays, whether the time, and whether by more than
// sums and constant factors. Running a functor once on traces tells the sparsity of its derivatives and which of its
// results are affine.
//
//     degree 0: a constant,  1: affine in what it depends on,  2: anything else
//     additive: relays enter by sums and constant factors only
//
// What a comparison decides may differ elsewhere: `TraceRun` tells whether there was one, and then a trace shows one
// branch only. Taking the plain number out (value_of), to look something up in a table, say, ends a run: the number is
// arbitrary and the table may not go there.
// It must not know systems, fields or guards.
#pragma once

#include <algorithm>
#include <cmath>
#include <compare>
#include <concepts>
#include <iterator>
#include <type_traits>
#include <vector>

#include "slideway/core/types.hpp"

namespace slideway {

// Notes comparisons of traces in this thread while it lives.
class TraceRun {
 public:
  TraceRun() : outer_(flag()) { flag() = false; }
  ~TraceRun() { flag() = outer_; }
  TraceRun(const TraceRun&) = delete;
  TraceRun& operator=(const TraceRun&) = delete;

  bool compared() const { return flag(); }
  static void note_comparison() { flag() = true; }

 private:
  static bool& flag() {
    thread_local bool compared = false;
    return compared;
  }
  bool outer_;
};

class Trace {
 public:
  Trace() = default;
  template <class Number>
  requires std::is_arithmetic_v<Number> Trace(Number constant)
      : value_(static_cast<double>(constant)) {}  // NOLINT: a constant is a trace

  static Trace state(Index index, double value) {
    Trace trace(value);
    trace.states_ = {index};
    trace.degree_ = 1;
    return trace;
  }
  static Trace relay(Index index, double value) {
    Trace trace(value);
    trace.relays_ = {index};
    trace.degree_ = 1;
    return trace;
  }
  static Trace time(double value) {
    Trace trace(value);
    trace.degree_ = 1;
    return trace;
  }

  double value() const { return value_; }
  const std::vector<Index>& states() const { return states_; }
  const std::vector<Index>& relays() const { return relays_; }
  int degree() const { return degree_; }
  bool additive() const { return additive_; }

  // A result of something else than sums and constant factors.
  static Trace nonlinear(double value, const Trace& a, const Trace& b) {
    Trace result = merged(value, a, b);
    result.note_nonlinear();
    return result;
  }
  static Trace nonlinear(double value, const Trace& a) {
    Trace result = a;
    result.value_ = value;
    result.note_nonlinear();
    return result;
  }

  friend Trace operator+(const Trace& a) { return a; }
  friend Trace operator-(const Trace& a) {
    Trace result = a;
    result.value_ = -a.value_;
    return result;
  }
  friend Trace operator+(const Trace& a, const Trace& b) { return merged(a.value_ + b.value_, a, b); }
  friend Trace operator-(const Trace& a, const Trace& b) { return merged(a.value_ - b.value_, a, b); }
  friend Trace operator*(const Trace& a, const Trace& b) {
    const double value = a.value_ * b.value_;
    return a.degree_ > 0 && b.degree_ > 0 ? nonlinear(value, a, b) : merged(value, a, b);
  }
  friend Trace operator/(const Trace& a, const Trace& b) {
    const double value = a.value_ / b.value_;
    return b.degree_ > 0 ? nonlinear(value, a, b) : merged(value, a, b);
  }
  // In place, so that a long sum takes no more time than its terms.
  Trace& operator+=(const Trace& b) {
    value_ += b.value_;
    unite_into(states_, b.states_);
    unite_into(relays_, b.relays_);
    degree_ = std::max(degree_, b.degree_);
    additive_ = additive_ && b.additive_;
    return *this;
  }
  Trace& operator-=(const Trace& b) { return *this = *this - b; }
  Trace& operator*=(const Trace& b) { return *this = *this * b; }
  Trace& operator/=(const Trace& b) { return *this = *this / b; }

  friend bool operator==(const Trace& a, const Trace& b) {
    note(a, b);
    return a.value_ == b.value_;
  }
  friend std::partial_ordering operator<=>(const Trace& a, const Trace& b) {
    note(a, b);
    return a.value_ <=> b.value_;
  }

 private:
  static void note(const Trace& a, const Trace& b) {
    if (a.degree_ > 0 || b.degree_ > 0) TraceRun::note_comparison();
  }
  static std::vector<Index> united(const std::vector<Index>& a, const std::vector<Index>& b) {
    if (a.empty()) return b;
    if (b.empty()) return a;
    std::vector<Index> result;
    result.reserve(a.size() + b.size());
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(result));
    return result;
  }
  static void unite_into(std::vector<Index>& a, const std::vector<Index>& b) {
    if (b.empty() || &a == &b) return;
    if (a.empty() || a.back() < b.front()) {
      a.insert(a.end(), b.begin(), b.end());
    } else {
      a = united(a, b);
    }
  }
  static Trace merged(double value, const Trace& a, const Trace& b) {
    Trace result(value);
    result.states_ = united(a.states_, b.states_);
    result.relays_ = united(a.relays_, b.relays_);
    result.degree_ = std::max(a.degree_, b.degree_);
    result.additive_ = a.additive_ && b.additive_;
    return result;
  }
  void note_nonlinear() {
    if (degree_ > 0) degree_ = 2;
    if (!relays_.empty()) additive_ = false;
  }

  double value_ = 0;
  std::vector<Index> states_;
  std::vector<Index> relays_;
  int degree_ = 0;
  bool additive_ = true;
};

#define SLIDEWAY_TRACE_FUNCTION(name) \
  inline Trace name(const Trace& x) { return Trace::nonlinear(std::name(x.value()), x); }
SLIDEWAY_TRACE_FUNCTION(sin)
SLIDEWAY_TRACE_FUNCTION(cos)
SLIDEWAY_TRACE_FUNCTION(tan)
SLIDEWAY_TRACE_FUNCTION(asin)
SLIDEWAY_TRACE_FUNCTION(acos)
SLIDEWAY_TRACE_FUNCTION(atan)
SLIDEWAY_TRACE_FUNCTION(sinh)
SLIDEWAY_TRACE_FUNCTION(cosh)
SLIDEWAY_TRACE_FUNCTION(tanh)
SLIDEWAY_TRACE_FUNCTION(asinh)
SLIDEWAY_TRACE_FUNCTION(acosh)
SLIDEWAY_TRACE_FUNCTION(atanh)
SLIDEWAY_TRACE_FUNCTION(exp)
SLIDEWAY_TRACE_FUNCTION(expm1)
SLIDEWAY_TRACE_FUNCTION(log)
SLIDEWAY_TRACE_FUNCTION(log1p)
SLIDEWAY_TRACE_FUNCTION(log2)
SLIDEWAY_TRACE_FUNCTION(log10)
SLIDEWAY_TRACE_FUNCTION(sqrt)
SLIDEWAY_TRACE_FUNCTION(cbrt)
SLIDEWAY_TRACE_FUNCTION(erf)
SLIDEWAY_TRACE_FUNCTION(erfc)
SLIDEWAY_TRACE_FUNCTION(abs)
SLIDEWAY_TRACE_FUNCTION(fabs)
SLIDEWAY_TRACE_FUNCTION(floor)
SLIDEWAY_TRACE_FUNCTION(ceil)
SLIDEWAY_TRACE_FUNCTION(round)
SLIDEWAY_TRACE_FUNCTION(trunc)
#undef SLIDEWAY_TRACE_FUNCTION

template <class A, class B>
concept TraceArguments = (std::same_as<A, Trace> && (std::same_as<B, Trace> || std::is_arithmetic_v<B>)) ||
                         (std::is_arithmetic_v<A> && std::same_as<B, Trace>);

#define SLIDEWAY_TRACE_FUNCTION(name, expression)                             \
  template <class A, class B>                                                 \
  requires TraceArguments<A, B> Trace name(const A& first, const B& second) { \
    const Trace a(first);                                                     \
    const Trace b(second);                                                    \
    const double x = a.value();                                               \
    const double y = b.value();                                               \
    return Trace::nonlinear(expression, a, b);                                \
  }
SLIDEWAY_TRACE_FUNCTION(pow, std::pow(x, y))
SLIDEWAY_TRACE_FUNCTION(atan2, std::atan2(x, y))
SLIDEWAY_TRACE_FUNCTION(hypot, std::hypot(x, y))
SLIDEWAY_TRACE_FUNCTION(fmod, std::fmod(x, y))
SLIDEWAY_TRACE_FUNCTION(min, std::min(x, y))
SLIDEWAY_TRACE_FUNCTION(max, std::max(x, y))
#undef SLIDEWAY_TRACE_FUNCTION

// Thrown to end a run that can show nothing.
struct TraceStopped {};

inline double value_of(const Trace& x) {
  if (x.degree() > 0) throw TraceStopped{};
  return x.value();
}

// The value for a test, which is a comparison.
inline double tested_value(const Trace& x) {
  if (x.degree() > 0) TraceRun::note_comparison();
  return x.value();
}
inline bool isfinite(const Trace& x) { return std::isfinite(tested_value(x)); }
inline bool isnan(const Trace& x) { return std::isnan(tested_value(x)); }
inline bool isinf(const Trace& x) { return std::isinf(tested_value(x)); }
inline bool signbit(const Trace& x) { return std::signbit(tested_value(x)); }

}  // namespace slideway

namespace Eigen {

template <>
struct NumTraits<slideway::Trace> : NumTraits<double> {
  using Real = slideway::Trace;
  using NonInteger = slideway::Trace;
  using Nested = slideway::Trace;
  using Literal = double;
  enum {
    IsComplex = 0,
    IsInteger = 0,
    IsSigned = 1,
    RequireInitialization = 1,
    ReadCost = 20,
    AddCost = 100,
    MulCost = 100
  };
};

template <class Operation>
struct ScalarBinaryOpTraits<slideway::Trace, double, Operation> {
  using ReturnType = slideway::Trace;
};
template <class Operation>
struct ScalarBinaryOpTraits<double, slideway::Trace, Operation> {
  using ReturnType = slideway::Trace;
};

}  // namespace Eigen
