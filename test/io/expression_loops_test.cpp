#include "expression/expression_loops.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "expression/expression_tape.hpp"
#include "expression/loop_rows.hpp"
#include "expression/tape_inputs.hpp"

using namespace slideway;
using namespace slideway::reader;

namespace {

// A point that moves along two directions, with some relays on a side and some between.
struct Motion {
  Vector x, x_first, x_second, lambda, zero;

  explicit Motion(Index count) : zero(Vector::Zero(count)) {
    std::mt19937 generator(7);
    std::uniform_real_distribution<double> number(-1, 1);
    for (Vector* const one : {&x, &x_first, &x_second, &lambda}) {
      one->resize(count);
      for (double& entry : *one) entry = number(generator);
    }
    for (Index k = 0; k < count; ++k)
      if (k % 3 != 0) lambda[k] = k % 3 == 1 ? 1 : -1;
  }
  Point at() const { return point(0.3, x, lambda); }
  MovingPoint moving() const { return {at(), point(1, x_first, zero)}; }
  TwiceMovingPoint moving_twice() const { return {moving(), {point(1, x_second, zero), point(0, x, zero)}}; }
};

template <class Scalar>
bool same_bits(const Scalar& one, const Scalar& other) {
  return std::memcmp(&one, &other, sizeof(Scalar)) == 0;
}

// agree() returns true where every output of the loops has the value that a tape for that output alone has, to the last bit.
template <class Scalar, class Inputs>
bool agree(const Loops& loops, const ExpressionGraph& graph, const std::vector<NodeId>& outputs,
           const Inputs& inputs) {
  std::vector<char> is_done(outputs.size(), 0);
  bool agrees = true;
  loops.evaluate<Scalar>(inputs, [&](std::size_t k, const Scalar& value) {
    is_done[k] = 1;
    agrees = agrees && same_bits(value, Tape(graph, {outputs[k]}).template value<Scalar>(inputs));
  });
  return agrees && std::count(is_done.begin(), is_done.end(), 1) == std::ptrdiff_t(outputs.size());
}

void check_loops(const ExpressionGraph& graph, const std::vector<NodeId>& outputs, Index count,
                 std::size_t most_loops) {
  const auto loops = find_loops(graph, outputs, {});
  REQUIRE(loops);
  CHECK(loops->outputs() == outputs.size());
  CHECK(loops->count() <= most_loops);
  const Motion motion(count);
  CHECK(agree<double>(*loops, graph, outputs, motion.at()));
  CHECK(agree<Dual<double>>(*loops, graph, outputs, motion.moving()));
  CHECK(agree<Dual<Dual<double>>>(*loops, graph, outputs, motion.moving_twice()));
  // Some of the rows, the last first.
  const LoopRows rows(loops);
  std::vector<Index> chosen;
  std::vector<NodeId> nodes;
  for (std::size_t k = outputs.size(); k-- > 0;) {
    if (k % 3 == 1 || (k > 40 && k < 50)) continue;
    chosen.push_back(static_cast<Index>(k));
    nodes.push_back(outputs[k]);
  }
  CHECK(agree<double>(*rows.some(chosen), graph, nodes, motion.at()));
  CHECK(agree<Dual<double>>(*rows.some(chosen), graph, nodes, motion.moving()));
  CHECK(agree<double>(*rows.some({chosen[5]}), graph, {nodes[5]}, motion.at()));
  CHECK(rows.some({})->outputs() == 0);
}

}  // namespace

TEST_CASE("the equations of a chain with two ends are four loops") {
  constexpr std::uint32_t n = 300;
  ExpressionGraph graph;
  std::vector<NodeId> outputs;
  for (std::uint32_t i = 0; i < n; ++i) outputs.push_back(graph.state(n + i));
  for (std::uint32_t i = 0; i < n; ++i) {
    NodeId force = graph.multiply(graph.constant(-2.1), graph.state(i));
    if (i > 0) force = graph.add(force, graph.state(i - 1));
    if (i + 1 < n) force = graph.add(force, graph.state(i + 1));
    force = graph.subtract(force, graph.multiply(graph.constant(0.3), graph.lambda(i)));
    outputs.push_back(graph.add(force, graph.unary(Operation::cos, graph.time())));
  }
  check_loops(graph, outputs, 2 * n, 5);
}

