// describe_model: all sections of a model file; those of friction and of events have files of their own.

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/number_text.hpp"
#include "model_file/model_file_description.hpp"
#include "model_file/model_file_tables.hpp"
#include "model_file/toml_document.hpp"
#include "slideway/simulate/options.hpp"

namespace slideway::reader {
namespace {

class SectionReader {
 public:
  SectionReader(ModelDescription& model, const TomlValue& root, Mistakes& mistakes)
      : model_(model), root_(root), reader_(model, root, mistakes) {}

  void read() {
    reader_.check_top_level();
    // Other mistakes cannot be told while the name of a section is wrong that all others refer to.
    for (const char* const section : {"parameters", "states", "discrete", "inputs", "tables", "definitions",
                                      "algebraic", "surfaces", "friction", "hysteresis", "locations"})
      if (root_.find(section) == nullptr && reader_.is_misspelt(section)) return;
    reader_.read_text(root_, "name", model_.name);
    reader_.read_text(root_, "summary", model_.summary);
    reader_.read_text(root_, "source", model_.reference);
    read_quantities("parameters", "parameter", model_.parameters);
    read_quantities("states", "state", model_.states);
    read_quantities("definitions", "definition", model_.definitions);
    read_algebraic();
    read_quantities("surfaces", "surface", model_.surfaces);
    if (reader_.is_misspelt("states")) return;
    check_states();
    read_friction(reader_, model_);
    read_hysteresis(reader_, model_);
    read_discrete();
    read_automata(reader_, model_);
    read_inputs(reader_, model_);
    read_characteristics(reader_, model_);
    read_time();
    reader_.number_states();
    if (const TomlEntry* table = reader_.section("derivatives", TomlKind::table))
      reader_.read_derivatives(table->value, model_.derivatives);
    if (const TomlEntry* table = reader_.section("mass", TomlKind::table))
      reader_.read_mass(table->value, model_.mass);
    read_events(reader_, model_);
    read_edges_of_automata(reader_, model_);
    check_discrete();
    check_derivatives();
    model_.told_names = reader_.told_names();
    read_words("labels", model_.labels);
    read_words("units", model_.units);
    read_options();
    observe_algebraic();
  }

 private:
  // ---- named values ---------------------------------------------------------------------------------

  void read_quantities(const std::string& key, const std::string& kind, std::vector<Quantity>& quantities) {
    const TomlEntry* const table = reader_.section(key, TomlKind::table);
    if (table == nullptr) return;
    for (const TomlEntry& entry : table->value.table)
      if (!reader_.is_misplaced(entry)) quantities.push_back(read_quantity(entry, kind));
  }

  // read_words() comes after all quantities, which it names.
  void read_words(const std::string& key, std::map<std::string, std::string>& words) {
    const TomlEntry* const table = reader_.section(key, TomlKind::table);
    if (table == nullptr) return;
    const Words known = named_quantities();
    for (const TomlEntry& entry : table->value.table) {
      const std::string whole = entry.key.substr(0, entry.key.find('['));
      if (!contains(known, whole))
        reader_.mistake(entry, "[" + key + "] names no quantity",
                        "the name of a state, a definition or another quantity", in_quotes(entry.key),
                        suggestion(whole, known));
      else
        reader_.read_text(table->value, entry.key, words[entry.key]);
    }
  }

  Words named_quantities() const {
    Words known = {"t"};
    for (const auto* quantities : {&model_.parameters, &model_.states, &model_.definitions, &model_.surfaces})
      for (const Quantity& quantity : *quantities)
        if (!quantity.hidden) known.push_back(quantity.name);
    for (const InputDescription& input : model_.inputs) known.push_back(input.name);
    for (const FrictionDescription& friction : model_.friction) known.push_back(friction.name);
    known.insert(known.end(), model_.hysteresis.begin(), model_.hysteresis.end());
    return known;
  }

