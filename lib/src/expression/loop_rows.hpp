// Some rows of loops as loops of their own, so that a few are evaluated at their own cost, those of one shape together.
//
// It must not know which rows are wanted, nor what for.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "expression/expression_loops.hpp"
#include "slideway/core/types.hpp"

namespace slideway::reader {

class LoopRows {
 public:
  explicit LoopRows(std::shared_ptr<const Loops> all);

  // The loops of these outputs; output k of them is number outputs[k] of all.
  std::shared_ptr<const Loops> some(const std::vector<Index>& outputs) const;

 private:
  // The loop of an output and its row there; past the last loop, the number of a fixed one.
  struct Row {
    std::uint32_t loop = 0;
    std::uint32_t row = 0;
  };
  class Selection;

  Row row_that_keeps(std::size_t number) const;

  std::shared_ptr<const Loops> all_;
  std::vector<Row> places_;             // of the outputs
  std::vector<std::uint32_t> keepers_;  // the loops whose rows are kept, in the order of what they keep
};

}  // namespace slideway::reader
