// The events that CVODE's root-finding sees, beside those that certification finds.
#include <cmath>
#include <numbers>
#include <set>

#include "models/registry.hpp"
#include "test/simulate/hybrid.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

Solution run_model(const std::string& name, double end, Method method, double rtol) {
  const ModelInstance instance = models::find_model(name).instantiate({});
  Options options;
  options.method = method;
  options.rtol = rtol;
  options.recording = Recording::nothing;
  return Simulator(instance.problem(), options)
      .run({.start = instance.start, .end = end, .state = instance.state});
}

}  // namespace

TEST_CASE("CVODE's root-finding sees some of the 797 events of a stick-slip oscillator, certification all") {
  const double end = 200 * 2 * std::numbers::pi / 0.5;
  std::set<std::int64_t> counts;
  for (const Method method : {Method::bdf, Method::adams}) {
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
      CAPTURE(std::string(to_string(method)));
      CAPTURE(rtol);
      const Solution solution = run_model("dry-friction", end, method, rtol);
      REQUIRE(solution.outcome.reached_end());
      CHECK(solution.events.size() == 797);
      CHECK(solution.statistics.integrator_roots > 600);
      CHECK(solution.statistics.integrator_roots < 797);
      counts.insert(solution.statistics.integrator_roots);
    }
  }
  // They depend on the steps, and so on the tolerance.
  CHECK(counts.size() > 1);
}

TEST_CASE("CVODE's root-finding sees both events of the evaporator") {
  for (const Method method : {Method::bdf, Method::adams}) {
    for (const double rtol : {1e-4, 1e-6, 1e-8, 1e-10}) {
      CAPTURE(std::string(to_string(method)));
      CAPTURE(rtol);
      const ModelInstance instance = models::find_model("evaporator").instantiate({});
      const Solution solution = run_model("evaporator", instance.end, method, rtol);
      CHECK(solution.events.size() == 2);
      CHECK(solution.statistics.integrator_roots == 2);
    }
  }
}

TEST_CASE("methods without root-finding of their own see no events by it") {
  for (const Method method : {Method::dopri5, Method::dop853, Method::rodas})
    CHECK(run_model("evaporator", 20, method, 1e-6).statistics.integrator_roots == 0);
}

TEST_CASE("CVODE's root-finding sees impacts, records and a stop") {
  // Thrown up at 5 under g = 10 the ball is back after 1, at its apex after 0.5, and its next flight, at e = 0.5, takes 0.5.
  const auto falling = [] {
    return smooth(2, [](auto, const auto& x, auto&& dx) {
      dx[0] = x[1];
      dx[1] = -10.0 + 0 * x[0];
    });
  };
  for (const Method method : {Method::bdf, Method::adams}) {
    const System ball = falling()
                            .with_contacts({contact("floor", component(0), {{1, 1}}, 0.5)})
                            .with_events({record("apex", component(1), Direction::falling),
                                          stop("late", Guard([](auto t, const auto&) { return t - 1.4; }),
                                               Direction::rising)});
    const Solution solution = run(ball, {0, 5}, 3, {.method = method});
    CAPTURE(std::string(to_string(method)));
    REQUIRE(solution.outcome.status == Status::stopped_by_event);
    CHECK(std::abs(solution.outcome.t - 1.4) < 1e-12);
    REQUIRE(solution.events.size() == 4);
    CHECK(std::abs(solution.events[0].t - 0.5) < 1e-6);
    CHECK(std::abs(solution.events[1].t - 1) < 1e-6);
    CHECK(solution.statistics.integrator_roots >= 2);
    CHECK(solution.statistics.integrator_roots <= 4);
  }
}
