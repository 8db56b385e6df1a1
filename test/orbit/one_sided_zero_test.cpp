// Zeros of functions with values on one side, and least values along a solution.
#include "orbit/one_sided_zero.hpp"

#include "orbit/least_along.hpp"
#include "slideway/simulate/simulator.hpp"
#include "test/orbit/found_orbit.hpp"

using namespace slideway;
using namespace slideway::test;

TEST_CASE("a zero is found from values on one side of it, in either direction") {
  for (const double sign : {1.0, -1.0})
    for (const double at : {0.3, 1e-9, 0.999}) {
      int calls = 0;
      const auto value = [&](double x) -> std::optional<double> {
        ++calls;
        const double left = at - sign * x;
        if (left < 0) return std::nullopt;
        return -left * (2 + left + 3 * left * left);
      };
      const auto zero = one_sided_zero(value, sign * (at - 1), sign * (at + 0.7), 1e-12);
      REQUIRE(zero);
      CHECK(std::abs(*zero - sign * at) <= 1e-13);
      CHECK(calls <= 20);
    }
}

TEST_CASE("noise of the values is hardly larger in the zero") {
  const double noise = 1e-7;
  int calls = 0;
  const auto value = [&](double x) -> std::optional<double> {
    if (x > 0.4) return std::nullopt;
    return std::sin(0.4 - x) + noise * (++calls % 3 - 1);
  };
  const auto zero = one_sided_zero(value, 0, 1, 0.1 * noise);
  REQUIRE(zero);
  CHECK(std::abs(*zero - 0.4) <= 5 * noise);
}

TEST_CASE("values that lead to no zero are none") {
  const auto value = [](double x) { return x > 0.4 ? std::nullopt : std::optional(1 + x); };
  CHECK_FALSE(one_sided_zero(value, 0, 1, 1e-10));
}

TEST_CASE("the least value inside of a stretch is at a minimum, and not at its ends") {
  // x = cos t has the minimum -1 at pi, and falls on both sides of 2 pi.
  const ModelInstance instance =
      instance_of("[states]\nx = 1.0\ny = 0.0\n[time]\nend = 7.0\n[derivatives]\nx = \"-y\"\ny = \"x\"\n");
  const Solution solution =
      Simulator(instance.problem(), {.rtol = 1e-11}).run({.start = 0, .end = 7, .state = instance.state});
  const auto x_of = [](double, ConstVectorRef x, const Segment&) { return x[0]; };
  const auto least = least_inside(solution.trajectory, 0, 7, x_of);
  REQUIRE(least);
  CHECK(std::abs(*least + 1) <= 1e-9);
  CHECK_FALSE(least_inside(solution.trajectory, 0.5, 3, x_of));
}
