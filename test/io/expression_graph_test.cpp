#include "expression/expression_graph.hpp"

#include <doctest/doctest.h>

#include <limits>

#include "expression/expression_derivatives.hpp"
#include "test/io/tape_values.hpp"

using namespace slideway;
using namespace slideway::reader;

using Values = slideway::test::TapeValues;
using slideway::test::value_at;

namespace {

// ∂node/∂variable as a number; 0 where it vanishes identically.
double derivative_at(ExpressionGraph& graph, NodeId node, Variables variables, std::uint32_t variable,
                     const Values& values) {
  const Gradients gradient = gradients(graph, {node}, variables).value();
  for (const PartialDerivative& entry : gradient[0])
    if (entry.variable == variable) return value_at(graph, entry.value, values);
  return 0;
}

}  // namespace

TEST_CASE("equal expressions are one node") {
  ExpressionGraph graph;
  const NodeId x = graph.state(0);
  const NodeId y = graph.state(1);
  CHECK(graph.add(x, y) == graph.add(y, x));
  CHECK(graph.multiply(x, y) == graph.multiply(y, x));
  CHECK(graph.unary(Operation::sin, graph.subtract(x, y)) ==
        graph.unary(Operation::sin, graph.subtract(x, y)));
  CHECK(graph.subtract(x, y) != graph.subtract(y, x));
  const std::size_t size = graph.size();
  graph.add(graph.constant(2), graph.constant(3));
  CHECK(graph.size() == size + 3);
  graph.constant(5);
  CHECK(graph.size() == size + 3);
}

TEST_CASE("constants are folded and neutral elements vanish") {
  ExpressionGraph graph;
  const NodeId x = graph.state(0);
  CHECK(graph.value(graph.binary(Operation::power, graph.constant(2), graph.constant(10))) == 1024);
  CHECK(graph.value(graph.unary(Operation::cos, graph.constant(0))) == 1);
  CHECK(graph.add(x, graph.constant(0)) == x);
  CHECK(graph.subtract(x, graph.constant(0)) == x);
  CHECK(graph.multiply(x, graph.constant(1)) == x);
  CHECK(graph.divide(x, graph.constant(1)) == x);
  CHECK(graph.is_constant(graph.multiply(x, graph.constant(0)), 0));
  CHECK(graph.is_constant(graph.subtract(x, x), 0));
  CHECK(graph.negate(graph.negate(x)) == x);
  CHECK(graph.subtract(graph.constant(0), x) == graph.negate(x));
  CHECK(graph.subtract(x, graph.constant(2)) == graph.add(x, graph.constant(-2)));
}

TEST_CASE("a term that is subtracted from what it is a term of leaves no rounding") {
  ExpressionGraph graph;
  const NodeId x = graph.state(0);
  const NodeId y = graph.state(1);
  const NodeId sum = graph.add(x, y);
  const NodeId difference = graph.subtract(x, y);
  CHECK(graph.subtract(sum, x) == y);
  CHECK(graph.subtract(sum, y) == x);
  CHECK(graph.subtract(x, sum) == graph.negate(y));
  CHECK(graph.subtract(difference, x) == graph.negate(y));
  CHECK(graph.subtract(x, difference) == y);
}

TEST_CASE("relays give way to others, and to their opposites") {
  ExpressionGraph graph;
  const NodeId x = graph.state(0);
  const NodeId y = graph.state(1);
  const NodeId both = graph.add(graph.multiply(graph.lambda(0), x), graph.select(1, x, y));
  const NodeId expected = graph.add(graph.multiply(graph.lambda(0), x), graph.select(0, y, x));
  CHECK(graph.with_relays(both, {{0, 1}, {0, -1}}) == expected);
}

TEST_CASE("guards that differ by a factor have one key") {
  ExpressionGraph graph;
  const NodeId x = graph.state(0);
  const NodeId y = graph.state(1);
  const auto same = [&](NodeId first, NodeId second, int sign) {
    const GuardKey a = guard_key(graph, first);
    const GuardKey b = guard_key(graph, second);
    return a.key == b.key && a.sign * b.sign == sign;
  };
  const NodeId difference = graph.subtract(x, y);
  CHECK(same(difference, graph.subtract(y, x), -1));
  CHECK(same(difference, graph.negate(difference), -1));
  CHECK(same(difference, graph.multiply(graph.constant(3), difference), 1));
  CHECK(same(difference, graph.divide(difference, graph.constant(-2)), -1));
  CHECK(same(graph.subtract(x, graph.constant(2)), graph.subtract(graph.constant(2), x), -1));
  CHECK_FALSE(same(x, y, 1));
  CHECK_FALSE(same(graph.subtract(x, graph.constant(2)), graph.add(x, graph.constant(2)), 1));
}

