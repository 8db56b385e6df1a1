#include "slideway/simulate/alternatives.hpp"

#include <cmath>

#include <doctest/doctest.h>

#include "models/registry.hpp"
#include "slideway/detail/model/evaluator.hpp"
#include "slideway/model/from_functor.hpp"
#include "slideway/model/from_signs.hpp"

using namespace slideway;

namespace {

// x' = -lambda, h = x: at rest from t = x(0) on.
struct RestingRelay {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const { dx[0] = -lambda[0]; }
};

// As RestingRelay, but from below it is pushed three times as fast.
struct Lopsided {
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const { dx[0] = 1.0 - 2.0 * lambda[0]; }
};

struct Leaving {  // x' = t - sgn(x): slides until t = 1, then x = (t - 1)^2/2
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto t, const auto&, const auto& lambda, auto&& dx) const { dx[0] = t - lambda[0]; }
};

struct Crossed {  // x' = 2 + sgn(x)
  void guards(auto, const auto& x, auto&& h) const { h[0] = x[0]; }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const { dx[0] = 2.0 + lambda[0]; }
};

// Two relays across the axes, both attracting.
struct TwoRelays {
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[0];
    h[1] = x[1];
  }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const {
    dx[0] = 0.2 - lambda[0];
    dx[1] = -0.3 - lambda[1];
  }
};

System relay() { return from_functor(RestingRelay{}, {.states = 1, .surfaces = 1}); }
Run relay_run(double end) { return {.start = 0, .end = end, .state = Vector::Ones(1)}; }

ModelInstance instance_of(const std::string& name) { return models::find_model(name).instantiate({}); }

Options tight(std::vector<double> times) {
  Options options;
  options.rtol = 1e-9;
  options.method = Method::dopri5;
  options.recording = Recording::nothing;
  options.output_times = std::move(times);
  return options;
}

std::vector<double> spread(double start, double end, int count) {
  std::vector<double> times;
  for (int k = 1; k <= count; ++k) times.push_back(start + (end - start) * k / count);
  return times;
}

// The largest difference over all outputs, relative to the size of each state.
double difference(const Matrix& states, const Matrix& reference) {
  Vector sizes = reference.cwiseAbs().rowwise().maxCoeff();
  for (double& size : sizes) size = size > 0 ? size : 1;
  return (states - reference).cwiseAbs().rowwise().maxCoeff().cwiseQuotient(sizes).maxCoeff();
}

// The slope of log(error) over log(parameter).
double order_of(const std::vector<double>& parameters, const std::vector<double>& errors) {
  double x = 0, y = 0, xx = 0, xy = 0;
  const auto n = static_cast<double>(parameters.size());
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    x += std::log(parameters[k]) / n;
    y += std::log(errors[k]) / n;
  }
  for (std::size_t k = 0; k < parameters.size(); ++k) {
    xx += std::pow(std::log(parameters[k]) - x, 2);
    xy += (std::log(parameters[k]) - x) * (std::log(errors[k]) - y);
  }
  return xy / xx;
}

template <class Follow>
double convergence_order(const ModelInstance& instance, double first, const Follow& follow) {
  const Options options = tight(spread(instance.start, instance.end, 997));
  const Run run{.start = instance.start, .end = instance.end, .state = instance.state};
  const Solution reference = Simulator(instance.problem(), options).run(run);
  REQUIRE(reference.outcome.reached_end());
  std::vector<double> parameters, errors;
  for (double parameter = first; parameters.size() < 4; parameter /= 4) {
    const Solution solution = follow(instance.system, options, run, parameter);
    REQUIRE_MESSAGE(solution.outcome.reached_end(), solution.outcome.message);
    parameters.push_back(parameter);
    errors.push_back(difference(solution.outputs, reference.outputs));
  }
  return order_of(parameters, errors);
}

}  // namespace

