// One run of `slideway run`: the model with its settings, and what following it gave.
//
// It must not know documents.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/commands.hpp"
#include "slideway/io/report.hpp"
#include "slideway/model/model.hpp"
#include "slideway/simulate/final_gradients.hpp"
#include "slideway/simulate/observation.hpp"
#include "slideway/simulate/observed_sensitivity.hpp"
#include "slideway/simulate/options.hpp"
#include "slideway/simulate/passivity.hpp"

namespace slideway::apps {

struct FollowedRun {
  Model model;
  ModelInstance instance;
  Options options = {};
  std::unique_ptr<Observation> observation =
      nullptr;  // the quantities to be seen beside the states; null for none
  std::unique_ptr<ObservedSensitivity> observed_sensitivity = nullptr;  // their derivatives, likewise
  std::optional<FinalGradientQuestion> question = {};                   // what --adjoint asks for
  std::optional<FinalGradients> gradients = {};                         // and its answer
  bool watches_friction = false;
  Solution solution = {};
  std::vector<FrictionWork> friction = {};
  std::optional<PoincareSection> section = {};  // whose points are listed
  std::string title = {};  // the name of the model, or what tells this run from the others

  // Refers to this run, which must stay where it is.
  RunReport report() const;
};

// A run that has not begun, with all that can be refused before it begins.
FollowedRun prepare_run(const RunArguments& arguments, const std::string& model, const Settings& settings);

// Follows the solution.
void follow(FollowedRun& run);

}  // namespace slideway::apps
