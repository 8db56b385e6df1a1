// Linear solvers and contacts: the forces of contacts have no pattern.
#include <doctest/doctest.h>

#include <stdexcept>

#include "slideway/model/from_functor.hpp"
#include "slideway/simulate/simulator.hpp"
#include "test/simulate/hybrid.hpp"

namespace slideway {
namespace {

struct Fall {
  void field(auto, const auto& x, const auto&, auto&& dx) const {
    dx[0] = x[1];
    dx[1] = -9.8 + 0.0 * x[0];
  }
};

Solution drop(LinearSolver solver) {
  const Guard height([](auto, const auto& x) { return x[0]; });
  const System system = from_functor(Fall{}, {.states = 2, .surfaces = 0})
                            .with_contacts({test::contact("floor", height, {{1, 1}}, 0.5)});
  Options options;
  options.method = Method::bdf;
  options.linear_solver = solver;
  return Simulator(system, options).run({.start = 0, .end = 3, .state = Eigen::Vector2d(1, 0)});
}

}  // namespace

TEST_CASE("band and KLU refuse a system with contacts and say which solvers know them") {
  for (const LinearSolver solver : {LinearSolver::band, LinearSolver::klu}) {
    CHECK_THROWS_WITH_AS(drop(solver),
                         doctest::Contains("without contacts); choose the linear solver dense or gmres"),
                         std::invalid_argument);
  }
}

TEST_CASE("GMRES follows a system with contacts as the dense solver does") {
  const Solution dense = drop(LinearSolver::dense);
  const Solution gmres = drop(LinearSolver::gmres);
  REQUIRE(dense.outcome.reached_end());
  REQUIRE(gmres.outcome.reached_end());
  REQUIRE(gmres.events.size() == dense.events.size());
  CHECK(gmres.events.back().t == doctest::Approx(dense.events.back().t).epsilon(1e-6));
}

}  // namespace slideway
