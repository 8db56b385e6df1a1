#include "local/local_place.hpp"

#include <algorithm>
#include <utility>

#include "core/at.hpp"
#include "slideway/detail/model/system_rows.hpp"

namespace slideway {

namespace {

bool choose_rows(const System& system) {
  const SystemDefinition& definition = system.definition();
  return definition.rows ||
         (definition.field_affine && definition.field_along &&
          (definition.surfaces == 0 || (definition.guards_affine && definition.guards_along)));
}

Index edges_that_leave(const Automaton& automaton, std::size_t location) {
  const std::string& name = automaton.locations()[location].name;
  return std::count_if(automaton.edges().begin(), automaton.edges().end(),
                       [&](const Edge& edge) { return edge.from == name; });
}

EventWatch watch_of(const Automaton& automaton, std::size_t location) {
  EventWatch watch(automaton.locations()[location].system);
  watch.add_edges(automaton, location, {});
  return watch;
}

}  // namespace

std::string LocalPlace::why_none(const Automaton& automaton, std::size_t location) {
  const System& system = automaton.locations()[location].system;
  if (system.states() == system.discrete()) return "all states are discrete";
  if (!choose_rows(system)) return "the field is not affine and has no rows (SystemDefinition::rows)";
  if (std::string why = Coupling::why_none(system, edges_that_leave(automaton, location)); !why.empty())
    return why;
  if (system.definition().break_away) return "static friction is above the kinetic level";
  return "";
}

LocalPlace::LocalPlace(const Automaton& automaton, std::size_t location,
                       std::shared_ptr<const RelayStructure> structure, const Options& options,
                       Recording recording, const FollowAll& follow_all)
    : system(automaton.locations()[location].system),
      coupling(system, edges_that_leave(automaton, location)),
      contact_modes(system.contacts()),
      tools(system, std::move(structure), options, watch_of(automaton, location),
            automaton.locations()[location].name, contact_modes),
      scan(tools.ode),
      clusters(coupling),
      parts(system, choose_rows_of(system), options, recording, follow_all),
      is_polynomial(system.definition().field_affine && system.definition().guards_affine &&
                    system.contacts().empty()) {
  without_effect.flags.assign(at(system.surfaces()) + system.contacts().size(), 0);
  for (Index i = 0; i < system.surfaces(); ++i) {
    if (tools.structure->normal_dlambda().has(i, i)) continue;
    without_effect.flags[at(i)] = 1;
    without_effect.surfaces.push_back(i);
  }
}

}  // namespace slideway
