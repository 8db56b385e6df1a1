// Linear solvers and contacts: the same events as with the full matrix.
#include <doctest/doctest.h>

#include <string>

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

Solution drop(LinearSolver solver, Method method = Method::bdf) {
  const Guard height([](auto, const auto& x) { return x[0]; });
  const System system = from_functor(Fall{}, {.states = 2, .surfaces = 0})
                            .with_contacts({test::contact("floor", height, {{1, 1}}, 0.5)});
  Options options;
  options.method = method;
  options.linear_solver = solver;
  return Simulator(system, options).run({.start = 0, .end = 3, .state = Eigen::Vector2d(1, 0)});
}

// A string of unit masses: heights x1 … xN, stiff and damped between neighbours, its ends held at height 0.5.
struct String {
  Index bodies = 100;
  double stiffness = 1.5e4;
  double damping = 400;
  void field(auto, const auto& x, const auto&, auto&& dx) const {
    for (Index i = 0; i < bodies; ++i) {
      dx[i] = x[bodies + i];
      auto bend = -2 * (x[i] + 0.0);
      auto rate = -2 * x[bodies + i];
      bend += i > 0 ? x[i - 1] + 0.0 : 0.5 + 0.0 * x[i];
      bend += i + 1 < bodies ? x[i + 1] + 0.0 : 0.5 + 0.0 * x[i];
      if (i > 0) rate += x[bodies + i - 1];
      if (i + 1 < bodies) rate += x[bodies + i + 1];
      dx[bodies + i] = -10.0 + stiffness * bend + damping * rate;
    }
  }
};

// Knobs of the floor under some bodies, which the string falls on.
Solution fall_of_string(Index bodies, LinearSolver solver, Method method = Method::bdf) {
  std::vector<Contact> knobs;
  for (Index i = bodies / 8; i < bodies; i += bodies / 8) {
    knobs.push_back(test::contact("knob" + std::to_string(i), test::component(i), {{bodies + i, 1}}, 0.2));
  }
  const System system = from_functor(String{bodies}, {.states = 2 * bodies}).with_contacts(knobs);
  Options options;
  options.rtol = 1e-7;
  options.method = method;
  options.linear_solver = solver;
  options.recording = Recording::nothing;
  Vector state = Vector::Zero(2 * bodies);
  state.head(bodies).setConstant(0.5);
  return Simulator(system, options).run({.start = 0, .end = 2, .state = state});
}

// Bodies on one another, each on springs of its own, the lowest on the floor: the forces see each other.
Solution settling_tower(LinearSolver solver) {
  constexpr Index bodies = 30;
  const auto field = [](auto t, const auto& x, auto&& dx) {
    using std::sin;
    for (Index i = 0; i < bodies; ++i) {
      dx[i] = x[bodies + i];
      dx[bodies + i] = -10.0 - 1e3 * (x[i] - 0.00107 * static_cast<double>(i)) - 300.0 * x[bodies + i] +
                       (i % 7 == 6 ? 30.0 * sin(3.0 * t) : 0.0 * t);
    }
  };
  std::vector<Contact> contacts = {test::contact("floor", test::component(0), {{bodies, 1}}, 0)};
  for (Index i = 1; i < bodies; ++i) {
    const Guard gap([i](auto, const auto& x) { return x[i] - x[i - 1]; });
    contacts.push_back(
        test::contact("c" + std::to_string(i), gap, {{bodies + i, 1}, {bodies + i - 1, -1}}, 0));
  }
  Options options;
  options.rtol = 1e-7;
  options.method = Method::bdf;
  options.linear_solver = solver;
  Vector state = Vector::Zero(2 * bodies);
  for (Index i = 0; i < bodies; ++i) state[i] = 0.01 * static_cast<double>(i + 1);
  return Simulator(test::smooth(2 * bodies, field).with_contacts(contacts), options)
      .run({.start = 0, .end = 2, .state = state});
}

// Plates on one another with dry friction between neighbours, the lowest pushed: relays that all see each other.
struct Plates {
  Index count;
  void guards(auto, const auto& x, auto&& h) const {
    for (Index i = 0; i + 1 < count; ++i) h[i] = x[count + i + 1] - x[count + i];
  }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::sin;
    for (Index i = 0; i < count; ++i) {
      dx[i] = x[count + i];
      dx[count + i] = -50.0 / static_cast<double>(1 + i) * x[i] - 0.3 * x[count + i];
      if (i + 1 < count) dx[count + i] += 0.4 * lambda[i];
      if (i > 0) dx[count + i] -= 0.4 * lambda[i - 1];
    }
    dx[count] += 3.0 * sin(2.0 * t);
  }
};

