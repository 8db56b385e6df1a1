// The functions of expressions, and what other languages call them.
//
// It must not know expressions or model files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace slideway::reader {

enum class Function : std::uint32_t {
  sin,
  cos,
  tan,
  asin,
  acos,
  atan,
  atan2,
  sinh,
  cosh,
  tanh,
  exp,
  log,
  sqrt,
  pow,
  sgn,
  step,
  if_,
  abs,
  min,
  max,
  sum,
};
struct FunctionEntry {
  const char* name;
  Function function;
  std::uint32_t arguments;
};
const std::vector<FunctionEntry>& functions();
std::vector<std::string> function_names();

// What to write for a function that is unknown: the name or the expression it has here, or one that is near.
std::string function_hint(std::string name);

}  // namespace slideway::reader
