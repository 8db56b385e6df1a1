// Exact derivatives by the parameters of functors, against closed forms and differences of their instances.
#include "slideway/model/functor_parameters.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "models/registry.hpp"
#include "slideway/simulate/simulator.hpp"

using namespace slideway;

namespace {

// x' = a cos(w t), from x(0) = b².
template <class Number = double>
struct Drive {
  Number a = 1, w = 1, b = 1;
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0] - 1e6 * b; }
  void field(auto t, const auto&, const auto&, auto&& dx) const {
    using std::cos;
    dx[0] = a * cos(w * t);
  }
};

Model drive(double end) {
  Model model;
  model.name = "drive";
  model.parameters = {{"a", 2, ""}, {"w", 0.5, ""}, {"b", 3, ""}};
  model.state_names = {"x"};
  model.instantiate = [end](const Settings& settings) {
    Settings values{{"a", 2}, {"w", 0.5}, {"b", 3}};
    for (const auto& [name, value] : settings)
      for (auto& [known, own] : values)
        if (known == name) own = value;
    const Drive<> functor{values[0].second, values[1].second, values[2].second};
    return ModelInstance{from_functor(functor, {.states = 1, .surfaces = 1, .state_names = {"x"}}),
                         values,
                         0,
                         end,
                         Vector::Constant(1, functor.b * functor.b),
                         std::nullopt,
                         {}};
  };
  model.extend = extend_functor(model.instantiate, [](const auto& p) {
    return Drive<std::decay_t<decltype(p[0])>>{p[0], p[1], p[2]};
  });
  return model;
}

Matrix derivatives(const Model& model, const ModelInstance& instance, const std::vector<std::string>& by,
                   double end, double rtol) {
  Options options;
  options.rtol = rtol;
  options.recording = Recording::nothing;
  options.sensitivities = sensitivities_by(model, {}, instance, by);
  const Solution solution = Simulator(instance.problem(), options)
                                .run({.start = instance.start, .end = end, .state = instance.state});
  REQUIRE(solution.outcome.succeeded());
  return solution.sensitivities->final();
}

}  // namespace

TEST_CASE("a parameter that multiplies a long time has its exact derivative") {
  for (const double end : {3.0, 1e3, 1e5}) {
    CAPTURE(end);
    const Model model = drive(end);
    const Matrix got = derivatives(model, model.instantiate({}), {"w", "b", "a"}, end, 1e-9);
    const double by_w = 2 * (end * std::cos(0.5 * end) / 0.5 - std::sin(0.5 * end) / 0.25);
    CHECK(got(0, 0) == doctest::Approx(by_w).epsilon(1e-6));
    CHECK(got(0, 1) == doctest::Approx(6).epsilon(1e-9));
    CHECK(std::abs(got(0, 2) - std::sin(0.5 * end) / 0.5) < 1e-4);
  }
}

TEST_CASE("functors of the catalogue have the derivatives of differences of their instances") {
  int compared = 0;
  for (const Model& model : models::catalogue()) {
    if (!model.extend) continue;
    Model by_differences = model;
    by_differences.extend = nullptr;
    const ModelInstance instance = model.instantiate({});
    if (instance.system.states() > 30) continue;
    const double end = instance.start + 0.2 * (instance.end - instance.start);
    for (const Parameter& parameter : model.parameters) {
      if (parameter.name == "N") {
        CHECK_THROWS_AS(sensitivities_by(model, {}, instance, {"N"}), std::invalid_argument);
        continue;
      }
      CAPTURE(model.name);
      CAPTURE(parameter.name);
      const Matrix exact = derivatives(model, instance, {parameter.name}, end, 1e-8);
      const Matrix expected = derivatives(by_differences, instance, {parameter.name}, end, 1e-8);
      CHECK((exact - expected).cwiseAbs().maxCoeff() <= 1e-5 * std::max(1.0, expected.cwiseAbs().maxCoeff()));
      ++compared;
    }
  }
  CHECK(compared >= 20);
}
