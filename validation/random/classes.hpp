// The classes of random models. A new class is a function here, a source file and a line in all_classes().
//
// It must not know how models are solved.
#pragma once

#include <string>
#include <vector>

#include "validation/random/draw.hpp"
#include "validation/random/random_model.hpp"

namespace slideway::validation::random {

struct ModelClass {
  std::string name;
  std::string summary;
  RandomModel (*make)(Draw& draw);
};

RandomModel linear_relays(Draw& draw);
RandomModel sliding_exits(Draw& draw);
RandomModel nests(Draw& draw);
RandomModel friction_networks(Draw& draw);
RandomModel moving_floors(Draw& draw);
RandomModel automata(Draw& draw);
RandomModel pulse_networks(Draw& draw);
RandomModel accumulations(Draw& draw);
RandomModel stiff_models(Draw& draw);

const std::vector<ModelClass>& all_classes();

// Into all_classes(), in their order; all of them where no names are given. Throws std::invalid_argument for a class that there is not.
std::vector<std::size_t> classes_named(const std::vector<std::string>& names);

}  // namespace slideway::validation::random
