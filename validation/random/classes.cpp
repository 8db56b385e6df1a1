#include "validation/random/classes.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "slideway/core/errors.hpp"

namespace slideway::validation::random {

const std::vector<ModelClass>& all_classes() {
  static const std::vector<ModelClass> classes = {
      {"linear", "linear with one to four relays and time", linear_relays},
      {"exits", "exits of sliding on two and three surfaces", sliding_exits},
      {"nests", "products of relays, and if, abs, min and max inside each other", nests},
      {"friction", "blocks with friction, break-away, belts and walls", friction_networks},
      {"contacts", "balls on floors that move", moving_floors},
      {"automata", "locations, edges, resets and cascades", automata},
      {"pulses", "pulse-coupled oscillators", pulse_networks},
      {"zeno", "accumulations of bounces and turns, away from zero", accumulations},
      {"stiff", "condition 1e6", stiff_models},
  };
  return classes;
}

std::vector<std::size_t> classes_named(const std::vector<std::string>& names) {
  std::vector<std::size_t> chosen;
  std::vector<std::string> known;
  for (const ModelClass& model_class : all_classes()) known.push_back(model_class.name);
  for (std::size_t k = 0; k < known.size(); ++k) {
    if (names.empty() || std::find(names.begin(), names.end(), known[k]) != names.end()) chosen.push_back(k);
  }
  for (const std::string& name : names) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    refuse({.what = "there is no such class of random models",
            .where = "validate --random",
            .expected = fmt::format("one of {}", fmt::join(known, ", ")),
            .got = "'" + name + "'"});
  }
  return chosen;
}

}  // namespace slideway::validation::random