TEST_CASE("guards that are opposite because a function is odd have one key") {
  ExpressionGraph graph;
  const NodeId x = graph.state(0);
  const NodeId y = graph.state(1);
  const NodeId z = graph.state(2);
  const NodeId two = graph.constant(2);
  const auto opposite = [&](NodeId first, NodeId second) {
    const GuardKey a = guard_key(graph, first);
    const GuardKey b = guard_key(graph, second);
    return a.key == b.key && a.sign * b.sign == -1;
  };
  const NodeId forth = graph.subtract(x, y);
  const NodeId back = graph.subtract(y, x);
  for (const Operation odd :
       {Operation::sin, Operation::tan, Operation::asin, Operation::atan, Operation::sinh, Operation::tanh}) {
    CHECK(opposite(graph.unary(odd, forth), graph.unary(odd, back)));
    CHECK(opposite(graph.unary(odd, x), graph.unary(odd, graph.negate(x))));
    CHECK(
        opposite(graph.unary(odd, graph.multiply(two, forth)), graph.unary(odd, graph.multiply(two, back))));
  }
  CHECK(opposite(graph.multiply(z, forth), graph.multiply(z, back)));
  CHECK(opposite(graph.divide(graph.unary(Operation::sin, forth), z),
                 graph.divide(graph.unary(Operation::sin, back), z)));
  for (const Operation neither : {Operation::cos, Operation::cosh, Operation::exp})
    CHECK_FALSE(opposite(graph.unary(neither, forth), graph.unary(neither, back)));
}

TEST_CASE("a graph that grows beyond its bound is refused") {
  ExpressionGraph graph(10);
  const auto grow = [&] {
    NodeId node = graph.state(0);
    for (int k = 0; k < 20; ++k) node = graph.unary(Operation::sin, node);
  };
  CHECK_THROWS_AS(grow(), GraphTooLarge);
}

TEST_CASE("derivatives of every function agree with dual numbers") {
  const std::vector<double> points = {-2.5, -0.7, -0.1, 0.3, 0.8, 1.9};
  for (auto code = static_cast<int>(Operation::negate); code <= static_cast<int>(Operation::step); ++code) {
    const auto operation = static_cast<Operation>(code);
    ExpressionGraph graph;
    const NodeId node = graph.unary(operation, graph.multiply(graph.state(0), graph.state(0)));
    const NodeId plain = graph.unary(operation, graph.state(0));
    for (const double x : points) {
      CAPTURE(code);
      CAPTURE(x);
      const Dual<double> expected = apply_unary(operation, Dual<double>(x * x, 2 * x));
      if (std::isfinite(expected.value))
        CHECK(value_at(graph, node, {0, {x}, {}}) == doctest::Approx(expected.value).epsilon(1e-14));
      if (std::isfinite(expected.value) && std::isfinite(expected.derivative))
        CHECK(derivative_at(graph, node, Variables::states, 0, {0, {x}, {}}) ==
              doctest::Approx(expected.derivative).epsilon(1e-12));
      const Dual<double> direct = apply_unary(operation, Dual<double>(x, 1));
      if (std::isfinite(direct.derivative) && std::isfinite(direct.value))
        CHECK(derivative_at(graph, plain, Variables::states, 0, {0, {x}, {}}) ==
              doctest::Approx(direct.derivative).epsilon(1e-12));
    }
  }
}

