// Gradients of quantities at the end of a run by all parameters and initial values of its model, found backwards (simulate/adjoint.hpp).
// A quantity y(t, x, p) has, at the time at which the run ended,
//     dy/dp = ∂y/∂x S + ∂y/∂p,      S = ∂x/∂p
// and the cost does not grow with the number of parameters.
//
// It must not know file formats, nor how a run is made.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "slideway/core/types.hpp"
#include "slideway/model/model.hpp"
#include "slideway/simulate/options.hpp"
#include "slideway/simulate/sensitivity.hpp"
#include "slideway/simulate/simulator.hpp"
#include "slideway/simulate/solution.hpp"

namespace slideway {

struct FinalGradients {
  std::vector<std::string> quantities = {};
  std::vector<std::string> by = {};        // parameters, then states, for their initial values
  Matrix gradients = {};                   // quantities × by; not-a-number where there is no derivative
  std::vector<std::string> left_out = {};  // parameters that there are no derivatives by, such as counts
  // All derivatives exist up to this time; beyond it they are those of one side.
  double exists_until = std::numeric_limits<double>::infinity();
  std::string reason = {};  // why they do not go on, "" where they do
};

class FinalGradientQuestion {
 public:
  // `quantities` are names of states, or what ModelInstance::observables takes; `instance` is that of the model with these settings.
  // Throws std::invalid_argument for a name without meaning, and for a problem that runs have no derivatives of.
  FinalGradientQuestion(const Model& model, const Settings& settings, const ModelInstance& instance,
                        const std::vector<std::string>& quantities);

  // The run must be over. `options` are those of the run, with Recording::dense, or std::invalid_argument is thrown.
  FinalGradients answer(const Options& options, const Run& run, const Solution& solution) const;

 private:
  ModelInstance instance_;
  std::vector<std::string> states_ = {}, observed_ = {};  // the quantities
  std::vector<std::string> left_out_ = {};
  SensitivityRequest request_ = {};
};

}  // namespace slideway
