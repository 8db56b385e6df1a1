#include "validation/random/classes.hpp"

namespace slideway::validation::random {

const std::vector<ModelClass>& all_classes() {
  static const std::vector<ModelClass> classes = {
      {"linear", "linear with one to four relays and time", linear_relays},
      {"exits", "exits of sliding on two and three surfaces", sliding_exits},
  };
  return classes;
}

}  // namespace slideway::validation::random
