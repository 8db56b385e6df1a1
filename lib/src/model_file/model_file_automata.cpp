// read_automata: automata beside each other, one or one for every i. Each has a discrete state, the number of its location.

#include <algorithm>
#include <utility>

#include "model_file/model_file_tables.hpp"

namespace slideway::reader {
namespace {

class AutomataReader {
 public:
  AutomataReader(TableReader& reader, ModelDescription& model) : reader_(reader), model_(model) {}

  void read_states() {
    for (const TomlEntry& table : reader_.tables("automata")) {
      AutomatonDescription automaton;
      automaton.position = table.position;
      reader_.check_keys(table.value, table.key, {"name", "size", "initial", "locations", "edges"});
      reader_.read_text(table.value, "name", automaton.name);
      if (table.value.find("name") == nullptr) reader_.lacks_key(table, "the automaton", "'name'");
      who_ = "automaton " + in_quotes(automaton.name);
      read_names(table, automaton);
      add_state(table, automaton);
      model_.automata.push_back(std::move(automaton));
    }
  }

  void read_motions_and_edges() {
    const std::vector<TomlEntry> tables = reader_.tables("automata");
    for (std::size_t a = 0; a < model_.automata.size(); ++a) {
      AutomatonDescription& automaton = model_.automata[a];
      who_ = "automaton " + in_quotes(automaton.name);
      std::size_t location = 0;
      for (const TomlEntry& table : parts(tables[a].value, "locations"))
        read_location(table, automaton, automaton.locations[location++]);
      for (const TomlEntry& table : parts(tables[a].value, "edges")) read_edge(table, automaton);
    }
  }

 private:
  // The tables [[automata.key]] of an automaton.
  std::vector<TomlEntry> parts(const TomlValue& table, const std::string& key) {
    std::vector<TomlEntry> result;
    const TomlEntry* const list = table.find(key);
    if (list == nullptr || list->value.kind != TomlKind::array) return result;
    for (const TomlValue& value : list->value.array) {
      if (value.kind == TomlKind::table)
        result.push_back({"[[automata." + key + "]]", value.position, value});
    }
    return result;
  }

  void read_names(const TomlEntry& table, AutomatonDescription& automaton) {
    for (const char* const key : {"locations", "edges"}) {
      const std::string expected = std::string("an array of tables [[automata.") + key + "]]";
      const TomlEntry* const list = table.value.find(key);
      if (list == nullptr)
        reader_.lacks_key(table, who_, expected);
      else if (reader_.expect(list->value, TomlKind::array, "'" + list->key + "' of " + who_, expected)) {
        for (const TomlValue& value : list->value.array)
          reader_.expect(value, TomlKind::table, "an entry of '" + list->key + "'", expected);
      }
    }
    for (const TomlEntry& location : parts(table.value, "locations")) {
      LocationDescription made;
      made.position = location.position;
      reader_.read_text(location.value, "name", made.name);
      if (location.value.find("name") == nullptr) reader_.lacks_key(location, "the location", "'name'");
      const auto is_same = [&](const LocationDescription& other) { return other.name == made.name; };
      if (!made.name.empty() && std::any_of(automaton.locations.begin(), automaton.locations.end(), is_same))
        reader_.mistake(location, "the name " + in_quotes(made.name) + " is given twice in " + who_,
                        "a name that no other location of it has", in_quotes(made.name));
      automaton.locations.push_back(std::move(made));
    }
  }

  Words names_of(const AutomatonDescription& automaton) const {
    Words names;
    for (const LocationDescription& location : automaton.locations) names.push_back(location.name);
    return names;
  }

  // The number of the location that a value names.
  std::optional<std::size_t> find_location(const AutomatonDescription& automaton, const TomlValue& value,
                                           const std::string& what) {
    if (!reader_.expect(value, TomlKind::string, what, "the name of a location")) return std::nullopt;
    const Words names = names_of(automaton);
    const auto place = std::find(names.begin(), names.end(), value.string);
    if (place != names.end()) return static_cast<std::size_t>(place - names.begin());
    reader_.mistake(value.position, value.string.size() + 2, what + " is an unknown location",
                    names.empty() ? "[[automata.locations]] that define it" : one_of(names),
                    in_quotes(value.string), suggestion(value.string, names));
    return std::nullopt;
  }

