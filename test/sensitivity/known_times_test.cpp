// Derivatives by parameters that the times of time events are made of, in closed form.
#include "slideway/model/from_functor.hpp"
#include "test/sensitivity/adjoint_of.hpp"
#include "test/sensitivity/differentiated.hpp"

using namespace slideway;
using namespace slideway::test;

TEST_CASE("kicks at offset + k·period have derivatives by both") {
  at_all_tolerances(R"TOML(
[parameters]
T = 0.5
lag = 0.2
k = 0.7
[states]
x = 1.0
[time]
end = 2.0
[derivatives]
x = "-x"
[[every]]
name = "kick"
period = "T"
offset = "lag"
set = { x = "x + k*(1 + t)" }
)TOML",
                    {"T", "lag", "k"}, [](const Differentiated& run) {
                      // x(2) = e⁻² + k Σ (1 + t_j) exp(t_j − 2), t_j = lag + jT
                      double by_period = 0, by_lag = 0, by_size = 0;
                      for (int j = 0; j < 4; ++j) {
                        const double t = 0.2 + 0.5 * j, slope = 0.7 * (2 + t) * std::exp(t - 2);
                        by_period += j * slope;
                        by_lag += slope;
                        by_size += (1 + t) * std::exp(t - 2);
                        run.expect(run.time(static_cast<std::size_t>(j), "T"), j);
                        run.expect(run.time(static_cast<std::size_t>(j), "lag"), 1);
                      }
                      run.expect(run.end("x", "T"), by_period);
                      run.expect(run.end("x", "lag"), by_lag);
                      run.expect(run.end("x", "k"), by_size);
                    });
}

TEST_CASE("a list of times has the derivatives of its entries, a parameter made of another among them") {
  at_all_tolerances(R"TOML(
[parameters]
a = 0.4
b = "2*a"
[states]
x = 0.0
y = 1.0
[discrete]
u = 0.0
[time]
end = 2.0
[derivatives]
x = "u"
y = "-y*(1 + u)"
[[every]]
at = ["a", "a + b"]
set = { u = "u + 1" }
)TOML",
                    {"a", "b"}, [](const Differentiated& run) {
                      // x(2) = (2 − a) + (2 − a − b), and y(2) = exp(−2 − x(2)); b moves with a.
                      run.expect(run.end("x", "a"), -4);
                      run.expect(run.end("x", "b"), -1);
                      run.expect(run.end("y", "a"), 4 * std::exp(-4.4));
                      run.expect(run.end("y", "b"), std::exp(-4.4));
                    });
}

TEST_CASE("known times that move apart from one instant leave no derivative") {
  const Differentiated run = differentiated(R"TOML(
[parameters]
a = 1.0
b = 1.0
[states]
x = 1.0
[time]
end = 2.0
[derivatives]
x = "0"
[[every]]
at = ["a"]
set = { x = "2*x" }
[[every]]
at = ["b"]
set = { x = "x + 1" }
)TOML",
                                            {"a"}, 1e-6);
  CHECK(run.found().exists_until() == 1);
  CHECK(run.found().reason().find("move apart") != std::string::npos);
}

TEST_CASE("functors and the adjoint see known times move, too") {
  Model model;
  model.name = "kicked";
  model.parameters = {{"T", 0.5, ""}, {"lag", 0.2, ""}};
  model.state_names = {"x"};
  model.instantiate = [](const Settings& settings) {
    double period = 0.5, lag = 0.2;
    for (const auto& [name, value] : settings) (name == "T" ? period : lag) = value;
    const System system =
        from_functor([](auto, const auto& x, const auto&, auto&& dx) { dx[0] = -x[0]; },
                     [](auto, const auto& x, auto&& h) { h[0] = x[0] + 1e3; }, {.states = 1, .surfaces = 1})
            .with_time_events({{.name = "kick",
                                .period = period,
                                .offset = lag,
                                .reset = [](double, ConstVectorRef, VectorRef after) { after[0] += 1; }}});
    return ModelInstance{system, {{"T", period}, {"lag", lag}}, 0, 2, Vector::Ones(1), std::nullopt, {}};
  };
  const ModelInstance instance = model.instantiate({});
  Options options;
  options.rtol = 1e-9;
  options.atol = 1e-11;
  options.recording = Recording::dense;
  options.sensitivities = sensitivities_by(model, {}, instance, {"T", "lag"});
  const Run run{.start = 0, .end = 2, .state = instance.state};
  const Solution solution = Simulator(instance.problem(), options).run(run);
  REQUIRE(solution.outcome.reached_end());
  double by_period = 0, by_lag = 0;
  for (int j = 0; j < 4; ++j) {
    by_period += j * std::exp(0.2 + 0.5 * j - 2);
    by_lag += std::exp(0.2 + 0.5 * j - 2);
  }
  CHECK(solution.sensitivities->final()(0, 0) == doctest::Approx(by_period).epsilon(1e-7));
  CHECK(solution.sensitivities->final()(0, 1) == doctest::Approx(by_lag).epsilon(1e-7));
  AdjointOutput output;
  output.times = {2};
  output.weights = Matrix::Ones(1, 1);
  const AdjointGradients gradients =
      adjoint_gradients(instance.problem(), options, run, solution, options.sensitivities, {output});
  CHECK(gradients.gradients(0, 0) == doctest::Approx(by_period).epsilon(1e-7));
  CHECK(gradients.gradients(0, 1) == doctest::Approx(by_lag).epsilon(1e-7));
}