  // Variables that equations of their own determine, as definitions; a state follows each that has a guess.
  void read_algebraic() {
    const std::size_t first = model_.definitions.size();
    read_quantities("algebraic", "algebraic variable", model_.definitions);
    for (std::size_t k = first; k < model_.definitions.size(); ++k) model_.definitions[k].algebraic = true;
    const TomlEntry* const table = root_.find("algebraic");
    if (table == nullptr || table->value.kind != TomlKind::table) return;
    for (const TomlEntry& entry : table->value.table) {
      const TomlEntry* const guess =
          entry.value.kind == TomlKind::table ? entry.value.find("guess") : nullptr;
      const auto variable = std::find_if(model_.definitions.begin() + static_cast<std::ptrdiff_t>(first),
                                         model_.definitions.end(),
                                         [&](const Quantity& other) { return other.name == entry.key; });
      if (guess == nullptr || variable == model_.definitions.end()) continue;
      Quantity state;
      state.name = entry.key + ".start";
      state.position = entry.position;
      state.size = variable->size;
      state.ends = variable->ends;
      state.value = reader_.read_formula(guess->value, "the guess of " + in_quotes(entry.key));
      state.value.ends = state.ends;
      state.hidden = state.follows = true;
      variable->start = static_cast<std::uint32_t>(model_.states.size());
      model_.states.push_back(std::move(state));
    }
  }

  // read_discrete() comes after all other states, so that discrete states are the last of the system.
  void read_discrete() {
    const std::size_t first = model_.states.size();
    read_quantities("discrete", "state", model_.states);
    for (std::size_t k = first; k < model_.states.size(); ++k) model_.states[k].discrete = true;
  }

  // check_discrete() asks that only jumps move a discrete state.
  void check_discrete() {
    const auto check = [&](const std::vector<Assignment>& lines, const std::string& what) {
      for (const Assignment& line : lines) {
        const Quantity& state = model_.states[line.state];
        if (!state.discrete) continue;
        reader_.mistake(
            line.position, state.name.size(), what + " discrete state " + in_quotes(state.name),
            "a state of [states]", in_quotes(state.name) + ", a line of [discrete]",
            "a discrete state is moved by the `set` of [[every]], [[resets]] and [[edges]] alone; "
            "move its line to [states], or take this one out");
      }
    };
    check(model_.derivatives, "a derivative of");
    for (const MassRow& row : model_.mass) {
      check(row.entries, "a derivative of");
      Assignment of;
      of.state = row.state;
      of.position = row.position;
      check({of}, "a row of the mass matrix for");
    }
    for (const LocationDescription& location : model_.locations)
      check(location.derivatives, "a derivative of");
    for (const AutomatonDescription& automaton : model_.automata) {
      for (const LocationDescription& location : automaton.locations)
        check(location.derivatives, "a derivative of");
    }
    for (const ContactDescription& contact : model_.contacts) {
      check(contact.acts_on, "a contact force on");
      if (!contact.friction) continue;
      for (const auto& part : contact.friction->acts_on) check(part, "the friction of a contact on");
    }
  }

  Quantity read_quantity(const TomlEntry& entry, const std::string& kind) {
    Quantity quantity;
    quantity.name = entry.key;
    quantity.position = entry.position;
    const std::string who = kind + " " + in_quotes(entry.key);
    const std::string owner = kind == "state"     ? "the initial value of " + in_quotes(entry.key)
                              : kind == "surface" ? "the guard of " + in_quotes(entry.key)
                                                  : who;
    if (entry.value.kind != TomlKind::table || kind == "parameter") {
      quantity.unknown_shape = kind != "parameter" && entry.value.kind == TomlKind::array;
      quantity.value = quantity.unknown_shape ? Formula{} : reader_.read_formula(entry.value, owner);
      if (quantity.unknown_shape)
        reader_.mistake(entry.value.position, 1, owner + " is of the wrong kind",
                        "a number or an expression in quotes", describe(entry.value),
                        "a vector has one expression with the index i: " + entry.key + " = { size = \"" +
                            std::to_string(entry.value.array.size()) + "\", value = \"if(i > 1, p, q)\" }");
      return quantity;
    }
    const bool surface = kind == "surface";
    const bool algebraic = kind == "algebraic variable";
    reader_.check_keys(entry.value, who,
                       surface     ? Words{"size", "value", "ends", "break_away"}
                       : algebraic ? Words{"size", "value", "ends", "guess"}
                                   : Words{"size", "value", "ends"});
    quantity.unknown_shape = reader_.has_unknown_key(entry.value);
    const TomlEntry* const break_away = surface ? entry.value.find("break_away") : nullptr;
    if (break_away != nullptr) read_break_away(*break_away, quantity);
    // A surface that is no vector may be a table for its break-away ratio alone, and an algebraic variable for its guess.
    const bool has_more = break_away != nullptr || (algebraic && entry.value.find("guess") != nullptr);
    if (!has_more && entry.value.find("size") == nullptr) quantity.unknown_shape = true;
    if (!has_more || entry.value.find("size") != nullptr)
      quantity.size = reader_.required_formula(entry, "size", "the size of " + in_quotes(entry.key), who);
    quantity.value = reader_.required_formula(entry, "value", owner, who);
    quantity.ends = reader_.read_ends(entry.value);
    quantity.value.ends = quantity.ends;
    if (quantity.break_away) quantity.break_away->ends = quantity.ends;
    if (quantity.break_away_below) quantity.break_away_below->ends = quantity.ends;
    return quantity;
  }

