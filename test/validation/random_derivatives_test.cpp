// Derivatives of random models, forwards and backwards, beside differences of accurate runs.
#include <sstream>

#include <doctest/doctest.h>

#include "validation/random/classes.hpp"
#include "validation/random/derivative_campaign.hpp"
#include "validation/random/derivative_judgement.hpp"
#include "validation/random/parametrised.hpp"

using namespace slideway;
using namespace slideway::validation::random;

namespace {

// A block with a relay before a floor, in whose formulas a number of each stands.
RandomModel with_shared_number() {
  RandomModel model{.name = "shared", .end = 2};
  model.states = {{.name = "x", .initial = 1}, {.name = "v"}};
  model.surfaces = {{.name = "s", .guard = state_variable(1), .break_away = 1.5}};
  model.derivatives = {state_variable(1), 1.5 * sgn(0) - 0.25 * state_variable(0)};
  model.contacts = {{.name = "floor",
                     .gap = state_variable(0),
                     .rate = state_variable(1),
                     .acts_on = {{1, 1}},
                     .restitution = 0.25}};
  return model;
}

void check_derivatives(const std::vector<std::string>& classes, int models) {
  CampaignOptions options{.models = models, .classes = classes, .printed = 0};
  options.plan.tolerances = {1e-10};
  std::ostringstream out;
  const int status = run_derivative_campaign(options, out);
  CHECK_MESSAGE(status == 0, out.str());
}

}  // namespace

TEST_CASE("numbers become parameters wherever they occur") {
  Draw draw(1, 0, 0);
  const RandomModel model = parametrised(with_shared_number(), draw, 10);
  REQUIRE(model.parameters.size() == 2);
  const std::string file = file_text(model);
  CAPTURE(file);
  CHECK(file.find("0.25 *") == std::string::npos);
  CHECK(file.find("restitution = \"p") != std::string::npos);
  CHECK(file.find("break_away = \"p") != std::string::npos);
  Draw again(1, 0, 0);
  CHECK(parametrised(with_shared_number(), again, 1).parameters.size() == 1);
}

TEST_CASE("a derivative that differs from differences is told by its direction") {
  // A relay that slides: the derivative by the initial value is lost.
  RandomModel model{.name = "relay", .end = 2};
  model.states = {{.name = "x", .initial = 0.5}};
  model.surfaces = {{.name = "s", .guard = state_variable(0)}};
  model.derivatives = {-1.0 * sgn(0)};
  for (const DerivativeTrial& trial : judged_derivatives(model, {.rtol = 1e-10}, 10)) {
    CAPTURE(trial.text);
    CHECK(trial.finding == DerivativeFinding::agreed);
  }
}

TEST_CASE("derivatives of random models with relays agree with differences of runs") {
  check_derivatives({"linear", "exits", "nests"}, 9);
}

TEST_CASE("derivatives of random blocks with friction agree with differences of runs") {
  check_derivatives({"friction"}, 3);
}

TEST_CASE("derivatives of random contacts and accumulations agree with differences of runs") {
  check_derivatives({"contacts", "zeno"}, 10);
}

TEST_CASE("derivatives of random automata and networks of pulses agree with differences of runs") {
  check_derivatives({"automata", "pulses"}, 8);
}

TEST_CASE("derivatives of random stiff models agree with differences of runs") {
  check_derivatives({"stiff"}, 9);
}
