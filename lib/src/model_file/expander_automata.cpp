// Expander: automata beside each other, whose locations choose derivatives and whose edges are resets.
#include "model_file/expander.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/number_text.hpp"

namespace slideway::reader {

NodeId Expander::location_number(const AutomatonDescription& automaton, std::uint32_t i) {
  return expanded_.graph.state(extents_.first_state[automaton.state] + std::max<std::uint32_t>(i, 1) - 1);
}

NodeId Expander::only_in(NodeId number, std::size_t location, NodeId here, NodeId elsewhere) {
  ExpressionGraph& graph = expanded_.graph;
  const NodeId distance = graph.subtract(number, graph.constant(static_cast<double>(location + 1)));
  return graph.choose(graph.unary(Operation::absolute, distance), elsewhere, here);
}

void Expander::build_locations_of_automata() {
  std::unordered_map<std::uint32_t, const AutomatonDescription*> givers;
  for (const AutomatonDescription& automaton : model_.automata) {
    check_initial_location(automaton);
    for (std::size_t k = 0; k < automaton.locations.size() && mistakes_.empty(); ++k) {
      for (const Assignment& line : automaton.locations[k].derivatives) {
        const auto giver = givers.emplace(line.state, &automaton).first->second;
        if (giver != &automaton)
          mistakes_.push_back(
              {line.position, model_.states[line.state].name.size(),
               "a derivative of " + in_quotes(model_.states[line.state].name) + " by two automata",
               "one automaton whose locations give it",
               in_quotes(giver->name) + " and " + in_quotes(automaton.name),
               "give one of the two parts in [definitions], by if(" + automaton.name + " == 1, p, q)"});
        build_in_location(automaton, k, line);
      }
    }
  }
}

void Expander::build_in_location(const AutomatonDescription& automaton, std::size_t location,
                                 const Assignment& line) {
  const bool is_one = !model_.states[automaton.state].is_vector();
  const std::uint32_t count = extents_.states[automaton.state];
  std::vector<ExpandedAssignment> made;
  if (!is_one && means_every_element(line) && extents_.states[line.state] != count) {
    mistakes_.push_back(
        {line.position, model_.states[line.state].name.size(),
         "a vector of another length than the automata " + in_quotes(automaton.name),
         std::to_string(count) + " elements, one for each", std::to_string(extents_.states[line.state]),
         "or name the element that each gives, as \"" + model_.states[line.state].name + "[i + 1]\""});
    return;
  }
  const bool is_indexed = !is_one && line.indexed.has_value();
  for (std::uint32_t i = 1; i <= (is_indexed ? count : 1); ++i) {
    made.clear();
    build_assignment(line, Jumps::surfaces, is_indexed ? i : 0, made);
    for (std::uint32_t k = 0; k < made.size(); ++k) {
      const std::uint32_t owner = is_one ? 0 : is_indexed ? i : k + 1;
      in_locations_.push_back({location_number(automaton, owner), location, made[k]});
    }
  }
}

void Expander::check_initial_location(const AutomatonDescription& automaton) {
  const std::uint32_t first = extents_.first_state[automaton.state];
  for (std::uint32_t k = 0; k < extents_.states[automaton.state]; ++k) {
    const double number = expanded_.initial[static_cast<Index>(first + k)];
    const bool is_one = number >= 1 && number == std::floor(number) &&
                        number <= static_cast<double>(automaton.locations.size());
    if (is_one) continue;
    const Quantity& state = model_.states[automaton.state];
    mistakes_.push_back({state.value.position, 1, state.value.owner + " does not exist",
                         "a whole number from 1 to " + std::to_string(automaton.locations.size()) +
                             ", in the order of the file, or a name",
                         exact_text(number) + " for " + in_quotes(expanded_.state_names[first + k]), ""});
    return;
  }
}

void Expander::build_edges_of_automata() {
  for (const AutomatonDescription& automaton : model_.automata) {
    if (!mistakes_.empty()) return;
    std::vector<ExpandedEvent> made;
    build_events("edge", automaton.edges, made);
    if (!mistakes_.empty()) return;
    const std::size_t count =
        model_.states[automaton.state].is_vector() ? extents_.states[automaton.state] : std::size_t{1};
    refuse_edges_that_undo(automaton, made, count);
    for (std::size_t k = 0; k < made.size(); ++k) {
      const EventDescription& edge = automaton.edges[k / count];
      const std::uint32_t i = count == 1 && !edge.size ? 0 : static_cast<std::uint32_t>(k % count) + 1;
      finish_edge(automaton, edge, i, made[k]);
      expanded_.resets.push_back(std::move(made[k]));
    }
  }
}

void Expander::finish_edge(const AutomatonDescription& automaton, const EventDescription& edge,
                           std::uint32_t i, ExpandedEvent& made) {
  ExpressionGraph& graph = expanded_.graph;
  const NodeId number = location_number(automaton, i);
  made.guard = only_in(number, edge.from, rising_guard(made), graph.constant(-1));
  made.direction = Direction::rising;
  if (made.initially == Initially::by_rule) made.initially = Initially::fire;
  if (edge.name.empty())
    made.name = automaton.name + (i == 0 ? "" : std::to_string(i)) + ": " +
                automaton.locations[edge.from].name + " -> " + automaton.locations[edge.to].name;
  if (made.common) {
    made.set.insert(made.set.begin(), made.common->begin(), made.common->end());
    made.common.reset();
  }
  // Several edges of an automaton may fire at once. The first one changes its location, and the others then set nothing: each
  // assignment looks at the location again.
  for (ExpandedAssignment& line : made.set)
    line.value = only_in(number, edge.from, line.value, graph.state(line.state));
  const auto to = static_cast<double>(edge.to + 1);
  made.set.push_back(
      {graph[number].a, only_in(number, edge.from, graph.constant(to), number), edge.position});
}

NodeId Expander::rising_guard(const ExpandedEvent& edge) {
  return edge.direction == Direction::falling ? expanded_.graph.opposite(edge.guard) : edge.guard;
}

void Expander::refuse_edges_that_undo(const AutomatonDescription& automaton,
                                      const std::vector<ExpandedEvent>& made, std::size_t count) {
  for (std::size_t a = 0; a < automaton.edges.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      const EventDescription &one = automaton.edges[a], &other = automaton.edges[b];
      if (one.from != other.to || one.to != other.from || one.from == one.to || count == 0) continue;
      const NodeId back = rising_guard(made[b * count]);
      const NodeId there = rising_guard(made[a * count]);
      if (there != expanded_.graph.opposite(back) && there != expanded_.graph.negate(back)) continue;
      mistakes_.push_back({one.when.position, 1,
                           "two edges of automaton " + in_quotes(automaton.name) +
                               " that lead back and forth where one guard is zero",
                           "two guards with a band between them",
                           in_quotes(builder_.text(one.when, one.size ? 1 : 0)),
                           "the solution may slide there: write sgn() of the guard, or if(a > b, p, q), in "
                           "the derivatives in "
                           "place of two locations, or [[locations]]"});
      return;
    }
  }
}

}  // namespace slideway::reader