  // One ratio, or { plus = …, minus = … }; a side that is left out has 1.
  void read_break_away(const TomlEntry& entry, Quantity& surface) {
    const std::string owner = "the break-away ratio of " + in_quotes(surface.name);
    if (entry.value.kind != TomlKind::table) {
      surface.break_away = reader_.read_formula(entry.value, owner);
      return;
    }
    reader_.check_keys(entry.value, owner, {"plus", "minus"});
    const auto side = [&](const char* key) {
      const TomlEntry* const given = entry.value.find(key);
      if (given != nullptr) return reader_.read_formula(given->value, owner);
      Formula one;
      one.expression = number_expression(1);
      one.position = entry.value.position;
      one.owner = owner;
      return one;
    };
    surface.break_away = side("plus");
    surface.break_away_below = side("minus");
  }

  void read_time() {
    const TomlEntry* const table = reader_.section("time", TomlKind::table);
    model_.start.expression = number_expression(0);
    model_.start.owner = "the start time";
    if (root_.find("time") == nullptr && !reader_.is_misspelt("time"))
      reader_.mistake({}, 1, "no end time", "a table [time] with a line such as end = 10.0", "none",
                      "the file has to name one; --t-end puts another one in its place for a run");
    if (table == nullptr) return;
    reader_.check_keys(table->value, "[time]", {"start", "end"});
    if (const TomlEntry* start = table->value.find("start"))
      model_.start = reader_.read_formula(start->value, "the start time");
    model_.end = reader_.required_formula(*table, "end", "the end time", "[time]");
  }

  void check_states() {
    if (!model_.states.empty()) return;
    const std::string expected = "a line such as x = 0.0 for every state";
    const TomlEntry* const states = root_.find("states");
    if (states == nullptr)
      reader_.mistake({}, 1, "no states", "a table [states] with " + expected, "none");
    else if (states->value.kind == TomlKind::table)
      reader_.mistake(*states, "no states", expected, "none");
  }

  // A state must have a derivative everywhere; a missing table is told once.
  void check_derivatives() {
    if (root_.find("derivatives") == nullptr && model_.locations.empty() && model_.automata.empty()) {
      if (!model_.states.empty() && !reader_.is_misspelt("derivatives"))
        reader_.mistake({}, 1, "no derivatives", "a table [derivatives] with a line for every state", "none");
      return;
    }
    std::vector<bool> everywhere = having_derivative(model_.derivatives);
    for (const AutomatonDescription& automaton : model_.automata) add_derivatives(automaton, everywhere);
    if (model_.locations.empty())
      report_missing(everywhere, [&](const Quantity& state) {
        reader_.mistake(state.position, state.name.size(),
                        "state " + in_quotes(state.name) + " has no derivative",
                        "a line " + state.name + " = \"…\" in [derivatives]");
      });
    for (const LocationDescription& location : model_.locations) {
      std::vector<bool> here = having_derivative(location.derivatives);
      std::transform(here.begin(), here.end(), everywhere.begin(), here.begin(), std::logical_or<>());
      report_missing(here, [&](const Quantity& state) {
        reader_.mistake(
            location.position, 1,
            "state " + in_quotes(state.name) + " has no derivative in location " + in_quotes(location.name),
            "a line " + state.name + " = \"…\" in [derivatives] or in its [locations.derivatives]");
      });
    }
  }

