// Derivatives of the gallery's models against differences of runs that are far more accurate.
#include <filesystem>
#include <optional>

#include "models/heat_rod.hpp"
#include "models/registry.hpp"
#include "slideway/model/from_functor.hpp"
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

struct Counts {
  std::size_t asked = 0, compared = 0;
};

// By every parameter and every initial value of a model, where runs beside have the same events.
void compare_derivatives(const Model& model, Counts& counts) {
  CAPTURE(model.name);
  const ModelInstance instance = model.instantiate({});
  if (instance.system.states() > 12) return;
  const double end = instance.start + 0.4 * (instance.end - instance.start);
  Settings wanted;
  for (const Parameter& parameter : model.parameters) wanted.emplace_back(parameter.name, parameter.value);
  for (Index i = 0; i < instance.system.states(); ++i)
    wanted.emplace_back(instance.system.state_names()[static_cast<std::size_t>(i)], instance.state[i]);
  for (const auto& [by, own] : wanted) {
    CAPTURE(by);
    ++counts.asked;
    SensitivityRequest request;
    Solution found;
    try {
      request = sensitivities_by(model, {}, instance, {by});
      found = run_of(instance, end, 1e-10, request);
    } catch (const std::invalid_argument&) {
      MESSAGE(model.name << " " << by << ": no derivative");
      continue;
    }
    if (!found.outcome.succeeded() || found.sensitivities->exists_until() < end) {
      MESSAGE(model.name << " " << by << ": " << found.outcome.message << found.sensitivities->reason());
      continue;
    }
    const double step = 1e-5 * (own != 0 ? std::abs(own) : 1);
    const auto central = [&](double h) -> std::optional<Vector> {
      Vector sides[2];
      for (const int side : {0, 1}) {
        try {
          const ModelInstance other = model.instantiate({{by, own + (side == 0 ? -h : h)}});
          const Solution run = run_of(other, end, 1e-12);
          if (!run.outcome.succeeded() || !same_signature(found, run)) return std::nullopt;
          sides[side] = run.final.state;
        } catch (const std::invalid_argument&) {
          return std::nullopt;  // a value that the model does not take
        }
      }
      return Vector((sides[1] - sides[0]) / (2 * h));
    };
    const std::optional<Vector> near = central(step);
    if (!near) {
      MESSAGE(model.name << " " << by << ": another signature");
      continue;
    }
    // The error of a difference grows with the square of the step, and many impacts make it large.
    const std::optional<Vector> far = central(2 * step);
    const Vector expected = far ? Vector((4 * *near - *far) / 3) : *near;
    const Vector got = found.sensitivities->final().col(0);
    const double noise = 1e-11 * std::max(1.0, instance.state.lpNorm<Eigen::Infinity>()) / step;
    CAPTURE(expected.transpose());
    CAPTURE(got.transpose());
    CHECK((got - expected).lpNorm<Eigen::Infinity>() <=
          1e-4 * expected.lpNorm<Eigen::Infinity>() + 1e-6 + noise);
    const Options options{.rtol = 1e-10, .max_events = 20'000};
    const Run run{.start = instance.start, .end = end, .state = instance.state};
    const Solution recorded = Simulator(instance.problem(), options).run(run);
    // The derivative of |z|^n by n has a logarithm at z = 0, which the quadrature of the adjoint follows to 3e-6 here.
    const double within = model.name == "bouc-wen" && by == "n" ? 1e-5 : 1e-6;
    check_adjoint_agrees(instance.problem(), options, run, recorded, request, *found.sensitivities, within);
    ++counts.compared;
  }
}

}  // namespace

TEST_CASE("derivatives of the gallery agree with differences of accurate runs") {
  Counts counts;
  for (const auto& file :
       std::filesystem::directory_iterator(std::string(SLIDEWAY_SOURCE_DIR) + "/models/gallery"))
    if (file.path().extension() == ".toml")
      compare_derivatives(read_model_file(file.path().string()), counts);
  MESSAGE(counts.compared << " derivatives of " << counts.asked << " were compared");
  CHECK(counts.compared > 60);
}

