#include <doctest/doctest.h>

#include "slideway/detail/model/evaluator.hpp"
#include "slideway/model/from_functor.hpp"
#include "slideway/model/from_regions.hpp"
#include "slideway/model/from_signs.hpp"
#include "test/allocation_count.hpp"
#include "test/model/example_systems.hpp"

using namespace slideway;

#if SLIDEWAY_COUNTS_ALLOCATIONS

namespace {

// A chain of n/2 blocks, each with friction: large, but every row has few entries.
struct Chain {
  Index blocks;
  void guards(auto, const auto& x, auto&& h) const {
    for (Index i = 0; i < blocks; ++i) h[i] = x[blocks + i];
  }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    for (Index i = 0; i < blocks; ++i) {
      dx[i] = x[blocks + i];
      dx[blocks + i] = -2 * x[i] - 0.3 * lambda[i];
      if (i > 0) dx[blocks + i] += x[i - 1];
      if (i + 1 < blocks) dx[blocks + i] += x[i + 1];
    }
  }
};

// The allocations made by every function of an evaluator, one after the other.
std::size_t allocations_of_all_calls(const System& system) {
  const Index n = system.states(), m = system.surfaces();
  Evaluator evaluator(system);
  const Vector x = Vector::Constant(n, 0.3), lambda = Vector::Constant(m, 0.2);
  Vector dx(n), dx_dot(n), h(m), gradient(n);
  Matrix f_x(n, n), f_lambda(n, m), h_x(m, n);
  const std::size_t before = allocations().calls;
  evaluator.field(0.5, x, lambda, dx);
  evaluator.field_along(0.5, x, lambda, 1.0, dx, dx, dx_dot);
  evaluator.guards(0.5, x, h);
  evaluator.guards_dt(0.5, x, h);
  evaluator.guard_gradient(0.5, x, 0, gradient);
  evaluator.guard_rates(0.5, x, dx, h);
  evaluator.guard_curvatures(0.5, x, lambda, dx, h);
  evaluator.guards_dx(0.5, x, h_x);
  evaluator.field_dx(0.5, x, lambda, f_x);
  evaluator.field_dlambda(0.5, x, lambda, f_lambda);
  evaluator.normal_dx(0.5, x, lambda, h_x);
  return allocations().calls - before;
}

}  // namespace

TEST_CASE("the count of allocations sees what Eigen and the standard library allocate") {
  const std::size_t before = allocations().calls;
  const Vector vector(100);
  const std::vector<double> numbers(100);
  // Compilers may leave out an allocation that nobody looks at.
  const double* volatile first = vector.data();
  const double* volatile second = numbers.data();
  CHECK(first != second);
  CHECK(allocations().calls - before >= 2);
}

TEST_CASE("an evaluator allocates nothing after construction, whatever its derivatives come from") {
  const Dimensions circle{.states = 2, .surfaces = 1};
  const Dimensions tangled{.states = 3, .surfaces = 2};
  CHECK(allocations_of_all_calls(from_functor(example::Circle{}, circle)) == 0);
  CHECK(allocations_of_all_calls(from_functor(example::CircleInDouble{}, circle)) == 0);
  CHECK(allocations_of_all_calls(from_functor(example::CircleWithJacobians{}, circle)) == 0);
  CHECK(allocations_of_all_calls(from_functor(example::Tangled{}, tangled)) == 0);
  CHECK(allocations_of_all_calls(from_functor(example::TangledInDouble{}, tangled)) == 0);
  CHECK(allocations_of_all_calls(from_functor(Chain{60}, {.states = 120, .surfaces = 60})) == 0);
}

TEST_CASE("blending corners allocates nothing") {
  const auto guards = [](auto, const auto& x, auto&& h) {
    h[0] = x[0];
    h[1] = x[1];
  };
  const auto by_signs = [](auto, const auto& x, const auto& s, auto&& dx) {
    dx[0] = -s[0] * x[1];
    dx[1] = s[1] > 0 ? x[0] : -x[1];
  };
  const auto constant = [](auto, const auto& x, auto&& dx) { dx = x; };
  const Dimensions plane{.states = 2, .surfaces = 2};
  CHECK(allocations_of_all_calls(from_signs(by_signs, guards, plane)) == 0);
  CHECK(allocations_of_all_calls(from_regions(
            {{"--", constant}, {"-+", constant}, {"+-", constant}, {"++", constant}}, guards, plane)) == 0);
}

TEST_CASE("a system of 5000 states takes memory in proportion to them until a matrix is asked for") {
  const Index blocks = 2500, n = 2 * blocks;
  const std::size_t before = allocations().bytes;
  Evaluator evaluator(from_functor(Chain{blocks}, {.states = n, .surfaces = blocks}));
  const Vector x = Vector::Constant(n, 0.3), lambda = Vector::Constant(blocks, 0.2);
  Vector dx(n), dx_dot(n), h(blocks), gradient(n);
  evaluator.field(0, x, lambda, dx);
  evaluator.field_along(0, x, lambda, 1.0, dx, dx, dx_dot);
  evaluator.guard_rates(0, x, dx, h);
  evaluator.guard_curvatures(0, x, lambda, dx, h);
  evaluator.guard_gradient(0, x, 7, gradient);
  CHECK(gradient[blocks + 7] == 1);
  CHECK(gradient.cwiseAbs().sum() == 1);
  const std::size_t bytes = allocations().bytes - before;
  // All that was ever asked for together; one n × n matrix would be 200 MB.
  CHECK(bytes < 20'000'000);
}

#endif
