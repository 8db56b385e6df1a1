#include "validation/random/classes.hpp"

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

}  // namespace slideway::validation::random
