// The box of --box, in which equilibria are looked for.
//
// It must not know how a command line is parsed, nor how equilibria are found.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "slideway/model/system.hpp"
#include "slideway/orbit/equilibria.hpp"

namespace slideway::apps {

// Ranges of states by their names. States without one are open; an empty list leaves the options as they are. Throws std::invalid_argument,
// which names the option, for a name that is no state.
void set_box(const std::vector<std::pair<std::string, std::pair<double, double>>>& box, const System& system,
             EquilibriumOptions& options);

}  // namespace slideway::apps
