// The functions of expressions, and what other languages call them.
//
// It must not know what expressions or model files are made of.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "expression/expression_graph.hpp"

namespace slideway::reader {

// What becomes of a call: an operation of one operand or of two, or something of its own.
enum class Function : std::uint8_t { smooth, smooth_of_two, sgn, step, if_, abs, min, max, sum };

struct FunctionEntry {
  const char* name;
  Function function;
  std::uint32_t arguments;
  Operation operation = Operation::constant;  // of the smooth ones
};
const std::vector<FunctionEntry>& functions();
std::vector<std::string> function_names();

// What to write for a function that is unknown: the name or the expression it has here, or one that is near.
std::string function_hint(std::string name);

}  // namespace slideway::reader
