// A TOML document as a tree whose tables keep the order of the file, every key and value with its place.
//
// The one door to the TOML parser. It must not know what a model file contains.
#pragma once

#include <string>
#include <vector>

#include "expression/source_report.hpp"

namespace slideway::reader {

enum class TomlKind { string, number, boolean, date, array, table };

struct TomlEntry;

struct TomlValue {
  TomlKind kind = TomlKind::table;
  Position position = {};
  std::string string = {};
  double number = 0;  // of integers, too
  bool integer = false;
  bool boolean = false;
  std::vector<TomlValue> array;
  std::vector<TomlEntry> table;  // in the order of the file

  const TomlEntry* find(const std::string& key) const;
};

struct TomlEntry {
  std::string key = {};
  Position position = {};
  TomlValue value = {};
};

// "a string", "a number", … for messages.
std::string describe(const TomlValue& value);

// The document, or an empty table and a mistake. TOML's own errors come one at a time: what follows the first is
// not known.
TomlValue parse_toml(const SourceText& source, Mistakes& mistakes);

}  // namespace slideway::reader
