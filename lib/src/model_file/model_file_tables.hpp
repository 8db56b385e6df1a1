// The common part of the sections of a model file: looking up keys of TOML tables, turning values into
// expressions, and telling what is wrong with them.
// It must not know what the sections mean.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "model_file/model_file_description.hpp"
#include "model_file/toml_document.hpp"

namespace slideway::reader {

using Words = std::vector<std::string>;

bool contains(const Words& words, const std::string& word);
// The keys of a table for a message.
std::string describe_keys(const TomlValue& table);

class TableReader {
 public:
  // All three must outlive the reader.
  TableReader(const ModelDescription& model, const TomlValue& root, Mistakes& mistakes)
      : model_(model), root_(root), mistakes_(mistakes) {}

  const TomlValue& root() const { return root_; }

  void mistake(Position where, std::size_t length, std::string what, std::string expected = "",
               std::string got = "", std::string hint = "");
  // mistake() points to a key.
  void mistake(const TomlEntry& key, std::string what, std::string expected = "", std::string got = "",
               std::string hint = "");

  std::size_t mistakes() const { return mistakes_.size(); }

  void check_top_level();
  // is_misspelt() tells whether a table of the file means this one and misses its name, or its place; that has
  // been told.
  bool is_misspelt(const std::string& key) const;
  void check_keys(const TomlValue& table, const std::string& where, const Words& known);
  // has_unknown_key() tells whether one of its keys has been told to be unknown: it is likely to be meant for
  // what the table seems to lack.
  bool has_unknown_key(const TomlValue& table) const;
  // `who` lacks a key of this table, unless that is there with another name.
  void lacks_key(const TomlEntry& table, const std::string& who, const std::string& key);
  // is_misplaced() finds a misplaced `initial`, or a section written as a key of another. A table of free names
  // shows them only by what the file lacks.
  bool is_misplaced(const TomlEntry& entry);
  bool found_misplaced_initial() const { return misplaced_initial_; }

  // The entry of a section of this kind, if it is there and in order.
  const TomlEntry* section(const std::string& key, TomlKind kind);
  // The lines of [key], each a table such as `example` says; `what` is what messages call one. No line that is misplaced is visited.
  void for_lines(const std::string& key, const std::string& what, const std::string& example,
                 const std::function<void(const TomlEntry& line, bool is_table)>& visit);
  // The tables of [[key]], each as an entry with the place and the key "[[key]]".
  std::vector<TomlEntry> tables(const std::string& key);
  bool expect(const TomlValue& value, TomlKind kind, const std::string& what, const std::string& expected);

  void read_text(const TomlValue& table, const std::string& key, std::string& text);
  // The number of the word among those known; nothing when it is not given, or unknown.
  std::optional<std::size_t> read_word(const TomlValue& table, const std::string& key, const Words& known);
  // true or false; as it was where it is not given.
  void read_flag(const TomlValue& table, const std::string& key, bool& flag);
  Ends read_ends(const TomlValue& table);

  // `owner` is what messages call the formula.
  Formula read_formula(const TomlValue& value, std::string owner);
  // A number, "an expression" or { value = "an expression", ends = "…" }.
  Formula read_formula_with_ends(const TomlValue& value, const std::string& owner);
  Formula required_formula(const TomlEntry& table, const std::string& key, const std::string& owner,
                           const std::string& where);

  // The states are known: from now on assignments may be read.
  void number_states();
  // `before` is what messages say before the name of the state: "the derivative of".
  void read_derivatives(const TomlValue& table, std::vector<Assignment>& derivatives);
  // is_meant() tells whether a line for this state is there with a wrong key, which has been told.
  bool is_meant(std::uint32_t state) const { return meant_states_.count(state) > 0; }
  // Names that a mistake has been told of, so that those who use them make none.
  const std::set<std::string>& told_names() const { return told_names_; }
  // Rows of a mass matrix, `v = { v = "m", w = "m*r" }`.
  void read_mass(const TomlValue& table, std::vector<MassRow>& rows);
  void read_assignments(const TomlEntry& entry, const std::string& before, std::vector<Assignment>& lines);

 private:
  void unknown_key(const TomlEntry& entry, const std::string& where, const Words& known);
  std::optional<Assignment> read_assignment(const TomlEntry& entry, const std::string& before, bool elements);
  bool read_indexed(const TomlEntry& entry, const std::string& before, Assignment& assignment);
  bool find_state(const std::string& name, bool elements, Assignment& assignment) const;
  std::string hint_for_state(const std::string& name, bool elements);

  const ModelDescription& model_;
  const TomlValue& root_;
  Mistakes& mistakes_;
  std::unordered_map<std::string, std::uint32_t> state_numbers_;
  bool misplaced_initial_ = false;
  Words misplaced_sections_;
  std::set<Position> unknown_keys_;
  std::set<std::uint32_t> meant_states_;
  std::set<std::string> told_names_;
};

// Adds what [friction] means to the definitions, states and derivatives.
void read_friction(TableReader& reader, ModelDescription& model);

// Adds the elements of [hysteresis]: definitions, states with their derivatives, and stops.
void read_hysteresis(TableReader& reader, ModelDescription& model);

// Adds the signals of [inputs]: definitions, and the discrete states that they are made of, which are the last.
void read_inputs(TableReader& reader, ModelDescription& model);

// Fills in the tables of [tables].
void read_characteristics(TableReader& reader, ModelDescription& model);

// Adds the discrete states of [[automata]], which tell where each of them is.
void read_automata(TableReader& reader, ModelDescription& model);

// Fills in the derivatives and edges of [[automata]]. The states must be known.
void read_edges_of_automata(TableReader& reader, ModelDescription& model);

// A table of an event with these keys, without the locations of an edge; `kind` is what messages call it.
EventDescription read_event(TableReader& reader, ModelDescription& model, const TomlEntry& table,
                            const std::string& kind, const Words& keys);

// Fills in resets, stops, records, contacts, locations and edges. The states must be known.
void read_events(TableReader& reader, ModelDescription& model);

}  // namespace slideway::reader
