// The equations of vectors as loops: rows that are made of the same instructions, and differ in the numbers of their states and
// relays and in constants alone, are evaluated some at a time, an instruction for all of them after the other.
//
// A row is an output, or a node that several rows share, or a part of a long one; its value is then kept for the others, as those of
// the pairwise sum over a vector are. An operand of a row is a strided range of states, relays, constants or kept values, or a table of
// their numbers, so that memory does not grow with the rows of regular models. Every row does what a tape does, in the same order on
// the same operands, with the same result to the last bit; of a select(k; p, q) both p and q are computed.
// It must not know model files or systems.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "expression/expression_graph.hpp"
#include "expression/instructions.hpp"
#include "slideway/detail/core/scratch.hpp"

namespace slideway::reader {

// Immutable; may be evaluated from several threads at once.
class Loops {
 public:
  std::size_t outputs() const { return outputs_; }
  std::size_t instructions() const;
  std::size_t count() const { return loops_.size(); }

  // The same as Tape::evaluate(); the outputs come in any order.
  template <class Scalar, class Inputs, class Store>
  void evaluate(const Inputs& inputs, const Store& store) const {
    const std::size_t size = kept_ + registers_ * width_;
    if constexpr (std::is_same_v<Scalar, double>) {
      if (size <= kSmall) {
        std::array<double, kSmall> memory;  // NOLINT: every number is written before it is read
        return evaluate_in<Scalar>(memory.data(), inputs, store);
      }
    }
    ScratchFrame frame;
    evaluate_in<Scalar>(frame.take<Scalar>(static_cast<Index>(size)), inputs, store);
  }

 private:
  friend class LoopFinder;
  friend class LoopRows;

  // Rows that are evaluated at a time. Other values were not measured.
  static constexpr std::size_t kLanes = 64;

  enum class Kind : std::uint8_t { state, lambda, constant, kept, time, impact };
  struct Input {
    Kind kind = Kind::constant;
    std::uint32_t target = 0;  // register
  };
  struct Program {
    std::vector<Input> inputs;
    std::vector<Instruction> instructions;
    std::uint32_t registers = 0;
    std::uint32_t result = 0;  // register
  };
  // Numbers first, first + stride, … of what a row takes or is, or those of a table. A constant is the number itself, or in a table of
  // constants.
  struct Range {
    std::size_t first = 0;
    std::size_t stride = 0;  // modulo 2⁶⁴, so that ranges may descend
    double value = 0;
    bool is_table = false;
  };
  struct Loop {
    std::uint32_t program = 0;
    bool is_kept = false;
    std::size_t rows = 0;
    std::size_t first_range = 0;  // of its inputs, and then of its results
  };
  struct Fixed {
    std::uint32_t output = 0;
    double value = 0;
  };

  // Numbers that are on the stack, since clearing memory would cost more than small loops. Other values were not measured.
  static constexpr std::size_t kSmall = 2048;

  template <class Scalar, class Inputs, class Store>
  void evaluate_in(Scalar* kept, const Inputs& inputs, const Store& store) const {
    Scalar* const registers = kept + kept_;
    for (const Fixed& one : fixed_) store(one.output, Scalar(one.value));
    for (const Loop& loop : loops_) {
      const Program& program = (*programs_)[loop.program];
      const Range* const ranges = ranges_.data() + loop.first_range;
      for (std::size_t start = 0; start < loop.rows; start += width_) {
        const std::size_t lanes = std::min(width_, loop.rows - start);
        for (std::size_t k = 0; k < program.inputs.size(); ++k) {
          const Input& input = program.inputs[k];
          // Inputs that are the same for all rows are in their registers already.
          const bool is_same = input.kind == Kind::time || input.kind == Kind::impact ||
                               (input.kind == Kind::constant && !ranges[k].is_table);
          if (start > 0 && is_same) continue;
          load(input, ranges[k], start, lanes, inputs, kept, registers + input.target * width_);
        }
        run(program, registers, lanes);
        const Scalar* const result = registers + program.result * width_;
        const Range& to = ranges[program.inputs.size()];
        if (loop.is_kept) {
          std::copy(result, result + lanes, kept + to.first + start);
        } else if (to.is_table) {
          for (std::size_t i = 0; i < lanes; ++i) store(numbers_[to.first + start + i], result[i]);
        } else if (to.stride == 1) {
          for (std::size_t i = 0; i < lanes; ++i) store(to.first + start + i, result[i]);
        } else {
          for (std::size_t i = 0; i < lanes; ++i) store(to.first + to.stride * (start + i), result[i]);
        }
      }
    }
  }

  template <class Scalar, class Inputs>
  void load(const Input& input, const Range& range, std::size_t start, std::size_t lanes,
            const Inputs& inputs, const Scalar* kept, Scalar* target) const {
    const auto each = [&](const auto& value_of_number) {
      if (range.is_table) {
        const std::uint32_t* const numbers = numbers_.data() + range.first + start;
        for (std::size_t i = 0; i < lanes; ++i) target[i] = value_of_number(numbers[i]);
      } else if (range.stride == 1) {
        const std::size_t first = range.first + start;
        for (std::size_t i = 0; i < lanes; ++i) target[i] = value_of_number(first + i);
      } else {
        for (std::size_t i = 0; i < lanes; ++i)
          target[i] = value_of_number(range.first + range.stride * (start + i));
      }
    };
    const auto fill = [&](const auto& value) { std::fill_n(target, lanes, Scalar(value)); };
    switch (input.kind) {
      case Kind::state:
        return each([&](std::size_t k) { return inputs.state(static_cast<std::uint32_t>(k)); });
      case Kind::lambda:
        return each([&](std::size_t k) { return inputs.lambda(static_cast<std::uint32_t>(k)); });
      case Kind::kept: return each([&](std::size_t k) { return kept[k]; });
      case Kind::time: return fill(inputs.time());
      case Kind::impact: return fill(inputs.impact());
      case Kind::constant:
        if (!range.is_table) return fill(range.value);
        for (std::size_t i = 0; i < lanes; ++i) target[i] = Scalar(constants_[range.first + start + i]);
    }
  }

  void run(const Program& program, double* registers, std::size_t lanes) const;
  void run(const Program& program, Dual<double>* registers, std::size_t lanes) const;
  void run(const Program& program, Dual<Dual<double>>* registers, std::size_t lanes) const;
  void run(const Program& program, Rounded* registers, std::size_t lanes) const;

  std::size_t outputs_ = 0;
  std::size_t kept_ = 0;
  std::size_t registers_ = 0;  // of the largest program
  std::size_t width_ = 1;      // the rows of the longest loop, and at most kLanes
  std::shared_ptr<const std::vector<Program>> programs_;
  std::vector<Loop> loops_;
  std::vector<Range> ranges_;
  std::vector<Fixed> fixed_;
  std::vector<std::uint32_t> numbers_;
  std::vector<double> constants_;
};

// The loops of these outputs, as those of a Tape; none where they are few, or too unlike each other.
std::shared_ptr<const Loops> find_loops(const ExpressionGraph& graph, const std::vector<NodeId>& outputs,
                                        const std::vector<std::uint32_t>& lambda_index);

}  // namespace slideway::reader
