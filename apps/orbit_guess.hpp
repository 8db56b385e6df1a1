// Where the search for a periodic orbit begins, for each interface that has such a search.
//
// It must not know how a question was asked, nor how orbits are found.
#pragma once

#include <optional>

#include "slideway/model/model.hpp"
#include "slideway/orbit/periodic_orbit.hpp"
#include "slideway/simulate/options.hpp"
#include "slideway/simulate/poincare_section.hpp"

namespace slideway::apps {

struct OrbitQuestion {
  std::optional<PoincareSection> section = {};
  std::optional<double> period = {};  // beats the section
  Index returns = 0;     // to the section; 0: the fewest after which the state is nearly the same
  double transient = 0;  // the time for which the model is followed first
};

// orbit_guess() follows the model for the transient, made longer to whole periods where a period or the time events of the model say when the
// orbit comes back. Nothing where neither a section, a period nor time events say it. Throws as guess_at_section() does.
std::optional<OrbitGuess> orbit_guess(const OrbitQuestion& question, const ModelInstance& instance,
                                      const Options& options);

}  // namespace slideway::apps
