// Model files whose events are followed where they are.
#include <doctest/doctest.h>

#include <string>

#include "slideway/io/model_file.hpp"
#include "slideway/simulate/simulator.hpp"

using namespace slideway;

namespace {

Solution run(const ModelInstance& instance, double rtol, LocalEvents local) {
  Options options{.rtol = rtol};
  options.recording = Recording::nothing;
  options.local_events = local;
  return Simulator(instance.problem(), options)
      .run({.start = instance.start, .end = instance.end, .state = instance.state});
}

void check_same(const std::string& text, double rtol, double most) {
  const ModelInstance instance = parse_model(text, "test.toml").instantiate({});
  const Solution local = run(instance, rtol, LocalEvents::on);
  const Solution global = run(instance, rtol, LocalEvents::off);
  CHECK_MESSAGE(local.warnings.empty(), local.warnings.front());
  CHECK(local.outcome.reached_end());
  REQUIRE(local.events.size() == global.events.size());
  REQUIRE(local.events.size() > 20);
  for (std::size_t k = 0; k < local.events.size(); ++k) {
    CHECK(local.events[k].kind == global.events[k].kind);
    CHECK(local.events[k].name == global.events[k].name);
    CHECK(std::abs(local.events[k].t - global.events[k].t) <= most);
  }
  CHECK((local.final.state - global.final.state).lpNorm<Eigen::Infinity>() <= most);
}

}  // namespace

TEST_CASE("thermostats of a model file remember their side locally") {
  const std::string text =
      "name = \"rooms\"\n[parameters]\nN = 30\n[states]\nth = { size = \"N\", value = \"20.5 + "
      "0.3*sin(3*i)\" }\n"
      "[time]\nend = 40\n[derivatives]\n"
      "th = { value = \"(32 - 10*(1 + hysteresis(th[i], 20, 21)) - th[i])/(20 + 5*cos(7*i))\", ends = "
      "\"zero\" }\n";
  check_same(text, 1e-8, 1e-5);
}

TEST_CASE("a chain of a model file sticks and slips locally") {
  const std::string text =
      "name = \"blocks\"\n[parameters]\nN = 25\n[states]\n"
      "x = { size = \"N\", value = \"1.5*sin(2.1*i) + 0.4*cos(0.37*i)\" }\nv = { size = \"N\", value = \"0\" "
      "}\n"
      "[time]\nend = 12\n[derivatives]\nx = \"v[i]\"\n"
      "v = { value = \"x[i-1] - 2.1*x[i] + x[i+1] - 0.3*sgn(v[i] - 0.1)\", ends = \"zero\" }\n";
  check_same(text, 1e-9, 1e-5);
}
