// Derivatives along runs whose events are followed where they are, beside those along a run that stops all states.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "slideway/io/model_file.hpp"
#include "slideway/simulate/sensitivity.hpp"
#include "slideway/simulate/simulator.hpp"

using namespace slideway;

namespace {

// A chain of blocks on a belt, as models/gallery/friction_chain.toml.
const char* const chain = R"TOML(
[parameters]
N  = 10
k  = 1.0
kp = 0.1
mu = 0.3
vb = 0.1
[states]
x = { size = "N", value = "1.5*sin(2.1*i) + 0.4*cos(0.37*i)", ends = "zero" }
v = { size = "N", value = "0" }
[time]
end = 5.0
[surfaces]
stick = { size = "N", value = "v[i] - vb" }
[derivatives]
x = "v[i]"
v = "k*(x[i-1] - 2*x[i] + x[i+1]) - kp*x[i] - mu*sgn(stick[i])"
)TOML";

Solution differentiated(const Model& model, const Settings& settings, const std::vector<std::string>& by,
                        double rtol, LocalEvents local) {
  const ModelInstance instance = model.instantiate(settings);
  Options options{.rtol = rtol};
  options.local_events = local;
  options.output_times = {0.5, 2.0};
  options.sensitivities = sensitivities_by(model, settings, instance, by);
  return Simulator(instance.problem(), options)
      .run({.start = instance.start, .end = instance.end, .state = instance.state});
}

// The largest difference of two matrices, in units of their largest entry by column.
double distance(const Matrix& one, const Matrix& other) {
  double most = 0;
  for (Index j = 0; j < one.cols(); ++j)
    most = std::max(most, (one.col(j) - other.col(j)).lpNorm<Eigen::Infinity>() /
                              std::max(1.0, other.col(j).lpNorm<Eigen::Infinity>()));
  return most;
}

void check_same(const Model& model, const std::vector<std::string>& by, const Settings& settings, double rtol,
                double allowed) {
  const Solution local = differentiated(model, settings, by, rtol, LocalEvents::on);
  const Solution global = differentiated(model, settings, by, rtol, LocalEvents::off);
  CHECK(local.warnings.empty());
  REQUIRE(local.sensitivities);
  REQUIRE(global.sensitivities);
  CHECK(local.sensitivities->reason().empty());
  CHECK(distance(local.sensitivities->final(), global.sensitivities->final()) <= allowed);
  for (std::size_t k = 0; k < 2; ++k)
    CHECK(distance(local.sensitivities->outputs()[k], global.sensitivities->outputs()[k]) <= allowed);
  REQUIRE(local.sensitivities->events().size() == global.sensitivities->events().size());
  // The time of an event where h = 0 has the derivative −(∂h/∂x·S)/w, which an error of w moves by its own square.
  for (std::size_t e = 0; e < local.events.size(); ++e) {
    const Vector& own = local.sensitivities->events()[e].time;
    const Vector& other = global.sensitivities->events()[e].time;
    for (Index j = 0; j < own.size(); ++j) {
      CHECK(std::isfinite(own[j]) == std::isfinite(other[j]));
      if (!std::isfinite(own[j])) continue;
      CHECK(std::abs(own[j] - other[j]) <= allowed * std::max(1.0, other[j] * other[j]));
    }
  }
}

}  // namespace

TEST_CASE("derivatives along a local run of a chain are those along the run that stops all states") {
  const Model model = parse_model(chain, "chain.toml");
  check_same(model, {"mu", "vb", "x3", "v5"}, {{"N", 60}}, 1e-6, 1e-5);
  check_same(model, {"mu", "vb", "x3", "v5"}, {{"N", 60}}, 1e-8, 1e-7);
}

TEST_CASE(
    "derivatives along a local run of three hundred blocks are those along the run that stops all states") {
  const Model model = parse_model(chain, "chain.toml");
  check_same(model, {"mu", "vb", "x3", "v5"}, {{"N", 300}, {"mu", 0.4}}, 1e-7, 1e-6);
}

TEST_CASE("derivatives through resets of a local run are those through resets that stop all states") {
  const Model model = read_model_file(std::string(SLIDEWAY_SOURCE_DIR) + "/models/gallery/thermostats.toml");
  check_same(model, {"T_out", "R", "band", "T7"}, {{"N", 80}}, 1e-8, 1e-7);
}