TEST_CASE("a relay with memory turns where theory says") {
  // From 1 down to -eps, then to and fro between -eps and eps: turns at 1 + eps + 2 eps k.
  const double epsilon = 0.01;
  for (const Method method : {Method::bdf, Method::adams, Method::dopri5, Method::dop853, Method::rodas}) {
    CAPTURE(to_string(method));
    Options options;
    options.method = method;
    options.output_times = {0.5, 1.0, 1.5};
    const Solution solution = run_with_hysteresis(relay(), options, relay_run(2), epsilon);
    REQUIRE(solution.outcome.reached_end());
    REQUIRE(solution.events.size() == 50);
    for (std::size_t k = 0; k < solution.events.size(); ++k) {
      CHECK(solution.events[k].t ==
            doctest::Approx(1 + epsilon + 2 * epsilon * static_cast<double>(k)).epsilon(1e-9));
      CHECK(std::abs(solution.events[k].before[0]) == doctest::Approx(epsilon).epsilon(1e-7));
    }
    CHECK(solution.outputs(0, 0) == doctest::Approx(0.5));
    CHECK(solution.outputs(0, 1) == doctest::Approx(0).scale(1));
    CHECK(std::abs(solution.outputs(0, 2)) <= epsilon * (1 + 1e-7));
  }
}

TEST_CASE("a relay with memory does not turn inside its band") {
  const Solution solution = run_with_hysteresis(relay(), {}, relay_run(1.005), 0.01);
  CHECK(solution.events.empty());
  CHECK(solution.final.state[0] == doctest::Approx(-0.005));
}

TEST_CASE("many relays with memory keep their own sides") {
  const ModelInstance chain = models::find_model("friction-chain").instantiate({{"N", 40}});
  const Solution solution =
      run_with_hysteresis(chain.system, {}, {.start = 0, .end = 5, .state = chain.state}, 1e-3);
  CHECK(solution.outcome.reached_end());
  Vector guards(chain.system.surfaces());
  chain.system.guards(5, solution.final.state, guards);
  for (Index i = 0; i < guards.size(); ++i) {
    CAPTURE(i);
    CHECK(guards[i] * (solution.final.mode[i] == Side::plus ? 1 : -1) > -1e-3 * (1 + 1e-6));
  }
}

TEST_CASE(
    "hysteresis converges to Filippov's solution with order one wherever it is unique and its relays are "
    "independent") {
  struct Example {
    std::string model;
    double end;
    double epsilon;
  };
  for (const Example& example :
       {Example{"evaporator", 30, 1e-3}, Example{"dry-friction", 25, 0.02}, Example{"belt", 25, 5e-4},
        Example{"relay", 3, 2e-4}, Example{"circle", 0, 0.01}, Example{"moving-surface", 0, 0.01},
        Example{"two-relays", 0, 0.01}, Example{"corner", 0, 1e-3}, Example{"three-surfaces", 0, 2e-3},
        Example{"friction-chain", 5, 2e-4}}) {
    CAPTURE(example.model);
    ModelInstance instance = instance_of(example.model);
    if (example.end > 0) instance.end = example.end;
    const double order =
        convergence_order(instance, example.epsilon,
                          [](const System& system, const Options& options, const Run& run, double epsilon) {
                            return run_with_hysteresis(system, options, run, epsilon);
                          });
    CAPTURE(order);
    CHECK(order > 0.9);
    CHECK(order < 1.15);
  }
}

TEST_CASE("Algorithm 1 and Euler converge with order one on the evaporator") {
  ModelInstance instance = instance_of("evaporator");
  instance.end = 20;
  const double algorithm_1 = convergence_order(
      instance, 0.02, [](const System& system, const Options& options, const Run& run, double step) {
        return run_algorithm_1(system, options, run, {.step = step});
      });
  CHECK(algorithm_1 == doctest::Approx(1).epsilon(0.1));
  const double euler = convergence_order(
      instance, 0.02, [](const System& system, const Options& options, const Run& run, double step) {
        return run_euler(system, options, run, {.step = step});
      });
  CHECK(euler == doctest::Approx(1).epsilon(0.15));
}

