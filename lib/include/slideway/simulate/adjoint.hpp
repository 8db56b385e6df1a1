// Derivatives of few outputs by many parameters and initial values, through every event: the ledger of a run is gone through backwards.
// With v = ∂J/∂x(t), of the states and parameters together,
//
//     between events   v' = −Jᵀ v,                  J the Jacobian of the field that was followed
//     at an event      v⁻ = Mᵀ v⁺ + c ∂t*/∂x⁻,      M the matrix of S⁺ = M S⁻ (simulate/sensitivity.hpp), c the weight of its time
//
// so that the cost does not grow with the number of parameters as that of forward derivatives does. The results are the same.
// It must not know file formats, nor how a run is made.
#pragma once

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "slideway/core/types.hpp"
#include "slideway/model/automaton.hpp"
#include "slideway/simulate/options.hpp"
#include "slideway/simulate/sensitivity.hpp"
#include "slideway/simulate/simulator.hpp"
#include "slideway/simulate/solution.hpp"

namespace slideway {

// AdjointOutput is J = Σ wₖᵀ x(tₖ) + Σ cₑ tₑ. Weights that depend on the solution, as those of a sum of squares,
// are those of ∂J/∂x.
struct AdjointOutput {
  std::vector<double> times = {};  // tₖ in the run, in any order; at an event the state after it is meant
  Matrix weights = {};             // n × times
  std::vector<std::pair<std::size_t, double>> event_times = {};  // e into Solution::events, and cₑ
};

struct AdjointGradients {
  // outputs × q, by SensitivityRequest::names. An entry is not-a-number where the time of an event has no derivative in its direction.
  Matrix gradients = {};
  // exists_until is that of Sensitivities, for the directions of all states and parameters, whether they are
  // asked for or not.
  double exists_until = std::numeric_limits<double>::infinity();
  std::string reason = {};
};

// The run must be over. `options` are those of the run, with Recording::dense; its sensitivities may be empty. Throws std::invalid_argument
// for a solution without its trajectory, for outputs that do not fit it, and for problems that runs have no derivatives of.
AdjointGradients adjoint_gradients(const Automaton& problem, const Options& options, const Run& run,
                                   const Solution& solution, const SensitivityRequest& wanted,
                                   const std::vector<AdjointOutput>& outputs);

}  // namespace slideway
