#include "model/refuse_cones.hpp"

#include "slideway/core/errors.hpp"

namespace slideway {

void refuse_cone_friction(const Automaton& automaton, const std::string& what) {
  for (const Contact& contact : automaton.system().contacts()) {
    if (!contact.cone) continue;
    refuse({.what = what + " of contacts with friction in a plane are not available",
            .where = "contact '" + contact.name + "'",
            .expected = "friction along a line, or none",
            .got = "friction with two velocities",
            .advice = "take differences of runs at a tight tolerance"});
  }
}

}  // namespace slideway