TEST_CASE("smoothing converges with order one, and its derivatives are exact") {
  ModelInstance instance = instance_of("evaporator");
  const double order = convergence_order(
      instance, 1e-3, [](const System& system, Options options, const Run& run, double epsilon) {
        options.method = Method::bdf;
        return Simulator(smoothed(system, epsilon), options).run(run);
      });
  CHECK(order == doctest::Approx(1).epsilon(0.1));

  const System system = smoothed(instance.system, 0.01);
  CHECK(system.surfaces() == 0);
  Evaluator evaluator(system);
  const Vector x = Eigen::Vector2d(0.09, 0.103);
  const Vector none(0);
  Matrix jacobian = Matrix::Zero(2, 2);
  evaluator.field_dx(0, x, none, jacobian);
  // L' = (f_in - L - s p/I)/15 with s = (1 + tanh((L - 0.1)/0.01))/2.
  const double tanh_h = std::tanh(0.3);
  const double slope = 0.5 * (1 - tanh_h * tanh_h) / 0.01;
  CHECK(jacobian(1, 1) == doctest::Approx((-1 - slope * 0.18) / 15).epsilon(1e-10));
  CHECK(jacobian(0, 1) == doctest::Approx(0.5 * (1 + tanh_h) + slope * 0.103).epsilon(1e-10));
}

TEST_CASE("a smoothed root has values on both sides of its surface") {
  // x' = -√|x| sgn x from 1: x = (1 - t/2)^2, at rest from t = 2 on. On one side the root of the other has no value.
  const System roots =
      from_signs([](double, ConstVectorRef x, ConstVectorRef s,
                    VectorRef dx) { dx[0] = s[0] > 0 ? -std::sqrt(x[0]) : std::sqrt(-x[0]); },
                 [](double, ConstVectorRef x, VectorRef h) { h[0] = x[0]; }, {.states = 1, .surfaces = 1});
  const double epsilon = 1e-3;
  const System system = smoothed(roots, epsilon);
  for (const double x : {1e-4, 5e-4, -5e-4}) {
    Vector dx(1);
    system.field(0, Vector::Constant(1, x), Vector(0), dx);
    // The other side's root is that at the surface, 0.
    const double weight = (1 + std::tanh(std::abs(x) / epsilon)) / 2;
    CHECK(dx[0] == doctest::Approx(-weight * std::sqrt(std::abs(x)) * (x > 0 ? 1 : -1)).epsilon(1e-5));
  }
  for (const Method method : {Method::dopri5, Method::bdf}) {
    Options options;
    options.rtol = 1e-6;
    options.method = method;
    options.output_times = {1.0, 3.0};
    const Solution solution = Simulator(system, options).run(relay_run(3));
    CAPTURE(solution.outcome.message);
    REQUIRE(solution.outcome.succeeded());
    CHECK(solution.outputs(0, 0) == doctest::Approx(0.25).epsilon(1e-3));
    CHECK(std::abs(solution.outputs(0, 1)) <= epsilon);
  }
}

TEST_CASE("a smoothed system without exact derivatives still knows the slope of its relays") {
  const System plain =
      from_signs([](double, ConstVectorRef x, ConstVectorRef signs,
                    VectorRef dx) { dx[0] = -signs[0] * (1 + x[0] * x[0]); },
                 [](double, ConstVectorRef x, VectorRef h) { h[0] = x[0]; }, {.states = 1, .surfaces = 1});
  Evaluator evaluator(smoothed(plain, 1e-6));
  Matrix jacobian = Matrix::Zero(1, 1);
  evaluator.field_dx(0, Vector::Zero(1), Vector(0), jacobian);
  CHECK(jacobian(0, 0) == doctest::Approx(-1e6).epsilon(1e-6));
}

TEST_CASE("bare signs are Filippov's solution as long as surfaces are only crossed") {
  const System system = from_functor(Crossed{}, {.states = 1, .surfaces = 1});
  Options options;
  options.rtol = 1e-9;
  options.method = Method::dopri5;
  const Solution solution =
      Simulator(with_bare_signs(system), options).run({.start = 0, .end = 2, .state = -Vector::Ones(1)});
  REQUIRE(solution.outcome.reached_end());
  CHECK(solution.final.state[0] == doctest::Approx(3).epsilon(1e-7));
  CHECK(solution.events.empty());
}

