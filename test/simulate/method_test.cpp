// The methods side by side: the same events, whoever integrates between them.
#include <doctest/doctest.h>

#include <cmath>

#include "slideway/model/from_functor.hpp"
#include "slideway/simulate/simulator.hpp"

using namespace slideway;

namespace {

// x'' = −x − 0.4 sgn(x') + cos(t/2)
struct DryFriction {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[1]; }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::cos;
    dx[0] = x[1];
    dx[1] = -x[0] - 0.4 * lambda[0] + cos(0.5 * t);
  }
};

// y follows cos t within 1/rate, and z is pushed to and fro by the sign of y.
struct StiffRelay {
  double rate = 1e6;
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto t, const auto& x, const auto& lambda, auto&& dx) const {
    using std::cos;
    dx[0] = -rate * (x[0] - cos(t));
    dx[1] = lambda[0];
  }
};

Solution follow(const System& system, Method method, double end, const Vector& state) {
  return Simulator(system, {.rtol = 1e-7, .method = method, .max_steps = 200'000})
      .run({.start = 0, .end = end, .state = state});
}

void check_same_events(const Solution& one, const Solution& other, double tolerance) {
  REQUIRE(one.events.size() == other.events.size());
  for (std::size_t k = 0; k < one.events.size(); ++k) {
    CHECK(one.events[k].kind == other.events[k].kind);
    CHECK(std::abs(one.events[k].t - other.events[k].t) <= tolerance);
  }
  CHECK((one.final.state - other.final.state).lpNorm<Eigen::Infinity>() <= tolerance);
}

}  // namespace

TEST_CASE("the automatic method stays with dopri5 for dry friction") {
  const System system = from_functor(DryFriction{}, {.states = 2, .surfaces = 1});
  const Vector state = Eigen::Vector2d(2, 0);
  const Solution dopri5 = follow(system, Method::dopri5, 100, state);
  const Solution automatic = follow(system, Method::automatic, 100, state);
  REQUIRE(automatic.outcome.reached_end());
  CHECK(dopri5.events.size() > 20);
  check_same_events(dopri5, automatic, 0);
  check_same_events(dopri5, follow(system, Method::bdf, 100, state), 1e-3);
  CHECK(std::isnan(automatic.statistics.stiff_from));
  CHECK(automatic.statistics.steps == dopri5.statistics.steps);
  CHECK(automatic.statistics.jacobian_evaluations == 0);
}

TEST_CASE("the automatic method goes over to BDF for a stiff relay, and says when") {
  const System system = from_functor(StiffRelay{}, {.states = 2, .surfaces = 1});
  const Vector state = Eigen::Vector2d(1, 0);
  const Solution bdf = follow(system, Method::bdf, 20, state);
  const Solution automatic = follow(system, Method::automatic, 20, state);
  REQUIRE(automatic.outcome.reached_end());
  CHECK(automatic.events.size() == 6);
  check_same_events(bdf, automatic, 1e-4);
  CHECK(automatic.statistics.stiff_from >= 0);
  CHECK(automatic.statistics.stiff_from < 0.1);
  CHECK(std::isnan(bdf.statistics.stiff_from));
  // Stability alone would make dopri5 take six million steps.
  CHECK(automatic.statistics.steps < 20'000);
}
