// Expressions made ready to be evaluated millions of times: one flat list of instructions over registers, with
// common sub-expressions computed once, no calls through pointers and no allocation.
//
// On a side of surface k (λₖ = ±1) only the branch of select(k; p, q) in force is evaluated, so that a root or a
// logarithm of the other branch cannot give NaN; between the sides both are. A dual λ counts as being on a side
// only if it does not vary.
//
// A root is found by a tape of its own, which evaluates r and s at one y after the other; what these need that does not depend on y
// is computed once. It is NaN where none is found. With dual numbers, steps y −= r/s of dual numbers from the root that was found
// give its derivatives.
//
// The many equations of vectors, which differ in indices and numbers alone, are evaluated by loops, with the same results.
// It must not know model files or systems.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "expression/expression_graph.hpp"
#include "expression/expression_loops.hpp"
#include "expression/instructions.hpp"
#include "slideway/autodiff/dual.hpp"
#include "slideway/autodiff/rounded.hpp"
#include "slideway/detail/core/scratch.hpp"

namespace slideway::reader {

// Immutable; may be evaluated from several threads at once.
class Tape {
 public:
  Tape() = default;
  // `lambda_index` says which entry of λ belongs to a surface of the graph; empty: the surface's own number.
  Tape(const ExpressionGraph& graph, const std::vector<NodeId>& outputs,
       const std::vector<std::uint32_t>& lambda_index = {});

  std::size_t outputs() const { return loops_ ? loops_->outputs() : outputs_.size(); }
  std::size_t instructions() const { return loops_ ? loops_->instructions() : instructions_.size(); }

  // The loops that it is, if it is some.
  const std::shared_ptr<const Loops>& loops() const { return loops_; }

  // inputs.time(), .impact(), .state(i) and .lambda(k) are asked for if they are used; store(k, value) takes
  // output k. Scalar: double, Rounded, Dual<double> or Dual<Dual<double>>.
  template <class Scalar, class Inputs, class Store>
  void evaluate(const Inputs& inputs, const Store& store) const {
    if (loops_) return loops_->evaluate<Scalar>(inputs, store);
    if constexpr (std::is_same_v<Scalar, double>) {
      if (registers_ <= small_) {
        std::array<double, small_> registers;  // NOLINT: every register is written before it is read
        return evaluate_in<Scalar>(registers.data(), inputs, store);
      }
    }
    ScratchFrame frame;
    evaluate_in<Scalar>(frame.take<Scalar>(static_cast<Index>(registers_)), inputs, store);
  }

  // The value of the only output.
  template <class Scalar, class Inputs>
  Scalar value(const Inputs& inputs) const {
    Scalar result(0.0);
    evaluate<Scalar>(inputs, [&](std::size_t, const Scalar& output) { result = output; });
    return result;
  }

 private:
  friend class TapeCompiler;

  template <class Scalar, class Inputs, class Store>
  void evaluate_in(Scalar* registers, const Inputs& inputs, const Store& store) const {
    Scalar* place = registers;
    if (uses_time_) *place++ = inputs.time();
    if (uses_impact_) *place++ = inputs.impact();
    for (const std::uint32_t state : states_) *place++ = inputs.state(state);
    for (const std::uint32_t lambda : lambdas_) *place++ = inputs.lambda(lambda);
    for (const double constant : constants_) *place++ = Scalar(constant);
    if (!instructions_.empty()) execute(registers);
    for (std::size_t k = 0; k < outputs_.size(); ++k) store(k, registers[outputs_[k]]);
  }

  void execute(double* registers) const;
  void execute(Dual<double>* registers) const;
  void execute(Dual<Dual<double>>* registers) const;
  void execute(Rounded* registers) const;

  struct Root;
  template <class Scalar>
  void run(Scalar* registers) const;
  template <class Scalar>
  static Scalar find_root(const Root& root, const Scalar* registers);

  static constexpr std::size_t small_ = 256;

  // The inputs that are used, in the order of their registers; the constants come after them.
  bool uses_time_ = false;
  bool uses_impact_ = false;
  std::vector<std::uint32_t> states_;
  std::vector<std::uint32_t> lambdas_;
  std::vector<double> constants_;
  std::size_t registers_ = 0;
  std::vector<Instruction> instructions_;
  std::vector<std::uint32_t> outputs_;  // the register of each output
  std::vector<std::shared_ptr<const Root>> roots_;
  std::shared_ptr<const Loops> loops_;  // in place of all of these
};

// r and s as a tape whose first registers are values of another tape, and then y.
struct Tape::Root {
  Tape equation = {};
  std::vector<std::uint32_t> taken = {};  // registers of the other tape
  std::uint32_t start = 0;                // another one
  Search search = Search::only;
};

}  // namespace slideway::reader