TEST_CASE("Euler chatters as far as a step goes") {
  Options options;
  options.output_times = spread(1.5, 2, 50);
  const Solution solution = run_euler(relay(), options, relay_run(2), {.step = 0.01 * std::sqrt(2.0)});
  REQUIRE(solution.outcome.reached_end());
  CHECK(solution.final.t == 2);
  CHECK(solution.outputs.cwiseAbs().maxCoeff() <= 0.01 * std::sqrt(2.0));
  CHECK(solution.outputs.cwiseAbs().maxCoeff() > 0.003);
  CHECK(solution.statistics.events > 50);
}

TEST_CASE("Algorithm 1 stays on the surface as near as its bisections go") {
  const System system = from_functor(Lopsided{}, {.states = 1, .surfaces = 1});
  for (const Index bisections : {3, 8, 20}) {
    CAPTURE(bisections);
    Options options;
    options.output_times = spread(1.5, 2, 50);
    const Solution solution =
        run_algorithm_1(system, options, relay_run(2), {.step = 0.01, .bisections = bisections});
    REQUIRE(solution.outcome.reached_end());
    // The two end points are 0.04 apart.
    CHECK(solution.outputs.cwiseAbs().maxCoeff() <= 0.04 * std::pow(0.5, static_cast<double>(bisections)));
    CHECK(solution.statistics.events == 1);
  }
}

TEST_CASE("Algorithm 1 leaves the surface when one side lets go") {
  const System system = from_functor(Leaving{}, {.states = 1, .surfaces = 1});
  const Solution solution =
      run_algorithm_1(system, {}, {.start = 0, .end = 2, .state = Vector::Constant(1, -0.1)}, {.step = 1e-4});
  REQUIRE(solution.outcome.reached_end());
  CHECK(solution.final.state[0] == doctest::Approx(0.5).epsilon(1e-3));
}

TEST_CASE("outputs before the start are not numbers in runs of relays") {
  Options options;
  options.output_times = {-1, 0, 0.5};
  const Run run{.start = 0, .end = 1, .state = Vector::Constant(1, 2.0)};
  for (const Solution& solution : {run_euler(relay(), options, run, {.step = 0.01}),
                                   run_algorithm_1(relay(), options, run, {.step = 0.01}),
                                   run_with_hysteresis(relay(), options, run, 1e-3)}) {
    REQUIRE(solution.outputs.cols() == 3);
    CHECK(std::isnan(solution.outputs(0, 0)));
    CHECK(solution.outputs(0, 1) == 2);
    CHECK(solution.outputs(0, 2) == doctest::Approx(1.5).epsilon(1e-12));
  }
}

TEST_CASE("Algorithm 1 says where a second surface chatters") {
  const System system = from_functor(TwoRelays{}, {.states = 2, .surfaces = 2});
  const Solution solution =
      run_algorithm_1(system, {}, {.start = 0, .end = 3, .state = Eigen::Vector2d(0.3, 0.8)}, {.step = 1e-3});
  CHECK(solution.outcome.status == Status::chattering);
  CHECK(solution.outcome.message.find("'h2'") != std::string::npos);
  CHECK(solution.outcome.t == doctest::Approx(0.8 / 1.3).epsilon(0.01));
}

TEST_CASE("methods of relays alone refuse what else jumps and say what it is") {
  CHECK(obstacle_to_relays_alone(instance_of("evaporator").problem()).empty());
  CHECK(obstacle_to_relays_alone(instance_of("bouncing-ball").problem()).find("contacts") !=
        std::string::npos);
  CHECK(obstacle_to_relays_alone(instance_of("thermostat").problem()).find("locations") != std::string::npos);
  Event jump;
  jump.name = "jump";
  jump.when = Guard([](auto, const auto& x) { return x[0] - 3.0; });
  jump.action = Action::reset;
  jump.reset = [](double, ConstVectorRef, VectorRef after) { after[0] = 0; };
  const System jumping = relay().with_events({jump});
  CHECK_THROWS_WITH_AS(run_euler(jumping, {}, relay_run(1), {.step = 0.1}), doctest::Contains("resets"),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(run_with_hysteresis(relay(), {}, relay_run(1), 0), doctest::Contains("band"),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(run_algorithm_1(relay(), {}, relay_run(1), {.step = 0.1, .bisections = 0}),
                       doctest::Contains("bisections"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(smoothed(relay(), -1), doctest::Contains("smoothed"), std::invalid_argument);
}
