#include "expression/expression_tape.hpp"

#include <doctest/doctest.h>

#include <cfenv>
#include <cmath>
#include <thread>

#include "test/io/tape_values.hpp"

using namespace slideway;
using namespace slideway::reader;

using Values = slideway::test::TapeValues;

namespace {

std::vector<double> evaluate(const Tape& tape, const Values& values) {
  std::vector<double> result(tape.outputs());
  tape.evaluate<double>(values, [&](std::size_t k, double value) { result[k] = value; });
  return result;
}

// Whether an evaluation took the square root of something negative.
bool goes_wrong(const Tape& tape, const Values& values) {
  std::feclearexcept(FE_ALL_EXCEPT);
  evaluate(tape, values);
  return std::fetestexcept(FE_INVALID) != 0;
}

NodeId root_of(ExpressionGraph& graph, NodeId node) { return graph.unary(Operation::sqrt, node); }

}  // namespace

TEST_CASE("common parts are computed once") {
  ExpressionGraph graph;
  const NodeId part = graph.unary(Operation::sin, graph.add(graph.state(0), graph.time()));
  const NodeId first = graph.multiply(part, part);
  const NodeId second = graph.add(part, graph.constant(1));
  const Tape tape(graph, {first, second, part});
  CHECK(tape.instructions() == 4);
  const auto values = evaluate(tape, {0.5, {0.25}, {}});
  CHECK(values[2] == std::sin(0.75));
  CHECK(values[0] == values[2] * values[2]);
  CHECK(values[1] == values[2] + 1);
}

TEST_CASE("on a side of a surface only the branch in force is evaluated") {
  ExpressionGraph graph;
  const NodeId x = graph.state(0);
  // sqrt(x) above, sqrt(-x) below.
  const Tape tape(graph, {graph.select(0, root_of(graph, x), root_of(graph, graph.negate(x)))});
  CHECK(evaluate(tape, {0, {4}, {1}})[0] == 2);
  CHECK(evaluate(tape, {0, {-9}, {-1}})[0] == 3);
  CHECK_FALSE(goes_wrong(tape, {0, {4}, {1}}));
  CHECK_FALSE(goes_wrong(tape, {0, {-9}, {-1}}));
  CHECK(goes_wrong(tape, {0, {4}, {0.5}}));
}

TEST_CASE("selections inside each other evaluate the innermost branch in force only") {
  ExpressionGraph graph;
  const NodeId x = graph.state(0);
  const NodeId y = graph.state(1);
  const NodeId inner = graph.select(1, root_of(graph, x), graph.multiply(x, root_of(graph, y)));
  const NodeId outer = graph.select(0, inner, root_of(graph, graph.add(x, y)));
  const Tape tape(graph, {outer, graph.select(0, graph.add(inner, x), y)});
  CHECK_FALSE(goes_wrong(tape, {0, {4, -9}, {1, 1}}));
  CHECK_FALSE(goes_wrong(tape, {0, {-4, 9}, {1, -1}}));
  CHECK_FALSE(goes_wrong(tape, {0, {-4, 9}, {-1, 1}}));
  CHECK_FALSE(goes_wrong(tape, {0, {9, -4}, {-1, -1}}));
  CHECK(evaluate(tape, {0, {4, -9}, {1, 1}}) == std::vector<double>{2, 6});
  CHECK(evaluate(tape, {0, {-4, 9}, {1, -1}}) == std::vector<double>{-12, -16});
  CHECK(evaluate(tape, {0, {-4, 20}, {-1, 1}}) == std::vector<double>{4, 20});
}

TEST_CASE("a part that several branches need is computed once and where it is needed") {
  ExpressionGraph graph;
  const NodeId x = graph.state(0);
  const NodeId root = root_of(graph, x);
  // Needed above surface 0 in both, nowhere below.
  const NodeId first = graph.select(0, graph.multiply(root, x), x);
  const NodeId second = graph.select(0, graph.add(root, x), graph.negate(x));
  const Tape above(graph, {first, second});
  CHECK_FALSE(goes_wrong(above, {0, {-4}, {-1}}));
  CHECK(evaluate(above, {0, {4}, {1}}) == std::vector<double>{8, 6});
  // Needed everywhere as soon as one use is unconditional.
  const Tape everywhere(graph, {first, second, root});
  CHECK(goes_wrong(everywhere, {0, {-4}, {-1}}));
  CHECK(evaluate(everywhere, {0, {4}, {1}}) == std::vector<double>{8, 6, 2});
}

TEST_CASE("a dual number passing through a side sees both branches") {
  ExpressionGraph graph;
  const Tape tape(graph,
                  {graph.select(0, graph.multiply(graph.constant(3), graph.state(0)), graph.state(0))});
  struct Moving {
    double rate;
    Dual<double> time() const { return 0.0; }
    Dual<double> impact() const { return 0.0; }
    Dual<double> state(std::uint32_t) const { return {2.0, 1.0}; }
    Dual<double> lambda(std::uint32_t) const { return {1.0, rate}; }
  };
  Dual<double> result;
  const auto store = [&](std::size_t, const Dual<double>& value) { result = value; };
  tape.evaluate<Dual<double>>(Moving{0}, store);
  CHECK(result.value == 6);
  CHECK(result.derivative == 3);
  tape.evaluate<Dual<double>>(Moving{1}, store);
  CHECK(result.value == 6);
  CHECK(result.derivative == 3 + 2);  // + λ'·(p − q)/2
}

TEST_CASE("a tape of many registers gives the same values as a short one") {
  ExpressionGraph graph;
  std::vector<NodeId> outputs;
  for (std::uint32_t k = 0; k < 1000; ++k)
    outputs.push_back(graph.multiply(graph.unary(Operation::cos, graph.state(k)), graph.constant(k + 0.5)));
  const Tape tape(graph, outputs);
  Values values;
  for (int k = 0; k < 1000; ++k) values.x.push_back(0.01 * k);
  const auto result = evaluate(tape, values);
  for (std::size_t k = 0; k < 1000; ++k) {
    const auto number = static_cast<double>(k);
    CHECK(result[k] == std::cos(0.01 * number) * (number + 0.5));
  }
}

TEST_CASE("several threads may evaluate one tape") {
  ExpressionGraph graph;
  std::vector<NodeId> outputs;
  for (std::uint32_t k = 0; k < 400; ++k)
    outputs.push_back(graph.select(0, graph.unary(Operation::sin, graph.state(k)), graph.state(k)));
  const Tape tape(graph, outputs);
  std::vector<int> wrong(4, 0);
  std::vector<std::thread> threads;
  for (std::size_t number = 0; number < wrong.size(); ++number)
    threads.emplace_back([&, number] {
      const double x = 0.1 * static_cast<double>(number + 1);
      const Values values{0, std::vector<double>(400, x), {1}};
      for (int k = 0; k < 200; ++k)
        for (const double value : evaluate(tape, values))
          if (value != std::sin(x)) ++wrong[number];
    });
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == std::vector<int>(4, 0));
}