TEST_CASE("derivatives of the catalogue agree with differences of accurate runs") {
  Counts counts;
  for (const Model& model : models::catalogue()) compare_derivatives(model, counts);
  MESSAGE(counts.compared << " derivatives of " << counts.asked << " were compared");
  CHECK(counts.compared > 60);
}

TEST_CASE("derivatives of a sparse problem whose guard sees every state agree with differences") {
  constexpr Index cells = 60;
  Model model;
  model.name = "rod";
  model.instantiate = [](const Settings& settings) {
    models::HeatRod rod{.cells = cells};
    for (const auto& [name, value] : settings) (name == "K" ? rod.power : rod.reference) = value;
    return ModelInstance{.system = from_functor(rod, {.states = cells, .surfaces = 1}),
                         .parameters = {{"K", rod.power}, {"u_ref", rod.reference}},
                         .start = 0,
                         .end = 4,
                         .state = Vector::Zero(cells)};
  };
  const ModelInstance instance = model.instantiate({});
  const Solution found = run_of(instance, 4, 1e-9, sensitivities_by(model, {}, instance, {"K", "u_ref"}));
  REQUIRE(found.outcome.reached_end());
  REQUIRE(found.events.size() > 1);
  REQUIRE(std::isinf(found.sensitivities->exists_until()));
  const Settings own = instance.parameters;
  for (std::size_t k = 0; k < own.size(); ++k) {
    CAPTURE(own[k].first);
    constexpr double step = 1e-5;
    Vector sides[2];
    for (const int side : {0, 1}) {
      const double value = own[k].second + (side == 0 ? -step : step);
      const Solution run = run_of(model.instantiate({{own[k].first, value}}), 4, 1e-12);
      REQUIRE(same_signature(found, run));
      sides[side] = run.final.state;
    }
    const Vector expected = (sides[1] - sides[0]) / (2 * step);
    const Vector got = found.sensitivities->final().col(static_cast<Index>(k));
    CHECK((got - expected).lpNorm<Eigen::Infinity>() <= 1e-5 * (1 + expected.lpNorm<Eigen::Infinity>()));
  }
}

TEST_CASE(
    "derivatives of a large problem whose Jacobian varies with the states and in time agree with "
    "differences") {
  const Model model = parse_model(R"TOML(
[parameters]
N = 60
q = 0.5
c = 0.3
[states]
u = { size = "N", value = "0.1*sin(3*i/N)" }
removed = 0.0
[time]
end = 4.0
[surfaces]
relay = "u[N] - 0.2"
[derivatives.u]
value = """
  N^2*(1 + c*u[i]^2)*(u[i+1] - 2*u[i] + u[i-1]) + if(i < 1.5, N*q*t, 0)
  - if(i > N - 0.5, N*sgn(relay)*(1 + 0.1*u[N-1]), 0) - sin(20*t)*u[i]"""
ends = "clamped"
[derivatives]
removed = "sgn(relay)"
)TOML",
                                  "rod.toml");
  const ModelInstance instance = model.instantiate({});
  const Settings own = {{"q", 0.5}, {"c", 0.3}};
  std::vector<Vector> expected;
  for (const auto& [name, value] : own) {
    constexpr double step = 1e-5;
    const Solution below = run_of(model.instantiate({{name, value - step}}), 4, 1e-12);
    const Solution above = run_of(model.instantiate({{name, value + step}}), 4, 1e-12);
    expected.emplace_back((above.final.state - below.final.state) / (2 * step));
  }
  for (const double rtol : {1e-5, 1e-6}) {
    CAPTURE(rtol);
    const Solution found = run_of(instance, 4, rtol, sensitivities_by(model, {}, instance, {"q", "c"}));
    REQUIRE(found.outcome.reached_end());
    REQUIRE(found.events.size() > 1);
    for (std::size_t k = 0; k < own.size(); ++k) {
      CAPTURE(own[k].first);
      const Vector wrong = found.sensitivities->final().col(static_cast<Index>(k)) - expected[k];
      const auto sizes = expected[k].cwiseAbs().cwiseMax(0.01);
      CHECK(wrong.cwiseQuotient(sizes).lpNorm<Eigen::Infinity>() <= 30 * rtol);
    }
  }
}
