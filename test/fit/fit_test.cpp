// Parameters that made measurements are found again.
#include "slideway/fit/fit.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "slideway/io/model_file.hpp"
#include "slideway/simulate/simulator.hpp"

using namespace slideway;

namespace {

const char* const kBelt = R"TOML(
[parameters]
belt = 0.3
static = 1.0
kinetic = 0.6
stribeck = 0.4
damping = 0.02
[states]
x = 0.5
v = 0.0
[time]
end = 30.0
[definitions]
level = "kinetic + (static - kinetic)*exp(-abs(slip)/stribeck)"
[surfaces]
slip = "belt - v"
[derivatives]
x = "v"
v = "-x - damping*v + level*sgn(slip)"
)TOML";

// With noise of this size, from a sum of twelve even numbers.
Measurements measured(const Model& model, const Settings& settings, double noise, int count) {
  const ModelInstance instance = model.instantiate(settings);
  Options options{.rtol = 1e-11};
  Measurements result;
  result.names = {"x"};
  for (int k = 1; k <= count; ++k) result.times.push_back(12.0 * k / count);
  options.output_times = result.times;
  const Solution solution =
      Simulator(instance.problem(), options).run({.start = 0, .end = 12, .state = instance.state});
  REQUIRE(solution.outcome.reached_end());
  result.values = solution.outputs.row(0);
  std::mt19937_64 random(7);
  for (Index k = 0; k < result.values.cols(); ++k) {
    double sum = -6;
    for (int j = 0; j < 12; ++j) sum += std::ldexp(static_cast<double>(random() >> 11), -53);
    result.values(0, k) += noise * sum;
  }
  return result;
}

}  // namespace

TEST_CASE("the friction of a belt is found again to the accuracy of the runs") {
  const Model model = parse_model(kBelt, "test.toml");
  const Measurements measurements = measured(model, {}, 0, 200);
  const Fit found = fit(model, {{"static", 1.02}, {"kinetic", 0.57}, {"stribeck", 0.43}, {"damping", 0.03}},
                        {"static", "kinetic", "stribeck", "damping"}, measurements, {.run = {.rtol = 1e-10}});
  CAPTURE(found.message);
  CAPTURE(found.values.transpose());
  REQUIRE(found.converged);
  const Vector expected{{1.0, 0.6, 0.4, 0.02}};
  CHECK((found.values - expected).lpNorm<Eigen::Infinity>() <= 1e-7);
  CHECK(found.sum_of_squares <= 1e-15);
  MESSAGE(found.runs << " runs");
}

TEST_CASE("noise of a belt leaves errors of the size that the fit tells") {
  const Model model = parse_model(kBelt, "test.toml");
  const Measurements measurements = measured(model, {}, 0.02, 300);
  const Fit found = fit(model, {{"static", 1.02}, {"kinetic", 0.57}}, {"static", "kinetic"}, measurements);
  CAPTURE(found.message);
  CAPTURE(found.values.transpose());
  CAPTURE(found.errors.transpose());
  REQUIRE(found.converged);
  CHECK(std::abs(found.deviation - 0.02) <= 0.003);
  const Vector expected{{1.0, 0.6}};
  for (Index k = 0; k < 2; ++k) {
    CHECK(std::abs(found.values[k] - expected[k]) <= 4 * found.errors[k]);
    CHECK(found.errors[k] <= 0.02);
  }
}

TEST_CASE("an initial value and a threshold are found from what is observed, with gaps") {
  const Model model = parse_model(R"TOML(
[parameters]
p = 0.6
[states]
x = 0.1
[time]
end = 2.0
[derivatives]
x = "1 + step(x - p)"
)TOML",
                                  "test.toml");
  // x = 0.05 + t up to p = 0.7, then twice as fast.
  Measurements measurements{.names = {"square = x^2"}, .times = {0.2, 0.5, 1.0, 1.5}};
  const auto x = [](double t) { return t < 0.65 ? 0.05 + t : 0.7 + 2 * (t - 0.65); };
  measurements.values.resize(1, 4);
  for (Index k = 0; k < 4; ++k) {
    const double at = x(measurements.times[static_cast<std::size_t>(k)]);
    measurements.values(0, k) = at * at;
  }
  measurements.values(0, 1) = std::nan("");
  measurements.deviations = Vector::Constant(1, 0.5);
  const Fit found = fit(model, {}, {"p", "x"}, measurements);
  CAPTURE(found.message);
  REQUIRE(found.converged);
  CHECK(found.measurements == 3);
  CHECK(std::abs(found.values[0] - 0.7) <= 1e-7);
  CHECK(std::abs(found.values[1] - 0.05) <= 1e-7);
  CHECK(std::isnan(found.residuals(0, 1)));
}

TEST_CASE("a parameter that nothing depends on has no error") {
  const Model model = parse_model(R"TOML(
[parameters]
a = 1.0
unused = 2.0
[states]
x = 1.0
[time]
end = 1.0
[derivatives]
x = "-a*x + 0*unused"
)TOML",
                                  "test.toml");
  Measurements measurements{.names = {"x"}, .times = {0.5, 1.0}, .values = Matrix{{0.5, 0.3}}};
  const Fit found = fit(model, {}, {"a", "unused"}, measurements);
  CAPTURE(found.message);
  CAPTURE(found.values.transpose());
  CHECK(found.message.find("do not tell") != std::string::npos);
  CHECK(std::isnan(found.errors[1]));
}

TEST_CASE("a fit refuses measurements that make no sense") {
  const Model model = parse_model(kBelt, "test.toml");
  const Measurements good{.names = {"x"}, .times = {1, 2}, .values = Matrix{{0.1, 0.2}}};
  const auto refused = [&](const Measurements& measurements, const std::vector<std::string>& parameters) {
    CHECK_THROWS_AS(fit(model, {}, parameters, measurements), std::invalid_argument);
  };
  refused(good, {});
  refused(good, {"nothing"});
  refused(good, {"static", "kinetic", "damping"});
  refused({.names = {"x"}, .times = {2, 1}, .values = Matrix{{0.1, 0.2}}}, {"static"});
  refused({.names = {"x"}, .times = {-1, 1}, .values = Matrix{{0.1, 0.2}}}, {"static"});
  refused({.names = {"x"}, .times = {1}, .values = Matrix{{0.1, 0.2}}}, {"static"});
  refused({.names = {"x"}, .times = {1, 2}, .values = Matrix{{0.1, 0.2}}, .deviations = Vector::Zero(1)},
          {"static"});
}
