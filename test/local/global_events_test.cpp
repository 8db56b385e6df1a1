// Surfaces and events of all the system: the sign of a mean, a stop at a sum.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "slideway/io/model_file.hpp"
#include "slideway/simulate/simulator.hpp"
#include "test/local/same_changes.hpp"

using namespace slideway;
using namespace test;

namespace {

// Blocks on a belt, which a governor pushes by the sign of their mean place.
const char* const kGoverned =
    "name = \"governed\"\n[parameters]\nN = 60\nshift = 0\n[states]\n"
    "x = { size = \"N\", value = \"1.5*sin(2.1*i) + 0.4*cos(0.37*i) + 0.3\" }\n"
    "v = { size = \"N\", value = \"0\" }\n"
    "[time]\nend = 12\n[surfaces]\ngovernor = \"sum(x)/N - shift*sin(1.3*t)\"\n"
    "[derivatives]\nx = \"v[i]\"\n"
    "v = { value = \"x[i-1] - 3*x[i] + x[i+1] - 0.3*sgn(v[i] - 0.1) - 0.02*sgn(governor)\", ends = \"zero\" "
    "}\n";

// Heated rooms on one supply, which switches by their mean and slides. Each has a fan of its own besides.
const char* const kSupply =
    "name = \"supply\"\n[parameters]\nN = 60\n[states]\nth = { size = \"N\", value = \"0.5*i/N\" }\n"
    "[time]\nend = 20\n[surfaces]\nsupply = \"sum(th)/N - 1 - 0.4*sin(0.5*t)\"\n[derivatives]\n"
    "th = { value = \"0.5 - (0.4 + 0.1*sin(2*i))*th[i] - 0.45*sgn(supply) "
    "- 0.1*sgn(th[i] - 1.1 - 0.3*sin(0.7*t + 0.5*i))\", ends = \"zero\" }\n";

ModelInstance instance_of(const char* text, double shift = 0) {
  const bool shifts = shift != 0;
  return parse_model(text, "test.toml").instantiate(shifts ? Settings{{"shift", shift}} : Settings{});
}

Solution run(const ModelInstance& instance, const System& system, double rtol, LocalEvents local) {
  Options options{.rtol = rtol};
  options.local_events = local;
  return Simulator(system, options).run({.start = 0, .end = instance.end, .state = instance.state});
}

void check_same(const Solution& local, const Solution& exact, double most) {
  CHECK(local.outcome.reached_end());
  CHECK_MESSAGE(local.warnings.empty(), local.warnings.front());
  check_same_changes(local, exact, most);
  CHECK((local.final.state - exact.final.state).lpNorm<Eigen::Infinity>() <= most);
}

}  // namespace

TEST_CASE("the sign of a mean switches all states at once in a local run") {
  for (const double shift : {0.0, 0.15}) {
    CAPTURE(shift);
    const ModelInstance instance = instance_of(kGoverned, shift);
    const Solution exact = run(instance, instance.system, 1e-11, LocalEvents::off);
    CHECK(changes_of(exact)[0].size() >= 3);
    for (const double rtol : {1e-6, 1e-8}) {
      CAPTURE(rtol);
      check_same(run(instance, instance.system, rtol, LocalEvents::on), exact, 2e3 * rtol);
    }
  }
}

TEST_CASE("a mean slides in a local run, with events of its rooms meanwhile, and leaves") {
  const ModelInstance instance = instance_of(kSupply);
  const Solution exact = run(instance, instance.system, 1e-11, LocalEvents::off);
  const std::vector<Change> of_supply = changes_of(exact)[0];
  REQUIRE(of_supply.size() >= 3);
  CHECK(
      std::any_of(of_supply.begin(), of_supply.end(), [](const Change& one) { return one.word[1] == '0'; }));
  CHECK(
      std::any_of(of_supply.begin(), of_supply.end(), [](const Change& one) { return one.word[0] == '0'; }));
  check_same(run(instance, instance.system, 1e-8, LocalEvents::on), exact, 2e-5);
}

TEST_CASE("a stop at a sum ends a local run where it ends the other") {
  const ModelInstance instance = instance_of(kGoverned, 0.15);
  Event stop;
  stop.name = "far";
  stop.when = Guard([](const auto& /*t*/, const auto& x) {
    auto sum = x[0] * x[0];
    for (Index i = 1; i < x.size(); ++i) sum += x[i] * x[i];
    return 40.0 - sum;
  });
  stop.direction = Direction::rising;
  stop.action = Action::stop;
  const System stopped = instance.system.with_events({stop});
  const Solution local = run(instance, stopped, 1e-8, LocalEvents::on);
  const Solution global = run(instance, stopped, 1e-10, LocalEvents::off);
  CHECK(local.warnings.empty());
  CHECK(global.outcome.status == Status::stopped_by_event);
  CHECK(local.outcome.status == Status::stopped_by_event);
  CHECK(std::abs(local.outcome.t - global.outcome.t) <= 1e-5);
}
