// The input of the writers of results: a run, and the names that belong to it.
//
//     ModelInstance instance = read_model_file(path).instantiate({});      // or, of a System written in C++,
//     ModelInstance instance{.system = system, .start = 0, .end = 20, .state = x0};
//     Solution solution = Simulator(instance.problem()).run({.start = 0, .end = 20, .state = instance.state});
//     write_csv({.model = "name", .instance = instance, .solution = solution}, std::cout);
//
// It must not know formats.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "slideway/model/model.hpp"
#include "slideway/simulate/final_gradients.hpp"
#include "slideway/simulate/observation.hpp"
#include "slideway/simulate/observed_sensitivity.hpp"
#include "slideway/simulate/passivity.hpp"
#include "slideway/simulate/poincare_section.hpp"
#include "slideway/simulate/solution.hpp"

namespace slideway {

struct AuditResult;  // slideway/audit/audit.hpp

// Refers to the instance, the solution and the observation, which must outlive it.
struct RunReport {
  std::string model = {};  // the model's name
  const ModelInstance& instance;
  const Solution& solution;
  // The other solutions of a tree of continuations; a picture shows them all.
  std::vector<const Solution*> further = {};
  // The work of friction, where it was asked for.
  std::vector<FrictionWork> friction = {};
  // The quantities written and drawn beside the states; null for none.
  Observation* observation = nullptr;
  // Their derivatives, where the solution has some; null for none.
  ObservedSensitivity* observed_sensitivity = nullptr;
  // The gradients of quantities at the end; null for none.
  const FinalGradients* gradients = nullptr;
  // The findings of the audit; null where there was none.
  const AuditResult* audit = nullptr;
  // The section whose points are listed; none without.
  std::optional<PoincareSection> section = {};
};

}  // namespace slideway
