#include "expression/instructions.hpp"

#include <cmath>

namespace slideway::reader {

Instruction instruction_of(const ExpressionGraph& graph, const Node& node, Instruction made) {
  if (node.operation == Operation::select) {
    made.code = code_blend;
  } else if (node.operation == Operation::multiply && node.a == node.b) {
    made.code = code_square;
  } else if (node.operation == Operation::power && graph.is_constant(node.b)) {
    const double exponent = graph.value(node.b);
    if (exponent == 2)
      made.code = code_square;
    else if (exponent == 0.5)
      made.code = code_of(Operation::sqrt);
    else if (exponent == std::floor(exponent) && std::abs(exponent) <= 16) {
      made.code = code_integer_power;
      made.b = static_cast<std::uint32_t>(static_cast<int>(exponent));
    } else
      made.code = code_constant_power;
  }
  return made;
}

}  // namespace slideway::reader
