#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "io/model_file_description.hpp"
#include "io/toml_document.hpp"

namespace slideway::reader {
namespace {

using Words = std::vector<std::string>;

const Words free_tables = {"parameters", "states", "definitions", "surfaces", "derivatives"};
const Words fixed_tables = {"time", "options"};
const Words lists = {"resets", "stops", "records", "contacts", "locations", "edges"};
const Words top_level_keys = {"name", "summary", "source", "initial"};

bool contains(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

class SectionReader {
 public:
  SectionReader(ModelDescription& model, Mistakes& mistakes) : model_(model), mistakes_(mistakes) {}

  void read(const TomlValue& root) {
    root_ = &root;
    for (const TomlEntry& entry : root.table) check_top_level(entry);
    read_text(root, "name", model_.name);
    read_text(root, "summary", model_.summary);
    read_text(root, "source", model_.reference);

    read_quantities("parameters", "parameter", model_.parameters);
    read_quantities("states", "state", model_.states);
    read_quantities("definitions", "definition", model_.definitions);
    read_quantities("surfaces", "surface", model_.surfaces);
    if (model_.states.empty()) missing_states();
    for (std::size_t k = 0; k < model_.states.size(); ++k) state_numbers_.emplace(model_.states[k].name, k);
    read_time();
    if (const TomlEntry* table = section("derivatives", TomlKind::table))
      read_derivatives(table->value, model_.derivatives);
    read_locations();
    read_events("resets", "reset", model_.resets, {"name", "when", "direction", "set"});
    read_events("stops", "stop", model_.stops, {"name", "when", "direction"});
    read_events("records", "record", model_.records, {"name", "when", "direction"});
    read_events("edges", "edge", model_.edges, {"name", "from", "to", "when", "direction", "set", "zeno"});
    read_contacts();
    read_initial_location();
    check_derivatives();
    read_options();
  }

 private:
  void mistake(Position where, std::size_t length, std::string what, std::string expected = "",
               std::string got = "", std::string hint = "") {
    mistakes_.push_back(
        {where, length, std::move(what), std::move(expected), std::move(got), std::move(hint)});
  }
  void mistake(const TomlEntry& key, std::string what, std::string expected = "", std::string got = "",
               std::string hint = "") {
    mistake(key.position, key.key.size(), std::move(what), std::move(expected), std::move(got),
            std::move(hint));
  }

  void check_top_level(const TomlEntry& entry) {
    const bool table = contains(free_tables, entry.key) || contains(fixed_tables, entry.key);
    if (table || contains(lists, entry.key) || contains(top_level_keys, entry.key)) return;
    Words known = free_tables;
    for (const Words* more : {&fixed_tables, &lists, &top_level_keys})
      known.insert(known.end(), more->begin(), more->end());
    mistake(entry, "unknown section or key", one_of(known), quoted(entry.key), suggestion(entry.key, known));
  }

  void unknown_key(const TomlEntry& entry, const std::string& where, const Words& known) {
    std::string hint = suggestion(entry.key, known);
    if (entry.key == "zeno")
      hint = "'zeno' belongs to [[edges]]";
    else if (contains(top_level_keys, entry.key))
      hint = top_level_hint(entry.key);
    mistake(entry, "unknown key in " + where, one_of(known), quoted(entry.key), hint);
  }
  static std::string top_level_hint(const std::string& key) {
    return "'" + key + "' is a top-level key: write it before the first [table]";
  }
  void check_keys(const TomlValue& table, const std::string& where, const Words& known) {
    for (const TomlEntry& entry : table.table)
      if (!contains(known, entry.key)) unknown_key(entry, where, known);
  }

  // In a table of free names nothing but its value tells a misplaced `initial` from a name.
  bool is_misplaced_initial(const TomlEntry& entry) {
    if (entry.key != "initial" || root_->find("locations") == nullptr || root_->find("initial") != nullptr)
      return false;
    misplaced_initial_ = true;
    mistake(entry, "a misplaced key", "", "", top_level_hint("initial"));
    return true;
  }

  // The entry of a section of this kind, if it is there and in order.
  const TomlEntry* section(const std::string& key, TomlKind kind) {
    const TomlEntry* const entry = root_->find(key);
    if (entry == nullptr || entry->value.kind == kind) return entry;
    mistake(*entry, "a section of the wrong kind",
            kind == TomlKind::table ? "a table [" + key + "]" : "an array of tables [[" + key + "]]",
            describe(entry->value));
    return nullptr;
  }

  bool expect(const TomlValue& value, TomlKind kind, const std::string& what, const std::string& expected) {
    if (value.kind == kind) return true;
    mistake(value.position, 1, what + " of the wrong kind", expected, describe(value));
    return false;
  }

  void read_text(const TomlValue& table, const std::string& key, std::string& text) {
    const TomlEntry* const entry = table.find(key);
    if (entry != nullptr && expect(entry->value, TomlKind::string, "'" + key + "'", "a text in quotes"))
      text = entry->value.string;
  }

  void missing_states() {
    if (const TomlEntry* states = root_->find("states")) {
      if (states->value.kind == TomlKind::table)
        mistake(*states, "no states", "a line such as x = 0.0 for every state", "an empty table");
      return;
    }
    mistake({}, 1, "no states", "a table [states] with a line such as x = 0.0 for every state", "none");
  }

  // ---- expressions ----------------------------------------------------------------------------------

  Formula read_formula(const TomlValue& value, std::string owner) {
    Formula formula;
    formula.position = value.position;
    formula.owner = std::move(owner);
    if (value.kind == TomlKind::number) {
      if (std::isfinite(value.number))
        formula.expression = number_expression(value.number);
      else
        mistake(value.position, 3, formula.owner + " is not finite", "a finite number", "inf or nan");
    } else if (value.kind == TomlKind::string) {
      formula.is_string = true;
      ParsedExpression parsed = parse_expression(value.string);
      if (parsed.error)
        syntax_error(formula, *parsed.error);
      else
        formula.expression = std::move(parsed.expression);
    } else {
      mistake(value.position, 1, formula.owner + " is of the wrong kind",
              "a number or an expression in quotes", describe(value));
    }
    return formula;
  }

  void syntax_error(const Formula& formula, const SyntaxError& error) {
    mistake(place_of(model_.source, formula, error.offset), error.length,
            error.what + " (" + formula.owner + ")", error.expected, error.got, error.hint);
  }

  Ends read_ends(const TomlValue& table) {
    const TomlEntry* const entry = table.find("ends");
    if (entry == nullptr) return Ends::none;
    const Words known = {"zero", "periodic", "clamped"};
    const auto place = std::find(known.begin(), known.end(), entry->value.string);
    if (entry->value.kind == TomlKind::string && place != known.end())
      return static_cast<Ends>(1 + (place - known.begin()));
    mistake(entry->value.position, 1, "unknown 'ends'", one_of(known), describe(entry->value),
            suggestion(entry->value.string, known));
    return Ends::none;
  }

  // A number, "an expression" or { value = "an expression", ends = "…" }.
  Formula read_formula_with_ends(const TomlValue& value, const std::string& owner) {
    if (value.kind != TomlKind::table) return read_formula(value, owner);
    check_keys(value, owner, {"value", "ends"});
    Formula formula;
    if (const TomlEntry* entry = value.find("value"))
      formula = read_formula(entry->value, owner);
    else
      mistake(value.position, 1, owner + " lacks a key", "'value'", describe_keys(value));
    formula.ends = read_ends(value);
    return formula;
  }

  static std::string describe_keys(const TomlValue& table) {
    Words keys;
    for (const TomlEntry& entry : table.table) keys.push_back(entry.key);
    return keys.empty() ? "none" : one_of(keys);
  }

  Formula required_formula(const TomlEntry& table, const std::string& key, const std::string& owner,
                           const std::string& where) {
    const TomlEntry* const entry = table.value.find(key);
    if (entry != nullptr) return read_formula(entry->value, owner);
    mistake(table, where + " lacks a key", "'" + key + "'", describe_keys(table.value));
    return {};
  }

  // ---- named values ---------------------------------------------------------------------------------

  void read_quantities(const std::string& key, const std::string& kind, std::vector<Quantity>& quantities) {
    const TomlEntry* const table = section(key, TomlKind::table);
    if (table == nullptr) return;
    for (const TomlEntry& entry : table->value.table)
      if (!is_misplaced_initial(entry)) quantities.push_back(read_quantity(entry, kind));
  }

  Quantity read_quantity(const TomlEntry& entry, const std::string& kind) {
    Quantity quantity;
    quantity.name = entry.key;
    quantity.position = entry.position;
    const std::string who = kind + " " + quoted(entry.key);
    const std::string owner = kind == "state"     ? "the initial value of " + quoted(entry.key)
                              : kind == "surface" ? "the guard of " + quoted(entry.key)
                                                  : who;
    if (entry.value.kind != TomlKind::table || kind == "parameter") {
      quantity.value = read_formula(entry.value, owner);
      return quantity;
    }
    check_keys(entry.value, who, {"size", "value", "ends"});
    quantity.size = required_formula(entry, "size", "the size of " + quoted(entry.key), who);
    quantity.value = required_formula(entry, "value", owner, who);
    quantity.ends = read_ends(entry.value);
    quantity.value.ends = quantity.ends;
    return quantity;
  }

  void read_time() {
    const TomlEntry* const table = section("time", TomlKind::table);
    model_.start.expression = number_expression(0);
    model_.start.owner = "the start time";
    if (table == nullptr) {
      if (root_->find("time") == nullptr)
        mistake({}, 1, "no end time", "a table [time] with a line such as end = 10.0", "none");
      return;
    }
    check_keys(table->value, "[time]", {"start", "end"});
    if (const TomlEntry* start = table->value.find("start"))
      model_.start = read_formula(start->value, "the start time");
    model_.end = required_formula(*table, "end", "the end time", "[time]");
  }

  // ---- values for states ----------------------------------------------------------------------------

  std::optional<Assignment> read_assignment(const TomlEntry& entry, const std::string& before,
                                            bool elements_allowed) {
    Assignment assignment;
    assignment.position = entry.position;
    const auto by_name = state_numbers_.find(entry.key);
    auto found = by_name == state_numbers_.end()
                     ? model_.states.end()
                     : model_.states.begin() + static_cast<std::ptrdiff_t>(by_name->second);
    std::string hint;
    if (found == model_.states.end()) {
      const auto as_element = [&](const Quantity& state) {
        assignment.element = state.is_vector() ? element_number(entry.key, state.name) : 0;
        return assignment.element > 0;
      };
      found = std::find_if(model_.states.begin(), model_.states.end(), as_element);
      if (found != model_.states.end() && !elements_allowed) {
        hint = "'" + found->name + "' is a vector: one line for '" + found->name +
               "', with the index i, holds for " + "every element; if(i > 1, p, q) tells them apart";
        found = model_.states.end();
      }
    }
    if (found == model_.states.end()) {
      Words names;
      for (const Quantity& state : model_.states) names.push_back(state.name);
      if (hint.empty()) hint = suggestion(entry.key, names);
      mistake(entry, before + " an unknown state", "the name of a state", quoted(entry.key), hint);
      return std::nullopt;
    }
    assignment.state = static_cast<std::uint32_t>(found - model_.states.begin());
    assignment.value = read_formula_with_ends(entry.value, before + " " + quoted(entry.key));
    if (assignment.value.ends == Ends::none) assignment.value.ends = found->ends;
    return assignment;
  }

  void read_derivatives(const TomlValue& table, std::vector<Assignment>& derivatives) {
    for (const TomlEntry& entry : table.table) {
      if (is_misplaced_initial(entry)) continue;
      if (auto assignment = read_assignment(entry, "the derivative of", false))
        derivatives.push_back(std::move(*assignment));
    }
  }

  void read_assignments(const TomlEntry& entry, const std::string& before,
                        std::vector<Assignment>& assignments) {
    if (!expect(entry.value, TomlKind::table, "'" + entry.key + "'", "a table such as { v = \"-v\" }"))
      return;
    for (const TomlEntry& line : entry.value.table) {
      auto assignment = read_assignment(line, before, true);
      if (!assignment) continue;
      const auto overlaps = [&](const Assignment& other) {
        return other.state == assignment->state && (other.element == 0 || assignment->element == 0);
      };
      if (std::any_of(assignments.begin(), assignments.end(), overlaps))
        mistake(line, before + " the same state twice", "one value for every state", quoted(line.key));
      assignments.push_back(std::move(*assignment));
    }
  }

  // A state must have a derivative everywhere, and a missing table is told once.
  void check_derivatives() {
    if (root_->find("derivatives") == nullptr && model_.locations.empty()) {
      if (!model_.states.empty())
        mistake({}, 1, "no derivatives", "a table [derivatives] with a line for every state", "none");
      return;
    }
    std::vector<bool> everywhere(model_.states.size(), false);
    for (const Assignment& derivative : model_.derivatives) everywhere[derivative.state] = true;
    for (std::size_t k = 0; k < model_.states.size(); ++k) {
      const Quantity& state = model_.states[k];
      if (everywhere[k]) continue;
      const std::string what = "state " + quoted(state.name) + " has no derivative";
      if (model_.locations.empty())
        mistake(state.position, state.name.size(), what,
                "a line " + state.name + " = \"…\" in [derivatives]");
      for (const LocationDescription& location : model_.locations) {
        const auto here = [&](const Assignment& derivative) { return derivative.state == k; };
        if (std::none_of(location.derivatives.begin(), location.derivatives.end(), here))
          mistake(location.position, 1, what + " in location " + quoted(location.name),
                  "a line " + state.name + " = \"…\" in [derivatives] or in its [locations.derivatives]");
      }
    }
  }

  // ---- events, locations, contacts ------------------------------------------------------------------

  // The tables of [[key]]; each is given its key and place as an entry.
  std::vector<TomlEntry> tables(const std::string& key) {
    std::vector<TomlEntry> result;
    const TomlEntry* const list = section(key, TomlKind::array);
    if (list == nullptr) return result;
    for (const TomlValue& value : list->value.array) {
      if (expect(value, TomlKind::table, "an entry of '" + key + "'", "a table [[" + key + "]]"))
        result.push_back({"[[" + key + "]]", value.position, value});
    }
    return result;
  }

  void read_events(const std::string& key, const std::string& kind, std::vector<EventDescription>& events,
                   const Words& keys) {
    for (const TomlEntry& table : tables(key)) {
      EventDescription event;
      event.position = table.position;
      check_keys(table.value, table.key, keys);
      read_name(table, event.name);
      const std::string who = event.name.empty() ? "the " + kind : kind + " " + quoted(event.name);
      event.when = required_formula(table, "when", "the guard of " + who, who);
      event.direction = read_direction(table.value);
      const TomlEntry* const set = table.value.find("set");
      if (set != nullptr && contains(keys, "set"))
        read_assignments(*set, who + " sets", event.set);
      else if (kind == "reset" && set == nullptr)
        mistake(table, who + " lacks a key", "'set'", describe_keys(table.value));
      if (kind == "edge") {
        event.from = read_location(table, "from", who, true).value_or(0);
        event.to = read_location(table, "to", who, true).value_or(0);
        event.zeno = read_location(table, "zeno", who, false);
      }
      events.push_back(std::move(event));
    }
  }

  void read_name(const TomlEntry& table, std::string& name) {
    read_text(table.value, "name", name);
    const TomlEntry* const entry = table.value.find("name");
    if (entry != nullptr && entry->value.kind == TomlKind::string && name.empty())
      mistake(entry->value.position, 2, "an empty name", "a name, or no line at all");
  }

  Direction read_direction(const TomlValue& table) {
    const TomlEntry* const entry = table.find("direction");
    if (entry == nullptr) return Direction::any;
    const Words known = {"rising", "falling", "any"};
    const auto place = std::find(known.begin(), known.end(), entry->value.string);
    if (entry->value.kind == TomlKind::string && place != known.end())
      return static_cast<Direction>(place - known.begin());
    mistake(entry->value.position, 1, "unknown direction", one_of(known), describe(entry->value),
            suggestion(entry->value.string, known));
    return Direction::any;
  }

  std::optional<std::size_t> find_location(const TomlValue& value, const std::string& what) {
    if (!expect(value, TomlKind::string, what, "the name of a location")) return std::nullopt;
    Words names;
    for (const LocationDescription& location : model_.locations) names.push_back(location.name);
    const auto place = std::find(names.begin(), names.end(), value.string);
    if (place != names.end()) return static_cast<std::size_t>(place - names.begin());
    mistake(value.position, value.string.size() + 2, what + " is an unknown location",
            names.empty() ? "a location, and [[locations]] that define it" : one_of(names),
            quoted(value.string), suggestion(value.string, names));
    return std::nullopt;
  }

  std::optional<std::size_t> read_location(const TomlEntry& table, const std::string& key,
                                           const std::string& who, bool required) {
    if (const TomlEntry* entry = table.value.find(key))
      return find_location(entry->value, "'" + key + "' of " + who);
    if (required) mistake(table, who + " lacks a key", "'" + key + "'", describe_keys(table.value));
    return std::nullopt;
  }

  void read_locations() {
    for (const TomlEntry& table : tables("locations")) {
      LocationDescription location;
      location.position = table.position;
      check_keys(table.value, table.key, {"name", "derivatives"});
      read_name(table, location.name);
      if (table.value.find("name") == nullptr)
        mistake(table, "the location lacks a key", "'name'", describe_keys(table.value));
      const TomlEntry* const derivatives = table.value.find("derivatives");
      if (derivatives != nullptr &&
          expect(derivatives->value, TomlKind::table, "'derivatives'", "a table [locations.derivatives]"))
        read_derivatives(derivatives->value, location.derivatives);
      model_.locations.push_back(std::move(location));
    }
  }

  void read_initial_location() {
    const TomlEntry* const initial = root_->find("initial");
    if (initial != nullptr) {
      if (const auto location = find_location(initial->value, "'initial'"))
        model_.initial_location = *location;
    } else if (!model_.locations.empty() && !misplaced_initial_) {
      mistake(model_.locations.front().position, 1, "no initial location",
              "a line initial = \"" + model_.locations.front().name + "\" before the first [table]", "none");
    }
  }

  void read_contacts() {
    for (const TomlEntry& table : tables("contacts")) {
      ContactDescription contact;
      contact.position = table.position;
      check_keys(table.value, table.key, {"name", "gap", "acts_on", "restitution"});
      read_name(table, contact.name);
      const std::string who = contact.name.empty() ? "the contact" : "contact " + quoted(contact.name);
      contact.gap = required_formula(table, "gap", "the gap of " + who, who);
      contact.restitution = required_formula(table, "restitution", "the restitution of " + who, who);
      const TomlEntry* const acts_on = table.value.find("acts_on");
      if (acts_on != nullptr) read_assignments(*acts_on, who + " acts on", contact.acts_on);
      if (acts_on == nullptr || acts_on->value.table.empty())
        mistake(table, who + " lacks a key", "'acts_on', with a state at least", describe_keys(table.value));
      model_.contacts.push_back(std::move(contact));
    }
  }

  // ---- options --------------------------------------------------------------------------------------

  void read_options() {
    const TomlEntry* const table = section("options", TomlKind::table);
    if (table == nullptr) return;
    const TomlValue& options = table->value;
    check_keys(options, "[options]", {"rtol", "atol", "method", "on_ambiguity", "sliding_rule"});
    if (const TomlEntry* rtol = options.find("rtol")) {
      const double value = rtol->value.kind == TomlKind::number ? rtol->value.number : 0;
      if (value > 0 && value < 1)
        model_.defaults.rtol = value;
      else
        mistake(rtol->value.position, 1, "'rtol' out of range", "a number between 0 and 1",
                shown(rtol->value));
    }
    if (const TomlEntry* atol = options.find("atol")) read_atol(*atol);
    read_word(options, "method", {"auto", "bdf", "adams", "dopri5"}, model_.defaults.method);
    read_word(options, "on_ambiguity", {"stop", "minus", "plus", "slide", "branches"},
              model_.defaults.on_ambiguity);
    read_word(options, "sliding_rule", {"filippov", "moments", "equivalent-control"},
              model_.defaults.sliding_rule);
  }

  static std::string shown(const TomlValue& value) {
    return value.kind == TomlKind::number ? print_expression(number_expression(value.number))
                                          : describe(value);
  }

  void read_word(const TomlValue& table, const std::string& key, const Words& known, std::string& word) {
    const TomlEntry* const entry = table.find(key);
    if (entry == nullptr) return;
    if (entry->value.kind == TomlKind::string && contains(known, entry->value.string))
      word = entry->value.string;
    else
      mistake(entry->value.position, 1, "unknown " + quoted(key), one_of(known), describe(entry->value),
              suggestion(entry->value.string, known));
  }

  double read_tolerance(const TomlValue& value) {
    if (value.kind == TomlKind::number && value.number > 0 && std::isfinite(value.number))
      return value.number;
    mistake(value.position, 1, "'atol' out of range", "a positive number", shown(value));
    return 1;
  }

  // One number, an array with one per state in their order, or a table { x = 1e-6, … }.
  void read_atol(const TomlEntry& entry) {
    const TomlValue& value = entry.value;
    if (value.kind == TomlKind::array) {
      model_.atol_position = value.position;
      for (const TomlValue& element : value.array) model_.atol_list.push_back(read_tolerance(element));
      if (value.array.empty())
        mistake(value.position, 1, "'atol' is empty", "a positive number for every state", "none");
    } else if (value.kind == TomlKind::table) {
      model_.atol_by_state.assign(model_.states.size(), 0);
      for (const TomlEntry& line : value.table) read_atol_of_state(line);
      for (std::size_t k = 0; k < model_.states.size(); ++k)
        if (model_.atol_by_state[k] == 0)
          mistake(entry, "'atol' lacks a state", "a line for every state",
                  "none for " + quoted(model_.states[k].name));
    } else {
      model_.defaults.atol = {read_tolerance(value)};
    }
  }

  void read_atol_of_state(const TomlEntry& line) {
    Words names;
    for (const Quantity& state : model_.states) names.push_back(state.name);
    const auto place = std::find(names.begin(), names.end(), line.key);
    if (place == names.end())
      mistake(line, "'atol' of an unknown state", "the name of a state", quoted(line.key),
              suggestion(line.key, names));
    else
      model_.atol_by_state[static_cast<std::size_t>(place - names.begin())] = read_tolerance(line.value);
  }

  ModelDescription& model_;
  Mistakes& mistakes_;
  const TomlValue* root_ = nullptr;
  std::unordered_map<std::string, std::size_t> state_numbers_;
  bool misplaced_initial_ = false;
};

}  // namespace

bool ModelDescription::has_vectors() const {
  const auto is_vector = [](const Quantity& quantity) { return quantity.is_vector(); };
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

ModelDescription describe_model(SourceText source, Mistakes& mistakes) {
  ModelDescription model;
  model.source = std::move(source);
  const std::size_t before = mistakes.size();
  const TomlValue root = parse_toml(model.source, mistakes);
  if (mistakes.size() == before) SectionReader(model, mistakes).read(root);
  return model;
}

}  // namespace slideway::reader