  // A state has a derivative where all locations of an automaton give it one.
  void add_derivatives(const AutomatonDescription& automaton, std::vector<bool>& having) {
    std::vector<std::size_t> given(model_.states.size(), 0);
    for (const LocationDescription& location : automaton.locations) {
      const std::vector<bool> here = having_derivative(location.derivatives);
      for (std::size_t k = 0; k < here.size(); ++k) given[k] += here[k] ? 1 : 0;
    }
    for (std::size_t k = 0; k < given.size(); ++k) {
      if (given[k] == 0) continue;
      if (given[k] < automaton.locations.size() && !having[k])
        reader_.mistake(automaton.position, 1,
                        "state " + in_quotes(model_.states[k].name) +
                            " has no derivative in some locations of automaton " + in_quotes(automaton.name),
                        "a line " + model_.states[k].name +
                            " = \"…\" in [derivatives], or in [automata.locations.derivatives] of each");
      having[k] = true;
    }
  }

  std::vector<bool> having_derivative(const std::vector<Assignment>& derivatives) const {
    std::vector<bool> having(model_.states.size(), false);
    for (const Assignment& derivative : derivatives) having[derivative.state] = true;
    return having;
  }

  template <class Tell>
  void report_missing(const std::vector<bool>& having, const Tell& tell) const {
    for (std::size_t k = 0; k < having.size(); ++k)
      if (!having[k] && !model_.states[k].discrete && !model_.states[k].follows &&
          !reader_.is_meant(static_cast<std::uint32_t>(k)))
        tell(model_.states[k]);
  }

  // ---- options --------------------------------------------------------------------------------------

  void read_options() {
    const TomlEntry* const table = reader_.section("options", TomlKind::table);
    if (table == nullptr) return;
    const TomlValue& options = table->value;
    reader_.check_keys(options, "[options]",
                       {"rtol", "atol", "method", "linear_solver", "max_step", "on_ambiguity", "sliding_rule",
                        "selection", "max_events", "max_steps", "observe"});
    ModelDefaults& defaults = model_.defaults;
    read_number(
        options, "rtol", "a number from 1e-14 on and below 1",
        [](double value) { return value >= 1e-14 && value < 1; }, defaults.rtol);
    if (const TomlEntry* atol = options.find("atol")) read_atol(*atol);
    read_choice(options, "method", method_words(), defaults.method);
    read_choice(options, "on_ambiguity", ambiguity_words(), defaults.on_ambiguity);
    read_choice(options, "sliding_rule", sliding_rule_words(), defaults.sliding_rule);
    read_choice(options, "linear_solver", linear_solver_words(), defaults.linear_solver);
    check_linear_solver(options);
    read_choice(options, "selection", selection_words(), defaults.selection);
    if (const TomlEntry* observe = options.find("observe")) read_observe(*observe);
    read_number(options, "max_step", "a positive number", is_positive, defaults.max_step);
    read_count(options, "max_events", defaults.max_events);
    read_count(options, "max_steps", defaults.max_steps);
  }

  static bool is_positive(double value) { return value > 0 && std::isfinite(value); }

  // Leaves `number` as it is where the key is not there, or its value not accepted.
  template <class Test>
  void read_number(const TomlValue& options, const std::string& key, const std::string& expected,
                   const Test& accepted, double& number) {
    const TomlEntry* const entry = options.find(key);
    if (entry == nullptr) return;
    const TomlValue& value = entry->value;
    if (value.kind == TomlKind::number && accepted(value.number))
      number = value.number;
    else
      reader_.mistake(value.position, 1, in_quotes(key) + " out of range", expected, shown(value));
  }

  void read_count(const TomlValue& options, const std::string& key, Index& count) {
    const auto is_count = [](double value) {
      constexpr double most = 1e15;
      return value >= 1 && value <= most && value == std::floor(value);
    };
    double number = 0;
    read_number(options, key, "a whole number from 1", is_count, number);
    count = static_cast<Index>(number);
  }

  void read_observe(const TomlEntry& entry) {
    model_.observe_position = entry.value.position;
    const bool is_list = entry.value.kind == TomlKind::array;
    for (const TomlValue& value : is_list ? entry.value.array : std::vector<TomlValue>{entry.value}) {
      if (value.kind == TomlKind::string)
        model_.defaults.observe.push_back(value.string);
      else
        reader_.mistake(value.position, 1, "'observe' that is no text",
                        "names or expressions in quotes: observe = [\"F\", \"E = 0.5*v^2\"]", shown(value));
    }
  }

