// Exits of sliding that are polynomials along a step are found where a march along the step finds them.
#include <doctest/doctest.h>

#include <cmath>
#include <cstddef>

#include "slideway/model/from_functor.hpp"
#include "slideway/simulate/simulator.hpp"

using namespace slideway;

namespace {

// Blocks on a belt, coupled by springs.
struct Blocks {
  Index count = 1;
  void guards(auto, const auto& x, auto&& h) const {
    for (Index i = 0; i < count; ++i) h[i] = x[count + i] - 0.1;
  }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    for (Index i = 0; i < count; ++i) {
      dx[i] = x[count + i];
      auto force = -2.1 * x[i] - 0.3 * lambda[i];
      if (i > 0) force += x[i - 1];
      if (i + 1 < count) force += x[i + 1];
      dx[count + i] = force;
    }
  }
};

// A double integrator with a ramp, under a relay on a combination of its states.
struct MovingRelay {
  void guards(auto t, const auto& x, auto&& h) const { h[0] = x[0] + 0.5 * x[1] - 0.01 * t; }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = x[1];
    dx[1] = -0.2 * x[0] + 0.3 * t - 1 - 2 * lambda[0];
  }
};

// Three wheels and two clutches that are pressed more and less: what the relays do to the surfaces changes with time.
struct Clutches {
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[0] - x[1];
    h[1] = x[1] - x[2];
  }
  void field(auto t, const auto&, const auto& lambda, auto&& dx) const {
    using std::cos;
    using std::sin;
    const auto first = (60.0 + 50.0 * sin(0.8 * t)) * lambda[0];
    const auto second = (70.0 + 40.0 * cos(1.1 * t)) * lambda[1];
    dx[0] = 60.0 - 40.0 * sin(t) - first;
    dx[1] = first - second;
    dx[2] = second;
  }
};

Solution run(const System& system, const Vector& state, Method method, double rtol) {
  return Simulator(system, {.rtol = rtol, .atol = 0.01 * rtol, .method = method})
      .run({.start = 0, .end = 20, .state = state});
}

void check_same(const System& system, const Vector& state) {
  SystemDefinition definition = system.definition();
  REQUIRE(definition.field_affine);
  definition.field_affine = false;
  const System marched{std::move(definition)};
  for (const Method method : {Method::dopri5, Method::bdf}) {
    for (const double rtol : {1e-4, 1e-8}) {
      CAPTURE(rtol);
      const Solution found = run(system, state, method, rtol);
      const Solution expected = run(marched, state, method, rtol);
      REQUIRE(found.outcome.reached_end());
      REQUIRE(found.events.size() == expected.events.size());
      bool exits = false;
      for (std::size_t k = 0; k < found.events.size(); ++k) {
        CHECK(found.events[k].kind == expected.events[k].kind);
        CHECK(found.events[k].to == expected.events[k].to);
        CHECK(std::abs(found.events[k].t - expected.events[k].t) < 100 * rtol);
        exits = exits || found.events[k].kind == EventKind::sliding_exit;
      }
      CHECK(exits);
      CHECK((found.final.state - expected.final.state).cwiseAbs().maxCoeff() < 100 * rtol);
      CHECK(found.statistics.field_evaluations < expected.statistics.field_evaluations);
    }
  }
}

}  // namespace

TEST_CASE("blocks that stick and slip let go where a march finds that they do") {
  for (const Index count : {1, 2, 12}) {
    CAPTURE(count);
    Vector state = Vector::Zero(2 * count);
    for (Index i = 0; i < count; ++i) state[i] = 1.5 * std::sin(2.1 * static_cast<double>(i + 1));
    check_same(from_functor(Blocks{count}, {.states = 2 * count, .surfaces = count}), state);
  }
}

TEST_CASE("sliding under one relay ends where a march finds that it does") {
  check_same(from_functor(MovingRelay{}, {.states = 2, .surfaces = 1}), Eigen::Vector2d{1, 0});
}

TEST_CASE(
    "sliding on two surfaces ends where a relay reaches its bound though its effect changes with time") {
  // All three wheels have a third of the torque, so that the first clutch carries two thirds of it.
  const auto spare = [](double t) { return 60 + 50 * std::sin(0.8 * t) - 2 * (60 - 40 * std::sin(t)) / 3; };
  double early = 3.9;
  double late = 4.0;
  for (int k = 0; k < 60; ++k) {
    const double middle = 0.5 * (early + late);
    (spare(middle) > 0 ? early : late) = middle;
  }
  const System system = from_functor(Clutches{}, {.states = 3, .surfaces = 2});
  for (const Method method :
       {Method::dopri5, Method::dop853, Method::rodas, Method::adams, Method::bdf, Method::automatic}) {
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
      CAPTURE(rtol);
      const Solution solution = Simulator(system, {.rtol = rtol, .atol = 0.01 * rtol, .method = method})
                                    .run({.start = 0, .end = 4, .state = Vector::Zero(3)});
      REQUIRE(solution.outcome.reached_end());
      CHECK(solution.initial.mode.word() == "00");
      REQUIRE(solution.events.size() == 1);
      CHECK(solution.events[0].kind == EventKind::sliding_exit);
      CHECK(std::abs(solution.events[0].t - early) <= 1e-10);
      CHECK(solution.final.mode.word() == "+0");
    }
  }
}
