#include "model_file/model_file_description.hpp"

#include <algorithm>
#include <optional>

#include "core/letters.hpp"

namespace slideway::reader {

bool ModelDescription::has_vectors() const {
  const auto is_vector = [](const Quantity& quantity) { return quantity.may_be_vector(); };
  return std::any_of(states.begin(), states.end(), is_vector) ||
         std::any_of(definitions.begin(), definitions.end(), is_vector) ||
         std::any_of(surfaces.begin(), surfaces.end(), is_vector);
}

Position place_of(const SourceText& source, const Formula& formula, std::size_t offset) {
  return formula.is_string ? position_in_string(source, formula.position, offset) : formula.position;
}

std::uint32_t element_number(const std::string& name, const std::string& vector) {
  constexpr std::size_t most_digits = 9;
  if (name.size() <= vector.size() || name.size() > vector.size() + most_digits) return 0;
  if (name.compare(0, vector.size(), vector) != 0 || name[vector.size()] == '0') return 0;
  std::uint32_t number = 0;
  for (std::size_t k = vector.size(); k < name.size(); ++k) {
    if (name[k] < '0' || name[k] > '9') return 0;
    number = 10 * number + static_cast<std::uint32_t>(name[k] - '0');
  }
  return number;
}

bool is_identifier(const std::string& name) { return is_name(name); }

bool is_column_of_tables(const std::string& name) { return name == "mode" || name == "location"; }

UsedNames used_names(const ModelDescription& model) {
  UsedNames used;
  used.parameters.assign(model.parameters.size(), false);
  used.definitions.assign(model.definitions.size(), false);
  used.surfaces.assign(model.surfaces.size(), false);
  used.tables.assign(model.tables.size(), false);
  const auto mark = [&](const Formula& formula) {
    for (const Symbol& symbol : formula.symbols) {
      if (symbol.kind == SymbolKind::parameter) used.parameters[symbol.index] = true;
      if (symbol.kind == SymbolKind::definition) used.definitions[symbol.index] = true;
      if (symbol.kind == SymbolKind::surface) used.surfaces[symbol.index] = true;
      if (symbol.kind == SymbolKind::table) used.tables[symbol.index] = true;
    }
  };
  const auto mark_optional = [&](const std::optional<Formula>& formula) {
    if (formula) mark(*formula);
  };
  const auto mark_all = [&](const std::vector<Assignment>& lines) {
    for (const Assignment& line : lines) {
      mark_optional(line.indexed);
      mark(line.value);
    }
  };
  mark(model.start);
  mark(model.end);
  for (const auto* quantities : {&model.parameters, &model.states, &model.definitions, &model.surfaces})
    for (const Quantity& quantity : *quantities) {
      mark_optional(quantity.size);
      mark(quantity.value);
      mark_optional(quantity.break_away);
      mark_optional(quantity.break_away_below);
    }
  mark_all(model.derivatives);
  for (const MassRow& row : model.mass) mark_all(row.entries);
  for (const LocationDescription& location : model.locations) mark_all(location.derivatives);
  for (const auto* events : {&model.resets, &model.stops, &model.records, &model.edges})
    for (const EventDescription& event : *events) {
      mark_optional(event.size);
      mark(event.when);
      mark_all(event.set);
      mark_optional(event.delay);
    }
  for (const AutomatonDescription& automaton : model.automata) {
    for (const LocationDescription& location : automaton.locations) mark_all(location.derivatives);
    for (const EventDescription& edge : automaton.edges) {
      mark(edge.when);
      mark_all(edge.set);
    }
  }
  for (const EveryDescription& every : model.every) {
    for (const auto* formula : {&every.size, &every.period, &every.offset, &every.count})
      mark_optional(*formula);
    for (const Formula& time : every.at) mark(time);
    mark_all(every.set);
  }
  for (const ContactDescription& contact : model.contacts) {
    mark_optional(contact.size);
    mark(contact.gap);
    mark_all(contact.acts_on);
    mark(contact.restitution);
    if (!contact.friction) continue;
    mark(contact.friction->coefficient);
    mark_optional(contact.friction->at_rest);
    for (const Formula& velocity : contact.friction->velocities) mark(velocity);
    for (const auto& part : contact.friction->acts_on) mark_all(part);
  }
  for (const ObservableDescription& observable : model.observables) mark(observable.value);
  return used;
}

namespace {

// reads_state() tells whether a value is made of a state, by itself or by definitions; `seen` are definitions that were looked at.
bool reads_state(const ModelDescription& model, const Formula& formula, std::uint32_t state,
                 std::set<std::uint32_t>& seen) {
  return std::any_of(formula.symbols.begin(), formula.symbols.end(), [&](const Symbol& symbol) {
    if (symbol.kind == SymbolKind::state) return symbol.index == state;
    return symbol.kind == SymbolKind::definition && seen.insert(symbol.index).second &&
           reads_state(model, model.definitions[symbol.index].value, state, seen);
  });
}

bool uses(const Formula& formula, SymbolKind kind) {
  return std::any_of(formula.symbols.begin(), formula.symbols.end(),
                     [kind](const Symbol& symbol) { return symbol.kind == kind; });
}

}  // namespace

DelayedValues delayed_values(const ModelDescription& model, const EventDescription& event) {
  if (event.values) return *event.values;
  const bool is_of_itself =
      std::any_of(event.set.begin(), event.set.end(), [&](const Assignment& assignment) {
        std::set<std::uint32_t> seen;
        return reads_state(model, assignment.value, assignment.state, seen);
      });
  return is_of_itself ? DelayedValues::execution : DelayedValues::trigger;
}

bool uses_element(const Formula& formula) { return uses(formula, SymbolKind::element); }

bool uses_index(const Formula& formula) { return uses(formula, SymbolKind::index); }

}  // namespace slideway::reader
