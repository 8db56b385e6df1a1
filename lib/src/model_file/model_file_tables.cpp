#include "model_file/model_file_tables.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/number_text.hpp"

namespace slideway::reader {
namespace {

const Words table_names = {"parameters",  "states",    "discrete", "inputs",   "tables",     "time",
                           "definitions", "algebraic", "surfaces", "friction", "hysteresis", "derivatives",
                           "mass",        "labels",    "units",    "options"};
const Words list_names = {"every",    "resets",    "stops", "records",
                          "contacts", "locations", "edges", "automata"};
const Words top_level_keys = {"name", "summary", "source", "initial"};

std::string top_level_hint(const std::string& key) {
  return "'" + key + "' is a top-level key: write it before the first [table]";
}

// The name that other tools give to a section that exists here, too.
std::string section_hint(const std::string& key, const Words& known) {
  static const std::map<std::string, std::string> elsewhere = {{"equations", "derivatives"},
                                                               {"equation", "derivatives"},
                                                               {"odes", "derivatives"},
                                                               {"ode", "derivatives"},
                                                               {"dynamics", "derivatives"},
                                                               {"rhs", "derivatives"},
                                                               {"field", "derivatives"},
                                                               {"constants", "parameters"},
                                                               {"variables", "states"},
                                                               {"init", "states"},
                                                               {"initial_conditions", "states"},
                                                               {"auxiliary", "definitions"},
                                                               {"functions", "definitions"},
                                                               {"constraints", "algebraic"},
                                                               {"implicit", "algebraic"},
                                                               {"algebraics", "algebraic"},
                                                               {"dae", "algebraic"},
                                                               {"guards", "surfaces"},
                                                               {"events", "resets"},
                                                               {"samples", "every"},
                                                               {"sampled", "every"},
                                                               {"timers", "every"},
                                                               {"transitions", "edges"},
                                                               {"modes", "locations"},
                                                               {"solver", "options"},
                                                               {"simulation", "time"}};
  const auto found = elsewhere.find(key);
  if (found == elsewhere.end()) return suggestion(key, known);
  const bool list = contains(list_names, found->second);
  return (list ? "write [[" : "write [") + found->second + (list ? "]]" : "]");
}

// x - 1 for x == 1, whose '=' stands at the offset.
std::string guard_of_equation(const std::string& text, std::size_t equals, const std::string& otherwise) {
  const auto trimmed = [](const std::string& part) {
    const std::size_t begin = part.find_first_not_of("= \t");
    return begin == std::string::npos ? "" : part.substr(begin, part.find_last_not_of("= \t") + 1 - begin);
  };
  const std::string left = trimmed(text.substr(0, equals));
  const std::string right = trimmed(text.substr(equals));
  const auto is_simple = [](char c) { return c != '+' && c != '-' && c != '<' && c != '>' && c != '='; };
  if (left.empty() || right.empty() ||
      !std::all_of(left.begin(), left.end(), [](char c) { return c != '<' && c != '>' && c != '!'; }))
    return otherwise;
  const bool simple = std::all_of(right.begin(), right.end(), is_simple);
  return "a guard is zero there: write " + left +
         (right == "0" ? ""
          : simple     ? " - " + right
                       : " - (" + right + ")");
}

}  // namespace

bool contains(const Words& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string describe_keys(const TomlValue& table) {
  constexpr std::size_t most = 10;
  Words keys;
  for (const TomlEntry& entry : table.table)
    if (keys.size() < most) keys.push_back(entry.key);
  return keys.empty() ? "none" : listed(keys);
}

// ---- mistakes ---------------------------------------------------------------------------------------

void TableReader::mistake(Position where, std::size_t length, std::string what, std::string expected,
                          std::string got, std::string hint) {
  mistakes_.push_back({where, length, std::move(what), std::move(expected), std::move(got), std::move(hint)});
}

void TableReader::mistake(const TomlEntry& key, std::string what, std::string expected, std::string got,
                          std::string hint) {
  mistake(key.position, key.key.size(), std::move(what), std::move(expected), std::move(got),
          std::move(hint));
}

void TableReader::check_top_level() {
  Words known = table_names;
  known.insert(known.end(), list_names.begin(), list_names.end());
  known.insert(known.end(), top_level_keys.begin(), top_level_keys.end());
  for (const TomlEntry& entry : root_.table)
    if (!contains(known, entry.key))
      mistake(entry, "unknown section or key", one_of(known), in_quotes(entry.key),
              section_hint(entry.key, known));
}

bool TableReader::is_misspelt(const std::string& key) const {
  if (contains(misplaced_sections_, key)) return true;
  Words known = table_names;
  known.insert(known.end(), list_names.begin(), list_names.end());
  return std::any_of(root_.table.begin(), root_.table.end(), [&](const TomlEntry& entry) {
    return !contains(known, entry.key) && !contains(top_level_keys, entry.key) &&
           nearest_name(entry.key, known) == key;
  });
}

void TableReader::check_keys(const TomlValue& table, const std::string& where, const Words& known) {
  for (const TomlEntry& entry : table.table)
    if (!contains(known, entry.key)) unknown_key(entry, where, known);
}

void TableReader::unknown_key(const TomlEntry& entry, const std::string& where, const Words& known) {
  std::string hint = suggestion(entry.key, known);
  // rtolerance, max_step_size, t_end: a key with more at its end or beginning.
  for (const std::string& word : known)
    if (hint.empty() && word.size() >= 3 && (entry.key.rfind(word, 0) == 0 || entry.key.ends_with(word)))
      hint = "did you mean '" + word + "'?";
  if (entry.key == "zeno")
    hint = "'zeno' belongs to [[edges]]";
  else if (contains(top_level_keys, entry.key))
    hint = top_level_hint(entry.key);
  unknown_keys_.insert(entry.position);
  mistake(entry, "unknown key in " + where, one_of(known), in_quotes(entry.key), hint);
}

bool TableReader::has_unknown_key(const TomlValue& table) const {
  return std::any_of(table.table.begin(), table.table.end(),
                     [&](const TomlEntry& entry) { return unknown_keys_.count(entry.position) > 0; });
}

void TableReader::lacks_key(const TomlEntry& table, const std::string& who, const std::string& key) {
  if (!has_unknown_key(table.value)) mistake(table, who + " lacks a key", key, describe_keys(table.value));
}

bool TableReader::is_misplaced(const TomlEntry& entry) {
  const bool is_needed = entry.key == "states" || entry.key == "time" ||
                         (entry.key == "derivatives" && root_.find("locations") == nullptr);
  if (is_needed && root_.find(entry.key) == nullptr) {
    mistake(entry, "a section inside another one", "a table [" + entry.key + "]", describe(entry.value));
    misplaced_sections_.push_back(entry.key);
    return true;
  }
  const bool expected_elsewhere = root_.find("locations") != nullptr && root_.find("initial") == nullptr;
  if (entry.key != "initial" || !expected_elsewhere) return false;
  misplaced_initial_ = true;
  mistake(entry, "a misplaced key", "", "", top_level_hint("initial"));
  return true;
}

// ---- values -----------------------------------------------------------------------------------------

const TomlEntry* TableReader::section(const std::string& key, TomlKind kind) {
  const TomlEntry* const entry = root_.find(key);
  if (entry == nullptr || entry->value.kind == kind) return entry;
  const bool table = kind == TomlKind::table;
  mistake(*entry, "a section of the wrong kind",
          table ? "a table [" + key + "]" : "an array of tables [[" + key + "]]", describe(entry->value));
  return nullptr;
}

void TableReader::for_lines(const std::string& key, const std::string& what, const std::string& example,
                            const std::function<void(const TomlEntry& line, bool is_table)>& visit) {
  const TomlEntry* const table = section(key, TomlKind::table);
  if (table == nullptr) return;
  for (const TomlEntry& line : table->value.table) {
    if (is_misplaced(line)) continue;
    visit(line, expect(line.value, TomlKind::table, what + " " + in_quotes(line.key),
                       "a table such as { " + example + " }"));
  }
}

std::vector<TomlEntry> TableReader::tables(const std::string& key) {
  std::vector<TomlEntry> result;
  const TomlEntry* const list = section(key, TomlKind::array);
  if (list == nullptr) return result;
  for (const TomlValue& value : list->value.array)
    if (expect(value, TomlKind::table, "an entry of '" + key + "'", "a table [[" + key + "]]"))
      result.push_back({"[[" + key + "]]", value.position, value});
  return result;
}

bool TableReader::expect(const TomlValue& value, TomlKind kind, const std::string& what,
                         const std::string& expected) {
  if (value.kind == kind) return true;
  mistake(value.position, 1, what + " of the wrong kind", expected, describe(value));
  return false;
}

void TableReader::read_text(const TomlValue& table, const std::string& key, std::string& text) {
  const TomlEntry* const entry = table.find(key);
  if (entry == nullptr || !expect(entry->value, TomlKind::string, "'" + key + "'", "a text in quotes"))
    return;
  text = entry->value.string;
  if (text.empty()) mistake(entry->value.position, 2, "'" + key + "' is empty", "a text, or no line at all");
}

std::optional<std::size_t> TableReader::read_word(const TomlValue& table, const std::string& key,
                                                  const Words& known) {
  const TomlEntry* const entry = table.find(key);
  if (entry == nullptr) return std::nullopt;
  const auto place = std::find(known.begin(), known.end(), entry->value.string);
  if (entry->value.kind == TomlKind::string && place != known.end())
    return static_cast<std::size_t>(place - known.begin());
  mistake(entry->value.position, 1, "unknown '" + key + "'", one_of(known), describe(entry->value),
          suggestion(entry->value.string, known));
  return std::nullopt;
}

void TableReader::read_flag(const TomlValue& table, const std::string& key, bool& flag) {
  const TomlEntry* const entry = table.find(key);
  if (entry == nullptr || !expect(entry->value, TomlKind::boolean, "'" + key + "'", "true or false")) return;
  flag = entry->value.boolean;
}

Ends TableReader::read_ends(const TomlValue& table) {
  const auto word = read_word(table, "ends", {"zero", "periodic", "clamped"});
  return word ? static_cast<Ends>(1 + *word) : Ends::none;
}

Formula TableReader::read_formula(const TomlValue& value, std::string owner) {
  Formula formula;
  formula.position = value.position;
  formula.owner = std::move(owner);
  if (value.kind == TomlKind::number) {
    if (std::isfinite(value.number))
      formula.expression = number_expression(value.number);
    else
      mistake(value.position, 3, formula.owner + " is not finite", "a finite number",
              exact_text(value.number));
  } else if (value.kind == TomlKind::string) {
    formula.is_string = true;
    ParsedExpression parsed = parse_expression(value.string);
    if (!parsed.error) {
      formula.expression = std::move(parsed.expression);
    } else {
      SyntaxError& error = *parsed.error;
      if (error.got == "'='" &&
          (formula.owner.rfind("the guard of", 0) == 0 || formula.owner.rfind("the gap of", 0) == 0))
        error.hint = guard_of_equation(value.string, error.offset, error.hint);
      mistake(place_of(model_.source, formula, error.offset), error.length,
              error.what + " (" + formula.owner + ")", error.expected, error.got, error.hint);
    }
  } else {
    mistake(value.position, 1, formula.owner + " is of the wrong kind", "a number or an expression in quotes",
            describe(value));
  }
  return formula;
}

Formula TableReader::read_formula_with_ends(const TomlValue& value, const std::string& owner) {
  if (value.kind != TomlKind::table) return read_formula(value, owner);
  check_keys(value, owner, {"value", "ends"});
  Formula formula;
  if (const TomlEntry* entry = value.find("value"))
    formula = read_formula(entry->value, owner);
  else if (!has_unknown_key(value))
    mistake(value.position, 1, owner + " lacks a key", "'value'", describe_keys(value));
  formula.ends = read_ends(value);
  return formula;
}

Formula TableReader::required_formula(const TomlEntry& table, const std::string& key,
                                      const std::string& owner, const std::string& where) {
  if (const TomlEntry* entry = table.value.find(key)) return read_formula(entry->value, owner);
  lacks_key(table, where, "'" + key + "'");
  return {};
}

// ---- values for states ------------------------------------------------------------------------------

void TableReader::number_states() {
  for (std::uint32_t k = 0; k < model_.states.size(); ++k) state_numbers_.emplace(model_.states[k].name, k);
}

bool TableReader::find_state(const std::string& name, bool elements, Assignment& assignment) const {
  const auto known = state_numbers_.find(name);
  if (known != state_numbers_.end()) {
    assignment.state = known->second;
    return true;
  }
  if (!elements) return false;
  for (std::uint32_t k = 0; k < model_.states.size(); ++k) {
    const Quantity& state = model_.states[k];
    assignment.element = state.is_vector() ? element_number(name, state.name) : 0;
    assignment.state = k;
    if (assignment.element != 0) return true;
  }
  return false;
}

// The hint for a key that is no state; notes which state it means.
std::string TableReader::hint_for_state(const std::string& name, bool elements) {
  const auto meant = [&](std::uint32_t state) {
    return meant_states_.insert(state), model_.states[state].name;
  };
  for (std::uint32_t k = 0; k < model_.states.size() && !elements; ++k) {
    const std::string& state = model_.states[k].name;
    if (model_.states[k].is_vector() && (element_number(name, state) > 0 || name.rfind(state + "[", 0) == 0))
      return "'" + meant(k) + "' is a vector: one line for '" + state +
             "', with the index i, holds for every element; if(i > 1, p, q) tells them apart";
    if (contains({state + "'", "d" + state, "d" + state + "/dt", "d" + state + "dt", "d" + state + "_dt",
                  state + "_dot", state + "dot", state + "_t", "D" + state, "der(" + state + ")"},
                 name))
      return "write " + meant(k) + " = \"…\" for its derivative";
  }
  Words names;
  for (const Quantity& state : model_.states) names.push_back(state.name);
  const std::string near = suggestion(name, names);
  if (!near.empty() && !elements) meant(state_numbers_.at(nearest_name(name, names)));
  return near.empty() && !elements && is_identifier(name)
             ? "a state has a line in [states] with its initial value: " + name + " = 0.0"
             : near;
}

// x[i + 1] = …
bool TableReader::read_indexed(const TomlEntry& entry, const std::string& before, Assignment& assignment) {
  TomlValue key;
  key.kind = TomlKind::string;
  key.position = entry.position;
  key.string = entry.key;
  const std::size_t mistakes = mistakes_.size();
  Formula formula = read_formula(key, before + " " + in_quotes(entry.key));
  if (mistakes_.size() > mistakes) return false;
  const Expression& expression = formula.expression;
  const Token& root =
      expression.tokens[root_token(expression, {0, static_cast<std::uint32_t>(expression.tokens.size())})];
  const auto vector = root.kind == TokenKind::element
                          ? state_numbers_.find(std::string(expression.spelling(root)))
                          : state_numbers_.end();
  if (vector == state_numbers_.end() || !model_.states[vector->second].is_vector()) {
    mistake(entry, before + " what is no state", "a state, or an element of a vector such as x[i + 1]",
            in_quotes(entry.key));
    return false;
  }
  assignment.state = vector->second;
  assignment.indexed = std::move(formula);
  return true;
}

std::optional<Assignment> TableReader::read_assignment(const TomlEntry& entry, const std::string& before,
                                                       bool elements) {
  Assignment assignment;
  assignment.position = entry.position;
  if (elements && entry.key.find('[') != std::string::npos) {
    if (!read_indexed(entry, before, assignment)) return std::nullopt;
  } else if (!find_state(entry.key, elements, assignment)) {
    if (!told_names_.insert(entry.key).second) return std::nullopt;
    mistake(entry, before + " an unknown state", "the name of a state", in_quotes(entry.key),
            entry.key == "initial" ? top_level_hint(entry.key) : hint_for_state(entry.key, elements));
    return std::nullopt;
  }
  assignment.value = read_formula_with_ends(entry.value, before + " " + in_quotes(entry.key));
  if (assignment.value.ends == Ends::none) assignment.value.ends = model_.states[assignment.state].ends;
  if (assignment.indexed) assignment.indexed->ends = assignment.value.ends;
  return assignment;
}

void TableReader::read_derivatives(const TomlValue& table, std::vector<Assignment>& derivatives) {
  for (const TomlEntry& entry : table.table) {
    if (is_misplaced(entry)) continue;
    auto assignment = read_assignment(entry, "the derivative of", false);
    if (assignment) derivatives.push_back(std::move(*assignment));
  }
}

void TableReader::read_mass(const TomlValue& table, std::vector<MassRow>& rows) {
  for (const TomlEntry& entry : table.table) {
    if (is_misplaced(entry)) continue;
    MassRow row;
    row.position = entry.position;
    Assignment of;
    if (!find_state(entry.key, false, of)) {
      mistake(entry, "a row of the mass matrix for an unknown state", "the name of a state",
              in_quotes(entry.key), hint_for_state(entry.key, false));
      continue;
    }
    row.state = of.state;
    read_assignments(entry, "a row of the mass matrix multiplies", row.entries);
    const bool is_empty = entry.value.kind == TomlKind::table && entry.value.table.empty();
    if (is_empty)
      mistake(entry, "a row of the mass matrix without an entry",
              "a state at least, as { " + entry.key + " = \"m\" }", "{}");
    rows.push_back(std::move(row));
  }
}

void TableReader::read_assignments(const TomlEntry& entry, const std::string& before,
                                   std::vector<Assignment>& lines) {
  if (!expect(entry.value, TomlKind::table, "'" + entry.key + "'", "a table such as { v = \"-v\" }")) return;
  for (const TomlEntry& line : entry.value.table) {
    auto assignment = read_assignment(line, before, true);
    if (!assignment) continue;
    lines.push_back(std::move(*assignment));
  }
}

}  // namespace slideway::reader