TEST_CASE("derivatives of every operator agree with dual numbers") {
  const auto dual = [](Operation operation, const Dual<double>& a, const Dual<double>& b) -> Dual<double> {
    switch (operation) {
      case Operation::add: return a + b;
      case Operation::subtract: return a - b;
      case Operation::multiply:
      case Operation::chain: return a * b;
      case Operation::divide: return a / b;
      case Operation::power: return pow(a, b);
      default: return atan2(a, b);
    }
  };
  for (auto code = static_cast<int>(Operation::add); code <= static_cast<int>(Operation::atan2); ++code) {
    const auto operation = static_cast<Operation>(code);
    ExpressionGraph graph;
    const NodeId node = graph.binary(operation, graph.state(0), graph.state(1));
    for (const double x : {0.2, 1.7, 3.1}) {
      for (const double y : {-1.3, 0.4, 2.0}) {
        CAPTURE(code);
        const Values at{0, {x, y}, {}};
        const Dual<double> by_x = dual(operation, {x, 1.0}, {y, 0.0});
        const Dual<double> by_y = dual(operation, {x, 0.0}, {y, 1.0});
        CHECK(value_at(graph, node, at) == doctest::Approx(by_x.value).epsilon(1e-14));
        CHECK(derivative_at(graph, node, Variables::states, 0, at) ==
              doctest::Approx(by_x.derivative).epsilon(1e-12));
        CHECK(derivative_at(graph, node, Variables::states, 1, at) ==
              doctest::Approx(by_y.derivative).epsilon(1e-12));
      }
    }
  }
}

TEST_CASE("a power with a constant exponent takes no logarithm of a negative base") {
  ExpressionGraph graph;
  for (const double exponent : {2.0, 3.0, -1.0, -4.0, 7.0, 21.0}) {
    const NodeId node = graph.binary(Operation::power, graph.state(0), graph.constant(exponent));
    const Values at{0, {-1.25}, {}};
    CAPTURE(exponent);
    CHECK(value_at(graph, node, at) == doctest::Approx(std::pow(-1.25, exponent)).epsilon(1e-14));
    CHECK(derivative_at(graph, node, Variables::states, 0, at) ==
          doctest::Approx(exponent * std::pow(-1.25, exponent - 1)).epsilon(1e-14));
  }
}

TEST_CASE("a derivative of zero wins over an infinite slope") {
  // d sqrt(x²)/dx at 0: 0.5/0 · 0.
  ExpressionGraph graph;
  const NodeId node = graph.unary(Operation::sqrt, graph.multiply(graph.state(0), graph.state(0)));
  CHECK(derivative_at(graph, node, Variables::states, 0, {0, {0.0}, {}}) == 0);
}

TEST_CASE("the gradient holds exactly the variables an expression depends on") {
  ExpressionGraph graph;
  const NodeId node =
      graph.add(graph.multiply(graph.state(3), graph.state(1)), graph.multiply(graph.time(), graph.state(7)));
  const auto by_state = gradients(graph, {node}, Variables::states).value().entries();
  REQUIRE(by_state.size() == 3);
  CHECK(by_state[0].variable == 1);
  CHECK(by_state[0].value == graph.state(3));
  CHECK(by_state[1].variable == 3);
  CHECK(by_state[2].variable == 7);
  CHECK(by_state[2].value == graph.time());
  const auto by_time = gradients(graph, {node}, Variables::time).value().entries();
  REQUIRE(by_time.size() == 1);
  CHECK(by_time[0].value == graph.state(7));
  CHECK(gradients(graph, {node}, Variables::lambdas).value().entries().empty());
}

TEST_CASE("gradients that would fill the memory are not built") {
  ExpressionGraph graph;
  NodeId sum = graph.state(0);
  for (std::uint32_t k = 1; k < 200; ++k) sum = graph.add(graph.unary(Operation::sin, graph.state(k)), sum);
  CHECK(gradients(graph, {sum}, Variables::states).has_value());
  CHECK_FALSE(gradients(graph, {sum}, Variables::states, 1000).has_value());
}

TEST_CASE("between the sides of a surface a selection is the blend of both branches") {
  ExpressionGraph graph;
  const NodeId node = graph.select(2, graph.state(0), graph.state(1));
  const auto at = [&](double lambda) { return value_at(graph, node, {0, {3, 11}, {9, 9, lambda}}); };
  CHECK(at(1) == 3);
  CHECK(at(-1) == 11);
  CHECK(at(0) == 7);
  CHECK(at(0.5) == 5);
  CHECK(at(3) == -5);
  CHECK(derivative_at(graph, node, Variables::lambdas, 2, {0, {3, 11}, {0, 0, 0.3}}) == -4);
}
