// Derivatives by going backwards: outputs along a run, and what many parameters cost. That they are those of forward derivatives is
// checked wherever these are (differentiated.hpp).
#include <chrono>

#include "test/sensitivity/differentiated.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

// A driven block on a rough floor, and a force with so many coefficients.
std::string many_coefficients(int count) {
  std::string text = "[parameters]\nmu = 0.4\n";
  for (int k = 1; k <= count; ++k) text += "a" + std::to_string(k) + " = " + std::to_string(0.5 / k) + "\n";
  text +=
      "[states]\nx = 1.5\nv = 0.0\n[time]\nend = 40.0\n[surfaces]\nslip = \"v\"\n[derivatives]\nx = \"v\"\n";
  text += "v = \"cos(0.5*t) - x - mu*sgn(slip)";
  for (int k = 1; k <= count; ++k)
    text += " + a" + std::to_string(k) + "*x*x*" + std::to_string(0.001 * (k % 7 + 1));
  return text + "\"\n";
}

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

TEST_CASE("an output at several times has the sum of their derivatives, also at an event and beyond it") {
  const Model model = parse_model(R"TOML(
[parameters]
p = 0.6
[states]
x = 0.0
[time]
end = 1.0
[derivatives]
x = "1 + step(x - p)"
)TOML",
                                  "test.toml");
  const ModelInstance instance = model.instantiate({});
  const Options options{.rtol = 1e-8};
  const Run run{.start = 0, .end = 1, .state = instance.state};
  const Solution solution = Simulator(instance.problem(), options).run(run);
  const SensitivityRequest request = sensitivities_by(model, {}, instance, {"p", "x"});
  const AdjointGradients found =
      adjoint_gradients(instance.problem(), options, run, solution, request,
                        {{.times = {0.3, 0.8, 1.0}, .weights = Matrix{{10, 3, 2}}},
                         {.times = {0.0}, .weights = Matrix{{1}}},
                         {.times = {solution.events[0].t}, .weights = Matrix{{1}}}});
  CHECK(std::isinf(found.exists_until));
  CHECK(std::abs(found.gradients(0, 0) + 5) <= 1e-7);
  CHECK(std::abs(found.gradients(0, 1) - 20) <= 1e-7);
  CHECK(std::abs(found.gradients(1, 0)) <= 1e-12);
  CHECK(std::abs(found.gradients(1, 1) - 1) <= 1e-12);
  CHECK(std::abs(found.gradients(2, 0) + 1) <= 1e-7);
  CHECK(std::abs(found.gradients(2, 1) - 2) <= 1e-7);
}

TEST_CASE("a thousand parameters cost a few runs") {
  const Model model = parse_model(many_coefficients(1000), "test.toml");
  const ModelInstance instance = model.instantiate({});
  const Options options{.rtol = 1e-8};
  const Run run{.start = 0, .end = 40, .state = instance.state};
  const Simulator simulator(instance.problem(), options);
  std::vector<std::string> names;
  for (const auto& [name, value] : instance.parameters) names.push_back(name);
  const SensitivityRequest request = sensitivities_by(model, {}, instance, names);
  double run_time = 1e300, adjoint_time = 1e300;
  Solution solution;
  AdjointGradients found;
  for (int repeat = 0; repeat < 3; ++repeat) {
    auto begin = std::chrono::steady_clock::now();
    solution = simulator.run(run);
    run_time = std::min(run_time, seconds_since(begin));
    begin = std::chrono::steady_clock::now();
    found = adjoint_gradients(instance.problem(), options, run, solution, request,
                              {{.times = {40.0}, .weights = Vector::Unit(2, 0)}});
    adjoint_time = std::min(adjoint_time, seconds_since(begin));
  }
  REQUIRE(solution.outcome.reached_end());
  MESSAGE("a run takes " << run_time << " s, its adjoint " << adjoint_time << " s, with "
                         << solution.events.size() << " events");
  for (const char* name : {"mu", "a1", "a500"}) {
    Options differentiated = options;
    differentiated.sensitivities = sensitivities_by(model, {}, instance, {name});
    const Solution forward = Simulator(instance.problem(), differentiated).run(run);
    const auto place = std::find(names.begin(), names.end(), name) - names.begin();
    CAPTURE(name);
    const double expected = forward.sensitivities->final()(0, 0);
    CHECK(std::abs(found.gradients(0, place) - expected) <= 1e-6 * std::max(1.0, std::abs(expected)));
  }
}

TEST_CASE("the adjoint refuses what does not fit its run") {
  const Model model =
      parse_model("[states]\nx = 1.0\n[time]\nend = 1.0\n[derivatives]\nx = \"-x\"\n", "test.toml");
  const ModelInstance instance = model.instantiate({});
  const Run run{.start = 0, .end = 1, .state = instance.state};
  const SensitivityRequest request = by_initial_values(instance.system, {"x"});
  Options options{.rtol = 1e-8};
  const Solution solution = Simulator(instance.problem(), options).run(run);
  const auto refused = [&](const AdjointOutput& output) {
    CHECK_THROWS_AS(adjoint_gradients(instance.problem(), options, run, solution, request, {output}),
                    std::invalid_argument);
  };
  refused({.times = {2.0}, .weights = Matrix{{1}}});
  refused({.times = {1.0}, .weights = Matrix{{1, 2}}});
  refused({.times = {}, .weights = Matrix(1, 0), .event_times = {{3, 1.0}}});
  options.recording = Recording::nothing;
  const Solution bare = Simulator(instance.problem(), options).run(run);
  CHECK_THROWS_AS(adjoint_gradients(instance.problem(), options, run, bare, request, {}),
                  std::invalid_argument);
}
