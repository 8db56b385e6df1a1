// Runs of models that are written as text, with their derivatives.
#pragma once

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "slideway/io/model_file.hpp"
#include "slideway/simulate/simulator.hpp"
#include "test/sensitivity/adjoint_of.hpp"

namespace slideway::test {

struct Differentiated {
  ModelInstance instance;
  Solution solution;
  double rtol = 0;

  const Sensitivities& found() const { return *solution.sensitivities; }
  Index column(const std::string& by) const {
    for (std::size_t k = 0; k < found().names().size(); ++k)
      if (found().names()[k] == by) return static_cast<Index>(k);
    throw std::invalid_argument(by);
  }
  // d(state)/d(by) at the end.
  double end(const std::string& state, const std::string& by) const {
    return found().final()(instance.system.state_index(state), column(by));
  }
  // dt/d(by) of event `number`.
  double time(std::size_t number, const std::string& by) const {
    return found().events().at(number).time(column(by));
  }
  // Within ten tolerances, of the size of what is expected.
  void expect(double got, double expected) const {
    const double allowed = 10 * rtol * std::max(1.0, std::abs(expected));
    CAPTURE(rtol);
    CAPTURE(expected);
    CAPTURE(got);
    CHECK(std::abs(got - expected) <= allowed);
  }
};

// The adjoint agrees within `of_adjoint` relative tolerances.
inline Differentiated differentiated(const std::string& text, const std::vector<std::string>& by, double rtol,
                                     Options options = {}, double of_adjoint = 20) {
  const Model model = parse_model(text, "test.toml");
  Differentiated result{.instance = model.instantiate({}), .solution = {}, .rtol = rtol};
  options.rtol = rtol;
  options.sensitivities = sensitivities_by(model, {}, result.instance, by);
  result.solution =
      Simulator(result.instance.problem(), options)
          .run({.start = result.instance.start, .end = result.instance.end, .state = result.instance.state});
  REQUIRE(result.solution.outcome.succeeded());
  REQUIRE(result.solution.sensitivities);
  CAPTURE(result.found().reason());
  REQUIRE(result.found().events().size() == result.solution.events.size());
  if (options.recording == Recording::nothing) return result;
  check_adjoint_agrees(
      result.instance.problem(), options,
      {.start = result.instance.start, .end = result.instance.end, .state = result.instance.state},
      result.solution, options.sensitivities, result.found(), of_adjoint * rtol);
  return result;
}

// check(run) at tolerances from 1e-4 to 1e-11.
template <class Check>
void at_all_tolerances(const std::string& text, const std::vector<std::string>& by, const Check& check) {
  for (const double rtol : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11}) {
    const Differentiated run = differentiated(text, by, rtol);
    CAPTURE(rtol);
    CAPTURE(run.found().reason());
    check(run);
  }
}

}  // namespace slideway::test
