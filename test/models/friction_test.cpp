// The laws of friction: one interface, the same forces as in model files, their curves, stores and ranges.
#include "models/friction.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include "models/friction_belt.hpp"
#include "models/registry.hpp"
#include "slideway/io/model_file.hpp"
#include "slideway/simulate/simulator.hpp"

using namespace slideway;
using namespace slideway::models;

namespace {

ModelInstance belt(double law, const Settings& more = {}) {
  Settings settings = {{"law", law}};
  settings.insert(settings.end(), more.begin(), more.end());
  return friction_belt().instantiate(settings);
}

// The same as a model file. Dahl's state is the force itself.
ModelInstance belt_file(const std::string& law) {
  const bool dahl = law == "dahl";
  std::string line = "F = { law = '" + law + "', velocity = 'v - 0.2'";
  if (law != "viscous") line += ", Fc = 0.5";
  if (law == "viscous" || law == "coulomb" || law == "static" || law[0] == 's' || law[0] == 'e')
    line += ", B = 0.1";
  if (law == "static" || law[0] == 's' || law[0] == 'e' || law == "lugre")
    line += law == "static" ? ", Fs = 1" : ", Fs = 1, vs = 0.3";
  if (dahl) line += ", sigma = 1000";
  if (law == "lugre") line += ", sigma0 = 1000, sigma1 = 10, sigma2 = 0.1";
  return parse_model("[states]\nx = 0.0\nv = 0.0\n[time]\nend = 60.0\n[friction]\n" + line +
                         " }\n[derivatives]\nx = \"v\"\nv = \"-x - F\"\n",
                     "belt.toml")
      .instantiate({});
}

std::string refusal(const friction::Law& law) {
  try {
    friction::check(law);
    return "";
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("a block on a belt moves alike under a law in a functor and in a model file") {
  for (std::size_t number = 1; number <= friction::laws().size(); ++number) {
    const std::string name = friction::name(friction::laws()[number - 1]);
    CAPTURE(name);
    const ModelInstance made = belt(static_cast<double>(number));
    const ModelInstance read = belt_file(name);
    const Options options{.rtol = 1e-8};
    const Solution one = Simulator(made.problem(), options).run({.start = 0, .end = 30, .state = made.state});
    const Solution other =
        Simulator(read.problem(), options).run({.start = 0, .end = 30, .state = read.state});
    REQUIRE(one.outcome.reached_end());
    REQUIRE(other.outcome.reached_end());
    REQUIRE(one.events.size() == other.events.size());
    for (std::size_t k = 0; k < one.events.size(); ++k) {
      CHECK(one.events[k].kind == other.events[k].kind);
      CHECK(one.events[k].t == doctest::Approx(other.events[k].t).epsilon(1e-5));
    }
    CHECK(one.final.state.head(2).isApprox(other.final.state.head(2), 1e-4));
  }
}

TEST_CASE("a law's steady curve is its force in motion, or where its state comes to rest") {
  for (const friction::Law& law : friction::laws()) {
    CAPTURE(friction::name(law));
    for (const double v : {-0.8, -0.03, 0.05, 0.6}) {
      const double s = v > 0 ? 1 : -1;
      double z = 0;
      if (friction::has_state(law)) {
        // z' is affine in z.
        const double at_zero = friction::rate(law, v, s, 0.0);
        z = at_zero / (at_zero - friction::rate(law, v, s, 1.0));
        CHECK(friction::rate(law, v, s, z) == doctest::Approx(0));
        CHECK(friction::stored(law, z) > 0);
      }
      CHECK(friction::force(law, v, s, z) == doctest::Approx(friction::steady(law, v)));
    }
  }
}

TEST_CASE("laws are found by name, set by name and refused out of range with the unit") {
  friction::Law law = friction::law("lugre");
  friction::set(law, "sigma1", 3);
  CHECK(std::get<friction::LuGre>(law).sigma1 == 3);
  CHECK(refusal(law) == "");
  friction::set(law, "vs", 0);
  CHECK(refusal(law).find("[m/s]") != std::string::npos);
  CHECK_THROWS_WITH_AS(friction::law("lugree"), doctest::Contains("did you mean 'lugre'"),
                       std::invalid_argument);
  CHECK_THROWS_WITH_AS(friction::set(law, "sigma", 1), doctest::Contains("did you mean"),
                       std::invalid_argument);
  friction::Static at_rest;
  at_rest.Fc = 2;
  at_rest.Fs = 1;
  CHECK(refusal(at_rest).find("at least Fc = 2 [N]") != std::string::npos);
  at_rest.Fs = 3;
  CHECK(friction::break_away(at_rest) == 1.5);
}

TEST_CASE("which laws are passive is known") {
  for (const friction::Law& law : friction::laws()) {
    if (std::string(friction::name(law)) != "lugre") CHECK(friction::passive(law));
  }
  friction::LuGre lugre;
  lugre.sigma1 = 0.99 * lugre.passive_limit();
  CHECK(lugre.passive());
  lugre.sigma1 = 1.01 * lugre.passive_limit();
  CHECK(!lugre.passive());
  friction::ExponentialLiteral literal;
  literal.Fs = 2.1 * literal.Fc;
  CHECK(!literal.passive());
}

TEST_CASE("the literal exponential model sticks in a lopsided interval and pushes when Fs is beyond 2 Fc") {
  friction::ExponentialLiteral law;
  law.Fc = 1;
  law.Fs = 1.5;
  CHECK(law.steady(1e-12) == doctest::Approx(1.5));
  CHECK(law.steady(-1e-12) == doctest::Approx(-0.5));
  law.Fs = 2.5;
  CHECK(law.steady(-1e-12) > 0);  // with the motion
}
