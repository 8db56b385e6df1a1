// Events at known times, which all states of a local run come to at once.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "slideway/io/model_file.hpp"
#include "test/local/local_runs.hpp"
#include "test/local/same_changes.hpp"

using namespace slideway;
using namespace test;

namespace {

const std::string kBlocks =
    "name = \"blocks\"\n[parameters]\nN = 25\n[states]\n"
    "x = { size = \"N\", value = \"1.5*sin(2.1*i) + 0.4*cos(0.37*i)\" }\nv = { size = \"N\", value = \"0\" "
    "}\n";

void check_same(const std::string& text, std::size_t samples) {
  const ModelInstance instance = parse_model(text, "test.toml").instantiate({});
  const Solution local = run_model(instance, 1e-9, LocalEvents::on);
  const Solution global = run_model(instance, 1e-9, LocalEvents::off);
  CHECK_MESSAGE(local.warnings.empty(), local.warnings.front());
  CHECK(local.outcome.reached_end());
  check_same_changes(local, global, 1e-5);
  const auto times = [](const Solution& solution) {
    std::vector<double> found;
    for (const EventRecord& event : solution.events)
      if (event.kind == EventKind::sample) found.push_back(event.t);
    return found;
  };
  CHECK(times(local).size() == samples);
  CHECK(times(local) == times(global));
  CHECK((local.final.state - global.final.state).lpNorm<Eigen::Infinity>() <= 1e-6);
  for (int k = 0; k <= 100; ++k) {
    const double t = instance.end * k / 100;
    CAPTURE(t);
    CHECK((local.trajectory.before(t) - global.trajectory.before(t)).lpNorm<Eigen::Infinity>() <= 1e-5);
  }
}

}  // namespace

TEST_CASE(
    "kicks at known times come in a local run when and as often as in another, at the start and the end "
    "too") {
  check_same(kBlocks +
                 "[time]\nend = 6\n[derivatives]\nx = \"v[i]\"\n"
                 "v = { value = \"x[i-1] - 2.1*x[i] + x[i+1] - 0.3*sgn(v[i] - 0.1)\", ends = \"zero\" }\n"
                 "[[every]]\nname = \"kick\"\nperiod = 0.75\nset = { v3 = \"v3 + 0.5\", v20 = \"-v20\" }\n"
                 "[[every]]\nname = \"late\"\nat = [2.1, 2.1000001, 4.5]\nset = { v7 = \"0.2*x7\" }\n",
             12);
}

TEST_CASE("a sampled controller of all blocks holds its output in a local run") {
  check_same(
      kBlocks +
          "[discrete]\nu = 0\n[time]\nend = 5\n[derivatives]\nx = \"v[i]\"\n"
          "v = { value = \"x[i-1] - 2.1*x[i] + x[i+1] - 0.3*sgn(v[i] - 0.1) + if(i < 1.5, u, 0)\", "
          "ends = \"zero\" }\n"
          "[[every]]\nname = \"control\"\nperiod = 0.5\noffset = 0.2\nset = { u = \"-0.5*sum(x)/N\" }\n",
      10);
}