Solution pushed_plates(Index plates, LinearSolver solver, Method method = Method::bdf) {
  Options options;
  options.rtol = 1e-7;
  options.method = method;
  options.linear_solver = solver;
  options.recording = Recording::nothing;
  return Simulator(from_functor(Plates{plates}, {.states = 2 * plates, .surfaces = plates - 1}), options)
      .run({.start = 0, .end = 3, .state = Vector::Zero(2 * plates)});
}

void check_the_same(const Solution& got, const Solution& expected, double tolerance) {
  REQUIRE(expected.outcome.reached_end());
  CAPTURE(got.outcome.message);
  REQUIRE(got.outcome.reached_end());
  REQUIRE(got.events.size() == expected.events.size());
  for (std::size_t k = 0; k < got.events.size(); ++k) {
    CHECK(got.events[k].kind == expected.events[k].kind);
    CHECK(got.events[k].surfaces == expected.events[k].surfaces);
    CHECK(std::abs(got.events[k].t - expected.events[k].t) < tolerance);
  }
  CHECK((got.final.state - expected.final.state).lpNorm<Eigen::Infinity>() < tolerance);
  CHECK(got.final.mode == expected.final.mode);
}

}  // namespace

TEST_CASE("every linear solver follows a ball that bounces to rest") {
  const Solution dense = drop(LinearSolver::dense);
  for (const LinearSolver solver : {LinearSolver::band, LinearSolver::klu, LinearSolver::gmres}) {
    CAPTURE(to_string(solver));
    check_the_same(drop(solver), dense, 1e-5);
  }
}

TEST_CASE("a stiff string that falls on knobs bounces and rests the same with every linear solver") {
  const Solution dense = fall_of_string(100, LinearSolver::dense);
  REQUIRE(dense.events.size() > 10);
  CHECK(dense.final.mode.word().find('0') != std::string::npos);
  for (const LinearSolver solver : {LinearSolver::band, LinearSolver::klu, LinearSolver::gmres}) {
    CAPTURE(to_string(solver));
    check_the_same(fall_of_string(100, solver), dense, 1e-4);
  }
}

TEST_CASE("a tower whose contacts open and close is the same with every linear solver") {
  const Solution dense = settling_tower(LinearSolver::dense);
  REQUIRE(dense.events.size() > 10);
  for (const LinearSolver solver : {LinearSolver::band, LinearSolver::klu, LinearSolver::gmres}) {
    CAPTURE(to_string(solver));
    check_the_same(settling_tower(solver), dense, 1e-4);
  }
}

TEST_CASE("a stack of plates that hold each other by friction slides the same with every linear solver") {
  const Solution dense = pushed_plates(30, LinearSolver::dense);
  REQUIRE(dense.events.size() > 12);
  for (const LinearSolver solver : {LinearSolver::band, LinearSolver::klu, LinearSolver::gmres}) {
    CAPTURE(to_string(solver));
    check_the_same(pushed_plates(30, solver), dense, 1e-4);
  }
  // The same steps: the parts of the Jacobian are all of it.
  CHECK(pushed_plates(30, LinearSolver::klu).statistics.steps == dense.statistics.steps);
}

TEST_CASE(
    "with factors of a band or of a sparse matrix rodas takes the steps that it takes with a full one") {
  const auto check = [](const auto& solve, double tolerance) {
    const Solution dense = solve(LinearSolver::dense);
    REQUIRE(dense.outcome.reached_end());
    for (const LinearSolver solver : {LinearSolver::band, LinearSolver::klu}) {
      CAPTURE(to_string(solver));
      check_the_same(solve(solver), dense, tolerance);
    }
    CHECK(solve(LinearSolver::klu).statistics.steps == dense.statistics.steps);
  };
  check([](LinearSolver solver) { return drop(solver, Method::rodas); }, 1e-5);
  check([](LinearSolver solver) { return fall_of_string(40, solver, Method::rodas); }, 1e-4);
  check([](LinearSolver solver) { return pushed_plates(30, solver, Method::rodas); }, 1e-4);
}

TEST_CASE("rodas refuses gmres, which makes no factors") {
  CHECK_THROWS_WITH_AS(drop(LinearSolver::gmres, Method::rodas),
                       doctest::Contains("expected dense, band or klu"), std::invalid_argument);
}

}  // namespace slideway