  void add_state(const TomlEntry& table, AutomatonDescription& automaton) {
    Quantity state;
    state.name = automaton.name;
    state.position = table.position;
    state.discrete = true;
    state.hidden = automaton.name.empty();
    if (const TomlEntry* const size = table.value.find("size"))
      state.size = reader_.read_formula(size->value, "the size of " + who_);
    const std::string owner = "the initial location of " + who_;
    const TomlEntry* const initial = table.value.find("initial");
    state.value.position = table.position;
    state.value.owner = owner;
    state.value.expression = number_expression(1);
    if (initial == nullptr) {
      reader_.lacks_key(table, who_, "'initial', the location to begin in");
    } else if (initial->value.kind == TomlKind::string && is_identifier(initial->value.string)) {
      const auto number = find_location(automaton, initial->value, owner);
      state.value.position = initial->value.position;
      state.value.expression = number_expression(static_cast<double>(number.value_or(0) + 1));
    } else {
      const Words names = names_of(automaton);
      const auto place = std::find(names.begin(), names.end(), initial->value.string);
      if (initial->value.kind == TomlKind::string && place != names.end())
        state.value.expression = number_expression(static_cast<double>(place - names.begin() + 1));
      else
        state.value = reader_.read_formula(initial->value, owner);
    }
    automaton.state = static_cast<std::uint32_t>(model_.states.size());
    model_.states.push_back(std::move(state));
  }

  void read_location(const TomlEntry& table, const AutomatonDescription& automaton,
                     LocationDescription& location) {
    reader_.check_keys(table.value, table.key, {"name", "derivatives"});
    const TomlEntry* const derivatives = table.value.find("derivatives");
    if (derivatives == nullptr || !reader_.expect(derivatives->value, TomlKind::table, "'derivatives'",
                                                  "a table [automata.locations.derivatives]"))
      return;
    reader_.read_assignments(*derivatives, "the derivative of", location.derivatives);
    if (!model_.states[automaton.state].is_vector()) return;
    for (const Assignment& line : location.derivatives) {
      const Quantity& state = model_.states[line.state];
      if (line.indexed || (state.is_vector() && line.element == 0)) continue;
      reader_.mistake(line.position, state.name.size(),
                      "a derivative that all of the automata " + in_quotes(automaton.name) + " would give",
                      "a vector, of which every automaton gives the derivative of its own element",
                      in_quotes(state.name));
    }
  }

  void read_edge(const TomlEntry& table, AutomatonDescription& automaton) {
    EventDescription edge = read_event(
        reader_, model_, table, "edge",
        {"name", "from", "to", "when", "direction", "across_jumps", "initially", "set", "priority"});
    edge.size = model_.states[automaton.state].size;
    const std::string who = edge.name.empty() ? "an edge of " + who_ : "edge " + in_quotes(edge.name);
    if (edge.direction == Direction::any && !edge.when.empty())
      reader_.mistake(edge.when.position, 1, "an edge of " + who_ + " without a direction",
                      "a line direction = \"rising\" or \"falling\" beside it, or a condition such as a > b",
                      "a guard that may cross zero both ways");
    for (const auto& [key, end] : {std::pair{"from", &edge.from}, std::pair{"to", &edge.to}}) {
      const TomlEntry* const given = table.value.find(key);
      if (given == nullptr)
        reader_.lacks_key(table, who, std::string("'") + key + "'");
      else
        *end = find_location(automaton, given->value, std::string("'") + key + "' of " + who).value_or(0);
    }
    for (const Assignment& line : edge.set) {
      if (line.state == automaton.state)
        reader_.mistake(line.position, automaton.name.size(), who + " sets the number of its own location",
                        "'to' with the name of the location", in_quotes(automaton.name));
    }
    automaton.edges.push_back(std::move(edge));
  }

  TableReader& reader_;
  ModelDescription& model_;
  std::string who_ = {};
};

}  // namespace

void read_automata(TableReader& reader, ModelDescription& model) {
  AutomataReader(reader, model).read_states();
}

void read_edges_of_automata(TableReader& reader, ModelDescription& model) {
  AutomataReader(reader, model).read_motions_and_edges();
}

}  // namespace slideway::reader
