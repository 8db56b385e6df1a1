// The core decides nothing otherwise: with it and without it a run is the same, to the last bit.
#include <cstdlib>
#include <string>
#include <vector>

#include "models/registry.hpp"
#include "test/simulate/hybrid.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

// Switches the core off while it lives.
struct WithoutCore {
  WithoutCore() { ::setenv("SLIDEWAY_CORE", "off", 1); }
  ~WithoutCore() { ::unsetenv("SLIDEWAY_CORE"); }
};

void check_same(const Solution& with, const Solution& without) {
  CHECK(with.outcome.status == without.outcome.status);
  CHECK(with.final.t == without.final.t);
  CHECK(with.final.state == without.final.state);
  CHECK(with.statistics.steps == without.statistics.steps);
  REQUIRE(with.events.size() == without.events.size());
  for (std::size_t k = 0; k < with.events.size(); ++k) {
    CAPTURE(k);
    const EventRecord& one = with.events[k];
    const EventRecord& other = without.events[k];
    CHECK(one.t == other.t);
    CHECK(one.kind == other.kind);
    CHECK(one.from == other.from);
    CHECK(one.to == other.to);
    CHECK(one.reason == other.reason);
    CHECK(one.before == other.before);
    CHECK(one.after == other.after);
  }
  CHECK(with.trajectory.segments().size() == without.trajectory.segments().size());
  const double start = with.trajectory.start();
  constexpr int points = 200;
  for (int k = 0; k <= points; ++k) {
    const double t = start + (with.final.t - start) * k / points;
    CHECK(with.trajectory(t) == without.trajectory(t));
  }
}

void check_both_ways(const std::string& name, double duration, const Options& options) {
  const ModelInstance instance = models::find_model(name).instantiate({});
  const Simulator simulator(instance.problem(), options);
  const Run run{.start = instance.start, .end = instance.start + duration, .state = instance.state};
  const Solution with = simulator.run(run);
  const WithoutCore without_core;
  const Solution without = simulator.run(run);
  check_same(with, without);
  CHECK(with.outputs == without.outputs);
}

}  // namespace

TEST_CASE("models of the catalogue run to the same bits with the core and without it") {
  for (const std::string name :
       {"dry-friction", "belt", "relay", "circle", "evaporator", "moving-surface", "two-relays",
        "friction-belt", "friction-chain", "bouncing-ball", "thermostat"}) {
    for (const Method method : {Method::automatic, Method::dopri5, Method::dop853, Method::bdf}) {
      for (const double rtol : {1e-4, 1e-9}) {
        CAPTURE(name);
        CAPTURE(std::string(to_string(method)));
        CAPTURE(rtol);
        Options options;
        options.method = method;
        options.rtol = rtol;
        check_both_ways(name, 5, options);
      }
    }
  }
}

TEST_CASE("797 mode changes of driven friction come to the same bits with the core and without it") {
  for (const double rtol : {1e-4, 1e-6, 1e-8}) {
    CAPTURE(rtol);
    Options options;
    options.method = Method::dopri5;
    options.rtol = rtol;
    check_both_ways("dry-friction", 2513.27, options);
  }
}

TEST_CASE("output times within steps of the core hold the states that they hold without it") {
  Options options;
  for (int k = 0; k <= 57; ++k) options.output_times.push_back(0.7 * k);
  check_both_ways("dry-friction", 40, options);
}
