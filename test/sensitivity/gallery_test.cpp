// Derivatives of the gallery's models against differences of runs that are far more accurate.
#include <filesystem>
#include <optional>

#include "test/sensitivity/differentiated.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

Solution run_of(const ModelInstance& instance, double end, double rtol, SensitivityRequest request = {}) {
  Options options;
  options.rtol = rtol;
  options.recording = Recording::nothing;
  options.max_events = 20'000;
  options.sensitivities = std::move(request);
  return Simulator(instance.problem(), options)
      .run({.start = instance.start, .end = end, .state = instance.state});
}

bool same_signature(const Solution& a, const Solution& b) {
  if (a.events.size() != b.events.size() || a.final.mode != b.final.mode) return false;
  for (std::size_t k = 0; k < a.events.size(); ++k)
    if (a.events[k].kind != b.events[k].kind || a.events[k].to != b.events[k].to) return false;
  return true;
}

}  // namespace

TEST_CASE("derivatives of the gallery agree with differences of accurate runs") {
  std::size_t compared = 0;
  for (const auto& file :
       std::filesystem::directory_iterator(std::string(SLIDEWAY_SOURCE_DIR) + "/models/gallery")) {
    if (file.path().extension() != ".toml") continue;
    const std::string name = file.path().stem().string();
    CAPTURE(name);
    const Model model = read_model_file(file.path().string());
    const ModelInstance instance = model.instantiate({});
    if (instance.system.states() > 12) continue;
    const double end = instance.start + 0.1 * (instance.end - instance.start);
    for (const Parameter& parameter : model.parameters) {
      CAPTURE(parameter.name);
      SensitivityRequest request;
      try {
        request = sensitivities_by(model, {}, instance, {parameter.name});
      } catch (const std::invalid_argument&) {
        continue;
      }
      const Solution found = run_of(instance, end, 1e-10, request);
      if (!found.outcome.succeeded() || found.sensitivities->exists_until() < end) continue;
      std::optional<Vector> sides[2];
      const double step = 1e-5 * (parameter.value != 0 ? std::abs(parameter.value) : 1);
      for (const int side : {0, 1}) {
        const double value = parameter.value + (side == 0 ? -step : step);
        ModelInstance other = instance;
        try {
          other = model.instantiate({{parameter.name, value}});
        } catch (const std::invalid_argument&) {
          continue;
        }
        if (other.end != instance.end && other.start != instance.start) continue;
        const Solution run = run_of(other, end, 1e-12);
        if (run.outcome.succeeded() && same_signature(found, run)) sides[side] = run.final.state;
      }
      if (!sides[0] || !sides[1]) continue;
      const Vector expected = (*sides[1] - *sides[0]) / (2 * step);
      const Vector got = found.sensitivities->final().col(0);
      const double size = std::max(expected.lpNorm<Eigen::Infinity>(),
                                   1e-3 * instance.state.lpNorm<Eigen::Infinity>() / step * 1e-5);
      CAPTURE(expected.transpose());
      CAPTURE(got.transpose());
      CHECK((got - expected).lpNorm<Eigen::Infinity>() <= 1e-4 * size + 1e-6);
      ++compared;
    }
  }
  CHECK(compared > 60);
}
