// Model files whose events are followed where they are.
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "slideway/io/model_file.hpp"
#include "test/local/local_runs.hpp"

using namespace slideway;
using namespace test;

namespace {

void check_same(const std::string& text, double rtol, double most) {
  const ModelInstance instance = parse_model(text, "test.toml").instantiate({});
  const Solution local = run_model(instance, rtol, LocalEvents::on, Recording::nothing);
  const Solution global = run_model(instance, rtol, LocalEvents::off, Recording::nothing);
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

TEST_CASE("rooms whose heating is a discrete state of an if are followed locally") {
  const std::string text =
      "name = \"rooms\"\n[parameters]\nN = 30\n[states]\nth = { size = \"N\", value = \"20 + sin(1.7*i)\" }\n"
      "[discrete]\nq = { size = \"N\", value = \"mod(i, 2)\" }\n"
      "[time]\nend = 12\n[derivatives]\n"
      "th = { value = \"if(q[i] == 1, 2, 0) + 0.1*(th[i-1] - th[i]) - (0.1 + 0.02*sin(i))*(th[i] - 10)\", "
      "ends = "
      "\"clamped\" }\n"
      "[[resets]]\nname = \"hot\"\nsize = \"N\"\nwhen = \"q[i] == 1 and th[i] > 21\"\nset = { \"q[i]\" = "
      "\"0\" "
      "}\n"
      "[[resets]]\nname = \"cold\"\nsize = \"N\"\nwhen = \"abs(q[i]) < 0.5 and th[i] < 19 + step(q[i])\"\n"
      "set = { \"q[i]\" = \"1\" }\n";
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

TEST_CASE("a chain with springs and friction that are not linear sticks and slips locally") {
  // Stribeck's friction, cubic springs, backlash by abs, and a drive in time.
  const std::string text =
      "name = \"blocks\"\n[parameters]\nN = 25\n[states]\n"
      "x = { size = \"N\", value = \"1.5*sin(2.1*i) + 0.4*cos(0.37*i)\" }\nv = { size = \"N\", value = \"0\" "
      "}\n"
      "[time]\nend = 10\n[derivatives]\nx = \"v[i]\"\n"
      "v = { value = \"x[i-1] - 2*x[i] + x[i+1] - 0.2*x[i]^3 - 0.1*abs(x[i] - 0.3) + 0.1*sin(1.3*t + i) - "
      "(0.2 + 0.1*exp(-(v[i] - 0.1)^2))*sgn(v[i] - 0.1)\", ends = \"zero\" }\n";
  check_same(text, 1e-9, 1e-5);
}

TEST_CASE("relays and kinks of neighbours that are too many for a cluster do not stop a local run") {
  // The events round 0.018 take part in clusters of more surfaces than a cluster may hold, however short a step is.
  const std::string text =
      "name = \"mixed\"\n[parameters]\nN = 60\n[states]\n"
      "x = { size = \"N\", value = \"0.69*sin(2.59*i*i)\", ends = \"zero\" }\n"
      "[time]\nend = 0.2\n[derivatives]\n"
      "x = \"-x[i] + sgn(x[i] - 0.2) + sgn(x[i-1] - 0.5) + abs(x[i+1]) - abs(x[i] - x[i-1])\"\n";
  check_same(text, 1e-8, 1e-5);
}

TEST_CASE("rows of a model file are those of its field and guards, with their derivatives") {
  const std::string text =
      "name = \"blocks\"\n[parameters]\nN = 7\n[states]\n"
      "x = { size = \"N\", value = \"sin(2.1*i)\" }\nv = { size = \"N\", value = \"0.1*i\" }\n"
      "[time]\nend = 1\n[derivatives]\nx = \"v[i]*cos(x[i])\"\n"
      "v = { value = \"x[i-1]*x[i+1] - x[i]^3 - abs(x[i] - t) - exp(v[i])*sgn(v[i]*x[i] - 0.1)\", ends = "
      "\"zero\" }\n";
  const ModelInstance instance = parse_model(text, "test.toml").instantiate({});
  const SystemDefinition& definition = instance.system.definition();
  REQUIRE(definition.rows);
  const Index n = definition.states;
  const Index m = definition.surfaces;
  const std::vector<Index> states = {1, 4, 9, 13};
  const std::vector<Index> surfaces = {0, 3, m - 1};
  const auto rows = definition.rows(states, surfaces);
  const Vector lambda = Vector::LinSpaced(m, -1, 1);
  const Vector x_dot = Vector::LinSpaced(n, -0.3, 0.8);
  const Vector other = Vector::LinSpaced(n, 0.5, -0.2);
  const Vector lambda_dot = Vector::LinSpaced(m, 0.2, 0.4);
  Vector dx(n), dx_dot(n), h(m), h_dot(m), mixed(m), whole(n), whole_dot(n), guards(m), guards_dot(m),
      guards_mixed(m);
  rows->field(0.3, instance.state.data(), lambda.data(), dx.data());
  definition.field(0.3, instance.state, lambda, whole);
  for (std::size_t k = 0; k < states.size(); ++k) CHECK(dx[static_cast<Index>(k)] == whole[states[k]]);
  rows->field_along(0.3, instance.state.data(), lambda.data(), 0.7, x_dot.data(), lambda_dot.data(),
                    dx.data(), dx_dot.data());
  definition.field_along(0.3, instance.state, lambda, 0.7, x_dot, lambda_dot, whole, whole_dot);
  for (std::size_t k = 0; k < states.size(); ++k) {
    CHECK(dx[static_cast<Index>(k)] == doctest::Approx(whole[states[k]]).epsilon(1e-14));
    CHECK(dx_dot[static_cast<Index>(k)] == doctest::Approx(whole_dot[states[k]]).epsilon(1e-14));
  }
  rows->guards_along(0.3, instance.state.data(), 0.7, x_dot.data(), h.data(), h_dot.data());
  definition.guards_along(0.3, instance.state, 0.7, x_dot, guards, guards_dot);
  rows->guards_mixed(0.3, instance.state.data(), 0.7, x_dot.data(), 0.2, other.data(), other.data(),
                     mixed.data());
  definition.guards_mixed(0.3, instance.state, 0.7, x_dot, 0.2, other, other, guards_mixed);
  for (std::size_t k = 0; k < surfaces.size(); ++k) {
    const auto own = static_cast<Index>(k);
    CHECK(h[own] == doctest::Approx(guards[surfaces[k]]).epsilon(1e-14));
    CHECK(h_dot[own] == doctest::Approx(guards_dot[surfaces[k]]).epsilon(1e-14));
    CHECK(mixed[own] == doctest::Approx(guards_mixed[surfaces[k]]).epsilon(1e-14));
  }
}

TEST_CASE("sliding of second order is left to the run that stops all states") {
  // Each oscillator comes to rest at its place by a relay on that place, with another on its speed.
  const std::string text =
      "name = \"twisting\"\n[parameters]\nN = 8\n[states]\nx = { size = \"N\", value = \"1 + 0.1*i\" }\n"
      "v = { size = \"N\", value = \"0\" }\n[time]\nend = 12\n[derivatives]\nx = \"v[i]\"\n"
      "v = { value = \"0.2*sin(t + i) + 0.05*(x[i-1] - x[i])*x[i] - sgn(x[i]) - 0.5*sgn(v[i])\", ends = "
      "\"zero\" }\n";
  const ModelInstance instance = parse_model(text, "test.toml").instantiate({});
  const Solution local = run_model(instance, 1e-8, LocalEvents::on, Recording::nothing);
  const Solution global = run_model(instance, 1e-8, LocalEvents::off, Recording::nothing);
  CHECK(local.outcome.status == global.outcome.status);
  CHECK(local.final.mode == global.final.mode);
  CHECK((local.final.state - global.final.state).lpNorm<Eigen::Infinity>() <= 1e-5);
}

TEST_CASE("thermostats that are automata are followed locally with the events of their closed form") {
  const Index rooms = 200;
  const ModelInstance model =
      parse_model(
          "[parameters]\nN = 200\n[states]\nT = { size = \"N\", value = \"20 + 0.9*sin(1.7*i)\" "
          "}\n[time]\nend = 10\n"
          "[derivatives]\nT = \"-(0.1 + 0.02*sin(i))*(T[i] - 10)\"\n[[automata]]\nname = \"heater\"\nsize = "
          "\"N\"\ninitial = \"on\"\n"
          "[[automata.locations]]\nname = \"on\"\n[automata.locations.derivatives]\n"
          "T = \"2 + 0.3*sin(2.3*i) - (0.1 + 0.02*sin(i))*(T[i] - 10)\"\n[[automata.locations]]\nname = "
          "\"off\"\n"
          "[[automata.edges]]\nname = \"hot\"\nfrom = \"on\"\nto = \"off\"\nwhen = \"T[i] > 21\"\n"
          "[[automata.edges]]\nname = \"cold\"\nfrom = \"off\"\nto = \"on\"\nwhen = \"T[i] < 19\"\n",
          "test.toml")
          .instantiate({});
  std::map<std::string, std::vector<double>> exact;
  for (Index i = 1; i <= rooms; ++i) {
    const auto number = static_cast<double>(i);
    const double leak = 0.1 + 0.02 * std::sin(number);
    const double power = 2 + 0.3 * std::sin(2.3 * number);
    double from = 20 + 0.9 * std::sin(1.7 * number);
    double t = 0;
    for (bool is_on = true;; is_on = !is_on) {
      const double rest = 10 + (is_on ? power / leak : 0);
      const double goal = is_on ? 21 : 19;
      t -= std::log((goal - rest) / (from - rest)) / leak;
      if (t > 10) break;
      exact[(is_on ? "hot" : "cold") + std::to_string(i)].push_back(t);
      from = goal;
    }
  }
  for (const double rtol : {1e-4, 1e-7, 1e-10}) {
    CAPTURE(rtol);
    const Solution solution = run_model(model, rtol, LocalEvents::on, Recording::nothing);
    CHECK(solution.warnings.empty());
    CHECK(solution.outcome.reached_end());
    std::map<std::string, std::vector<double>> found;
    for (const EventRecord& event : solution.events) found[event.name.value_or("")].push_back(event.t);
    REQUIRE(found.size() == exact.size());
    for (const auto& [name, times] : exact) {
      REQUIRE(found[name].size() == times.size());
      for (std::size_t k = 0; k < times.size(); ++k) CHECK(std::abs(found[name][k] - times[k]) <= 10 * rtol);
    }
  }
}
