// Runs of models that are written as text, by every method and at several tolerances.
#pragma once

#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "slideway/io/model_file.hpp"
#include "slideway/simulate/observation.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway::test {

struct Finished {
  ModelInstance instance;
  Method method;
  Solution solution;

  double end(Index state) const { return solution.final.state(state); }
  std::size_t count(EventKind kind) const {
    std::size_t found = 0;
    for (const EventRecord& event : solution.events) found += event.kind == kind ? 1 : 0;
    return found;
  }
  double observed(const std::string& what, double t) const {
    Observation observation(instance.problem(), instance.observables({what}));
    const Trajectory& way = solution.trajectory;
    return observation.at(t, way(t), way.mode(t), way.location(t))(0);
  }
};

// `units` are those of the states, where they are not all ones.
inline Finished run(const std::string& text, Method method = Method::automatic, double rtol = 1e-8,
                    const Vector& units = Vector()) {
  Options options;
  options.method = method;
  options.rtol = rtol;
  if (units.size() > 0) options.atol = Vector(0.01 * rtol * units);
  const ModelInstance instance = parse_model(text, "test.toml").instantiate({});
  return {instance, method,
          Simulator(instance.problem(), options)
              .run({.start = instance.start, .end = instance.end, .state = instance.state})};
}

// The runs that succeed, as they have to: check(finished, rtol).
template <class Check>
void for_all_methods(const std::string& text, const std::vector<double>& tolerances, const Check& check,
                     const Vector& units = Vector()) {
  for (const Method method :
       {Method::dopri5, Method::dop853, Method::rodas, Method::adams, Method::bdf, Method::automatic}) {
    for (const double rtol : tolerances) {
      CAPTURE(std::string(to_string(method)));
      CAPTURE(rtol);
      const Finished finished = run(text, method, rtol, units);
      CAPTURE(finished.solution.outcome.message);
      REQUIRE(finished.solution.outcome.succeeded());
      check(finished, rtol);
    }
  }
}
template <class Check>
void for_all_methods(const std::string& text, const Check& check) {
  for_all_methods(text, {1e-4, 1e-6, 1e-8, 1e-10}, check);
}

}  // namespace slideway::test