  // They are what the states are, for a user.
  void observe_algebraic() {
    std::vector<std::string>& wanted = model_.defaults.observe;
    for (const Quantity& definition : model_.definitions)
      if (definition.algebraic && !contains(wanted, definition.name)) wanted.push_back(definition.name);
  }

  void read_choice(const TomlValue& options, const std::string& key, const Words& known, std::string& word) {
    if (const auto choice = reader_.read_word(options, key, known)) word = known[*choice];
  }

  void check_linear_solver(const TomlValue& options) {
    const std::string& solver = model_.defaults.linear_solver;
    if (solver.empty() || solver == "auto" ||
        !contains({"adams", "dopri5", "dop853"}, model_.defaults.method))
      return;
    reader_.mistake(*options.find("linear_solver"), model_.defaults.method + " solves no linear equations",
                    "method = \"bdf\", \"rodas\" or \"auto\" beside 'linear_solver'", in_quotes(solver));
  }

  static std::string shown(const TomlValue& value) {
    return value.kind == TomlKind::number ? exact_text(value.number) : describe(value);
  }

  double read_tolerance(const TomlValue& value) {
    if (value.kind == TomlKind::number && is_positive(value.number)) return value.number;
    reader_.mistake(value.position, 1, "'atol' out of range", "a positive number", shown(value));
    return 1;
  }

  // One number, an array with one per state in their order, or a table { x = 1e-6, … }.
  void read_atol(const TomlEntry& entry) {
    const TomlValue& value = entry.value;
    if (value.kind == TomlKind::array) {
      model_.atol_position = value.position;
      for (const TomlValue& element : value.array) model_.atol_list.push_back(read_tolerance(element));
      if (value.array.empty())
        reader_.mistake(value.position, 1, "'atol' is empty", "a positive number for every state", "none");
    } else if (value.kind == TomlKind::table) {
      read_atol_by_state(entry);
    } else {
      model_.defaults.atol = {read_tolerance(value)};
    }
  }

  void read_atol_by_state(const TomlEntry& entry) {
    Words names;
    for (const Quantity& state : model_.states) names.push_back(state.name);
    model_.atol_by_state.assign(names.size(), 0);
    for (const TomlEntry& line : entry.value.table) {
      const auto place = std::find(names.begin(), names.end(), line.key);
      if (place != names.end())
        model_.atol_by_state[static_cast<std::size_t>(place - names.begin())] = read_tolerance(line.value);
      else if (reader_.told_names().count(line.key) == 0)
        reader_.mistake(line, "'atol' of an unknown state", "the name of a state", in_quotes(line.key),
                        suggestion(line.key, names));
    }
    const auto is_unknown = [&](const TomlEntry& line) { return !contains(names, line.key); };
    if (std::any_of(entry.value.table.begin(), entry.value.table.end(), is_unknown)) return;
    double least = std::numeric_limits<double>::infinity();
    for (const double given : model_.atol_by_state) least = given > 0 ? std::min(least, given) : least;
    for (std::size_t k = 0; k < names.size(); ++k)
      if (model_.states[k].follows && std::isfinite(least)) model_.atol_by_state[k] = least;
    // Discrete states have no errors.
    for (std::size_t k = 0; k < names.size(); ++k)
      if (model_.states[k].discrete && model_.atol_by_state[k] == 0) model_.atol_by_state[k] = 1;
    for (std::size_t k = 0; k < names.size(); ++k)
      if (model_.atol_by_state[k] == 0)
        reader_.mistake(entry, "'atol' lacks a state", "a line for every state",
                        "none for " + in_quotes(names[k]));
  }

  ModelDescription& model_;
  const TomlValue& root_;
  TableReader reader_;
};

}  // namespace

ModelDescription describe_model(SourceText source, Mistakes& mistakes) {
  ModelDescription model;
  model.source = std::move(source);
  const std::size_t before = mistakes.size();
  const TomlValue root = parse_toml(model.source, mistakes);
  if (mistakes.size() == before) SectionReader(model, root, mistakes).read();
  return model;
}

}  // namespace slideway::reader
