// The functions of expressions, and what other languages call them.
//
// It must not know what expressions or model files are made of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "expression/expression_graph.hpp"

namespace slideway::reader {

// The meaning of a call: an operation of one operand or of two, or a rule of its own.
enum class Function : std::uint8_t {
  smooth,
  smooth_of_two,
  sgn,
  step,
  if_,
  abs,
  min,
  max,
  sum,
  floor,
  ceil,
  round,
  mod,
  square,
  triangle,
  sawtooth,
  pulse,
  hypot,
  saturation,
  dead_zone,
  hysteresis
};

struct FunctionEntry {
  const char* name;
  Function function;
  std::uint32_t arguments;
  Operation operation = Operation::constant;  // of the smooth ones
};
const std::vector<FunctionEntry>& functions();
std::vector<std::string> function_names();

// no_past is the hint where an equation asks for the value of a state at another time.
inline constexpr const char* no_past = "the past of a state is not kept: events act later by `delay`";

// The hint for an unknown function: the name or the expression it has here, or a name that is near.
std::string function_hint(std::string name);

}  // namespace slideway::reader
