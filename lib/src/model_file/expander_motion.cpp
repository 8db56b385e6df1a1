// Expander: surfaces with names, derivatives, what an assignment means, and masses.
#include "model_file/expander.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/number_text.hpp"
#include "expression/expression_tape.hpp"
#include "expression/tape_inputs.hpp"
#include "model_file/lowering_friction.hpp"

namespace slideway::reader {

void Expander::build_named_surfaces() {
  for (std::uint32_t k = 0; k < model_.surfaces.size(); ++k)
    for (std::uint32_t element = 1; element <= extents_.surfaces[k]; ++element)
      if (!succeeds([&] { add_named_surface(k, element); })) break;
}

void Expander::add_named_surface(std::uint32_t k, std::uint32_t element) {
  const Quantity& surface = model_.surfaces[k];
  const std::string name = surface.is_vector() ? surface.name + std::to_string(element) : surface.name;
  const NodeId guard = builder_.guard(k, element);
  if (!is_never_met(guard, surface.value, "surface " + in_quotes(name), "a guard")) {
    const SurfaceSide side = surfaces_.add_named(name, guard);
    if (surface.break_away) {
      const auto ratio = [&](const Formula& formula) {
        return builder_.build(formula, Jumps::refused_in_ratio, surface.is_vector() ? element : 0);
      };
      BreakAway ratios;
      ratios.above = ratios.below = ratio(*surface.break_away);
      if (surface.break_away_below) ratios.below = ratio(*surface.break_away_below);
      set_break_away(surfaces_, expanded_.graph, side, ratios, *surface.break_away, name, mistakes_);
    }
    return;
  }
  throw Unbuildable{};
}

bool Expander::is_never_met(NodeId function, const Formula& formula, const std::string& who,
                            const std::string& what) {
  if (!expanded_.graph.is_constant(function)) return false;
  mistakes_.push_back({formula.position, 1, who + " can never be met",
                       what + " that depends on a state or on t",
                       "the constant " + exact_text(expanded_.graph.value(function)), ""});
  return true;
}

void Expander::check_is_met(NodeId function, const Formula& formula, const std::string& kind,
                            const std::string& name, const std::string& what) {
  if (check_ == Check::everything && !formula.empty())
    is_never_met(function, formula, name.empty() ? "the " + kind : kind + " " + in_quotes(name), what);
}

void Expander::build_assignment(const Assignment& assignment, Jumps jumps, std::uint32_t table_element,
                                std::vector<ExpandedAssignment>& result) {
  const std::uint32_t count = extents_.states[assignment.state];
  if (assignment.element > count) {
    mistakes_.push_back({assignment.position, 1, "an element that does not exist",
                         "at most " + std::to_string(count) + " elements", std::to_string(assignment.element),
                         ""});
    return;
  }
  std::optional<std::uint32_t> only = std::max<std::uint32_t>(assignment.element, 1);
  if (assignment.indexed) {
    const auto find = [&] { only = builder_.element_of(*assignment.indexed, table_element); };
    if (!succeeds(find) || !only) return;
  }
  const bool every = means_every_element(assignment);
  for (std::uint32_t element = every ? 1 : *only; element <= (every ? count : *only); ++element) {
    NodeId node = 0;
    const auto build = [&] {
      node = uses_element(assignment.value)
                 ? builder_.build(assignment.value, jumps, table_element, element)
                 : builder_.build(assignment.value, jumps, every ? element : table_element);
    };
    if (!succeeds(build)) return;
    const std::uint32_t state = extents_.first_state[assignment.state] + element - 1;
    result.push_back({state, node, assignment.value.position});
  }
}

bool Expander::means_every_element(const Assignment& assignment) const {
  return model_.states[assignment.state].is_vector() && assignment.element == 0 && !assignment.indexed;
}

bool Expander::is_common(const Assignment& assignment) const {
  return means_every_element(assignment) && !(uses_element(assignment.value) && uses_index(assignment.value));
}

std::vector<ExpandedAssignment> Expander::build_assignments(const std::vector<Assignment>& lines, Jumps jumps,
                                                            std::uint32_t table_element) {
  std::vector<ExpandedAssignment> result, made;
  std::unordered_map<std::uint32_t, std::size_t> places;
  std::size_t common = 0;
  for (const bool every : {true, false}) {
    for (const Assignment& line : lines) {
      if (means_every_element(line) != every) continue;
      made.clear();
      build_assignment(line, jumps, table_element, made);
      for (const ExpandedAssignment& one : made) {
        const auto [place, is_new] = places.emplace(one.state, result.size());
        if (is_new) {
          result.push_back(one);
        } else if (!every && place->second < common) {
          result[place->second] = one;
          place->second = result.size();  // from now on no common value
        } else {
          mistakes_.push_back({line.position, 1, "the same state twice", "one value for every state",
                               in_quotes(expanded_.state_names[one.state]), ""});
        }
      }
    }
    if (every) common = result.size();
  }
  return result;
}

ExpandedMotion Expander::motion(const std::string& location,
                                const std::vector<ExpandedAssignment>& derivatives) {
  const std::size_t count = expanded_.state_names.size();
  const NodeId zero = expanded_.graph.constant(0);
  ExpandedMotion result{location, std::vector<NodeId>(count, zero), std::vector<Position>(count)};
  for (const ExpandedAssignment& derivative : derivatives) {
    result.derivatives[derivative.state] = derivative.value;
    result.places[derivative.state] = derivative.place;
  }
  for (const InLocation& one : in_locations_) {
    NodeId& derivative = result.derivatives[one.line.state];
    derivative = only_in(one.automaton, one.location, one.line.value, derivative);
    result.places[one.line.state] = one.line.place;
  }
  return result;
}

void Expander::build_motion() {
  build_locations_of_automata();
  std::vector<ExpandedAssignment> everywhere;
  for (const Assignment& line : model_.derivatives) build_assignment(line, Jumps::surfaces, 0, everywhere);
  if (model_.locations.empty()) expanded_.motions.push_back(motion("", everywhere));
  for (const LocationDescription& location : model_.locations) {
    std::vector<ExpandedAssignment> here = everywhere;
    for (const Assignment& line : location.derivatives) build_assignment(line, Jumps::surfaces, 0, here);
    expanded_.motions.push_back(motion(location.name, here));
  }
  expanded_.initial_location = model_.initial_location;
}

void Expander::build_mass() {
  if (model_.mass.empty()) return;
  std::vector<std::pair<std::uint32_t, ExpandedAssignment>> entries;
  for (const MassRow& row : model_.mass) {
    const Quantity& state = model_.states[row.state];
    for (std::uint32_t i = 1; i <= extents_.states[row.state]; ++i) {
      const std::uint32_t number = extents_.first_state[row.state] + i - 1;
      mass_rows_[number] = &row;
      for (const ExpandedAssignment& entry :
           build_assignments(row.entries, Jumps::refused_in_mass, state.is_vector() ? i : 0))
        entries.emplace_back(number, entry);
    }
  }
  if (!mistakes_.empty()) return;
  std::vector<NodeId> nodes;
  for (const auto& [row, entry] : entries) nodes.push_back(entry.value);
  std::vector<double> values(nodes.size());
  Tape(expanded_.graph, nodes)
      .evaluate<double>(point(expanded_.start, expanded_.initial),
                        [&](std::size_t k, double value) { values[k] = value; });
  for (std::size_t k = 0; k < entries.size(); ++k) {
    if (!std::isfinite(values[k])) {
      mistakes_.push_back({entries[k].second.place, 1, "a mass that is not finite at the start",
                           "a finite number", exact_text(values[k]), ""});
      return;
    }
    mass_.add(entries[k].first, entries[k].second.state, entries[k].second.value, values[k]);
  }
  mass_.set_known_states(known_states());
  if (!mass_.factor()) return tell_singular(mass_.singular_row());
  for (ExpandedMotion& motion : expanded_.motions) {
    MassMatrix::Entries sides;
    for (std::uint32_t j = 0; j < motion.derivatives.size(); ++j)
      if (!expanded_.graph.is_constant(motion.derivatives[j], 0)) sides[j] = motion.derivatives[j];
    mass_.solve(sides);
    for (std::uint32_t j = 0; j < motion.derivatives.size(); ++j) {
      const auto solved = sides.find(j);
      motion.derivatives[j] = solved == sides.end() ? expanded_.graph.constant(0) : solved->second;
    }
  }
}

void Expander::watch_mass() {
  const std::optional<NodeId> guard = mass_.singularity();
  if (!guard || expanded_.graph.is_constant(*guard)) return;
  ExpandedEvent stop;
  stop.name = "singular mass matrix";
  stop.guard = *guard;
  expanded_.stops.push_back(std::move(stop));
}

void Expander::tell_singular(std::uint32_t row) {
  const auto given = mass_rows_.find(row);
  const MassRow& told = given == mass_rows_.end() ? model_.mass.front() : *given->second;
  mistakes_.push_back(
      {told.position, model_.states[told.state].name.size(), "the mass matrix is singular at the start",
       "rows none of which is made of the others",
       "the row of " + in_quotes(expanded_.state_names[row]) + ", in which nothing is left",
       "a variable without a derivative of its own is no state: give it a line in [definitions]"});
}

void Expander::divide_by_mass(std::vector<ExpandedAssignment>& lines) {
  if (mass_.empty() || lines.empty()) return;
  const Position place = lines.front().place;
  MassMatrix::Entries sides;
  for (const ExpandedAssignment& line : lines) sides[line.state] = line.value;
  mass_.solve(sides);
  lines.clear();
  for (const auto& [state, value] : sides) lines.push_back({state, value, place});
}

void Expander::build_formula(const Formula& formula, Jumps jumps, std::uint32_t element, NodeId& node) {
  succeeds([&] { node = builder_.build(formula, jumps, element); });
}

}  // namespace slideway::reader
