// The instructions of tapes and of loops, and the values of those that are no operations of the graph.
//
//     blend(a, b; λ) = b + (1 + λ)/2·(a − b), on a side of the surface a or b itself.
// It must not know how instructions are found or in which order they are done.
#pragma once

#include <cstdint>
#include <type_traits>

#include "expression/expression_graph.hpp"
#include "slideway/autodiff/dual.hpp"
#include "slideway/autodiff/rounded.hpp"

namespace slideway::reader {

struct Instruction {
  std::uint32_t code = 0;
  std::uint32_t target = 0;  // register, or the instruction to go on with
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
};

// Instructions beyond the operations of the graph.
enum Code : std::uint32_t {
  code_square = 100,       // a·a
  code_integer_power,      // a ^ (int) b
  code_constant_power,     // a ^ (register b), whose value does not vary
  code_unless_minus_side,  // go on at `target` where λ (register a) is −1
  code_unless_plus_side,   // go on at `target` where λ (register a) is +1
  code_blend,              // select: a where λ (register c) is +1, b where −1
};

constexpr std::uint32_t code_of(Operation operation) { return static_cast<std::uint32_t>(operation); }

inline bool is_still(double) { return true; }
inline bool is_still(const Rounded&) { return true; }
template <class T>
bool is_still(const Dual<T>& number) {
  return number.derivative == T(0.0) && is_still(number.value) && is_still(number.derivative);
}

// is_on_side() tells whether λ is on a side and stays there, not on the way through.
template <class Scalar>
bool is_on_side(const Scalar& lambda, double side) {
  return value_of(lambda) == side && is_still(lambda);
}

template <class Scalar>
Scalar integer_power(const Scalar& base, int exponent) {
  Scalar result(1.0);
  Scalar square = base;
  for (int rest = exponent < 0 ? -exponent : exponent; rest > 0; rest /= 2) {
    if (rest % 2 == 1) result = result * square;
    if (rest > 1) square = square * square;
  }
  return exponent < 0 ? 1.0 / result : result;
}

template <class Scalar>
Scalar chain_of(const Scalar& slope, const Scalar& derivative) {
  if constexpr (std::is_same_v<Scalar, double>)
    return derivative == 0 ? 0.0 : slope * derivative;
  else
    return value_of(derivative) == 0 && is_still(derivative) ? Scalar(0.0) : slope * derivative;
}

template <class Scalar>
Scalar blend_of(const Scalar& a, const Scalar& b, const Scalar& lambda) {
  if (is_on_side(lambda, 1)) return a;
  if (is_on_side(lambda, -1)) return b;
  return b + 0.5 * (1.0 + lambda) * (a - b);
}

// The instruction of an operation on registers; `graph` tells of the exponent of a power.
Instruction instruction_of(const ExpressionGraph& graph, const Node& node, Instruction made);

}  // namespace slideway::reader