TEST_CASE("a costly node that two rows share is computed once") {
  constexpr std::uint32_t n = 200;
  ExpressionGraph graph;
  std::vector<NodeId> springs, outputs;
  for (std::uint32_t i = 0; i <= n; ++i)
    springs.push_back(graph.unary(
        Operation::tanh, graph.subtract(graph.state(i + 1), graph.multiply(graph.state(i), graph.state(i)))));
  for (std::uint32_t i = 0; i < n; ++i) outputs.push_back(graph.subtract(springs[i + 1], springs[i]));
  check_loops(graph, outputs, n + 2, 4);
  const auto loops = find_loops(graph, outputs, {});
  CHECK(loops->instructions() <= 12);
}

TEST_CASE("rows with a common sum, numbers of their own and any neighbours are loops with tables") {
  constexpr std::uint32_t n = 256;
  std::mt19937 generator(3);
  ExpressionGraph graph;
  std::vector<NodeId> terms, outputs;
  for (std::uint32_t i = 0; i < n; ++i) terms.push_back(graph.state(i));
  while (terms.size() > 1) {
    for (std::size_t k = 0; 2 * k < terms.size(); ++k) terms[k] = graph.add(terms[2 * k], terms[2 * k + 1]);
    terms.resize(terms.size() / 2);
  }
  for (std::uint32_t i = 0; i < n; ++i) {
    const NodeId own = graph.constant(1 + 1e-3 * static_cast<double>(i % 17));
    const NodeId other = graph.state(static_cast<std::uint32_t>(generator() % n));
    const NodeId pull = graph.divide(graph.subtract(other, terms.front()), own);
    outputs.push_back(graph.binary(Operation::power, pull, graph.constant(i < 100 ? 3 : 2)));
  }
  check_loops(graph, outputs, n, 20);
}

TEST_CASE("selections, choices and powers in loops have the values of tapes") {
  constexpr std::uint32_t n = 130;
  ExpressionGraph graph;
  std::vector<NodeId> outputs;
  for (std::uint32_t i = 0; i < n; ++i) {
    const NodeId x = graph.state(i);
    const NodeId inside = graph.select(i, graph.unary(Operation::exp, x), graph.negate(x));
    const NodeId outside = graph.select(i, inside, graph.multiply(inside, graph.lambda((i + 1) % n)));
    const NodeId chosen =
        graph.choose(x, outside, graph.unary(Operation::floor, graph.multiply(x, graph.constant(7))));
    const NodeId power =
        graph.binary(Operation::power, graph.unary(Operation::absolute, x), graph.constant(1.5));
    outputs.push_back(
        graph.add(graph.binary(Operation::chain, chosen, power), graph.binary(Operation::atan2, x, power)));
  }
  check_loops(graph, outputs, n, 5);
}

TEST_CASE("rows of one loop that need another row's value come after it") {
  // y[i] = sin(y[i - 1]) + x[i]: every row waits for the one before it, so that there is no loop.
  ExpressionGraph graph;
  std::vector<NodeId> outputs = {graph.state(0)};
  for (std::uint32_t i = 1; i < 100; ++i)
    outputs.push_back(graph.add(graph.unary(Operation::sin, outputs.back()), graph.state(i)));
  CHECK_FALSE(find_loops(graph, outputs, {}));
}

TEST_CASE("few outputs, and outputs unlike each other, are no loops") {
  ExpressionGraph graph;
  std::vector<NodeId> outputs;
  for (std::uint32_t i = 0; i < 10; ++i) outputs.push_back(graph.unary(Operation::sin, graph.state(i)));
  CHECK_FALSE(find_loops(graph, outputs, {}));
  NodeId sum = graph.state(0);
  for (std::uint32_t i = 1; i < 100; ++i) {
    sum = graph.unary(i % 7 < 3 ? Operation::sin : Operation::exp, sum);
    outputs.push_back(graph.multiply(sum, graph.state(i % (i / 10 + 1))));
  }
  CHECK_FALSE(find_loops(graph, outputs, {}));
}

TEST_CASE("constants among the outputs of loops keep their places, and relays their numbers") {
  constexpr std::uint32_t n = 100;
  ExpressionGraph graph;
  std::vector<NodeId> outputs;
  std::vector<std::uint32_t> lambda_index;
  for (std::uint32_t i = 0; i < n; ++i) {
    outputs.push_back(graph.constant(i));
    outputs.push_back(graph.multiply(graph.lambda(i), graph.state(n - 1 - i)));
    lambda_index.push_back((i + 5) % n);
  }
  const Tape tape(graph, outputs, lambda_index);
  const Motion motion(n);
  tape.evaluate<double>(motion.at(), [&](std::size_t k, double value) {
    const auto i = static_cast<Index>(k / 2);
    if (k % 2 == 0)
      CHECK(value == static_cast<double>(i));
    else
      CHECK(value == motion.lambda[(i + 5) % n] * motion.x[n - 1 - i]);
  });
}
