#include "io/toml_document.hpp"

// Compiled in here whatever the package's flags say, without exceptions and without the writers.
#undef TOML_HEADER_ONLY
#undef TOML_SHARED_LIB
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_MAX_NESTED_VALUES 30
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ENABLE_WINDOWS_COMPAT 0
#include <toml++/toml.h>

#include <algorithm>
#include <optional>

namespace slideway::reader {
namespace {

constexpr std::size_t most_key_parts = 30;

Position place(const toml::source_region& region) {
  return {static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

// Where the literal string that begins at `begin` ends (one past it).
std::size_t end_of_string(const std::string& text, std::size_t begin) {
  const char quote = text[begin];
  const bool multiline = text.compare(begin, 3, std::string(3, quote)) == 0;
  const std::size_t width = multiline ? 3 : 1;
  for (std::size_t k = begin + width; k < text.size(); ++k) {
    if (text[k] == '\\' && quote == '"')
      ++k;
    else if (text[k] == '\n' && !multiline)
      return k;
    else if (text[k] == quote && text.compare(k, width, std::string(width, quote)) == 0)
      return k + width;
  }
  return text.size();
}

// The parser nests and destroys the tables of a dotted key by recursion, however many parts it has.
std::optional<std::size_t> too_many_key_parts(const std::string& text) {
  std::size_t dots = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    const char c = text[k];
    if (c == '"' || c == '\'') {
      k = end_of_string(text, k) - 1;
    } else if (c == '#') {
      k = std::min(text.find('\n', k), text.size());
      dots = 0;
    } else if (c == '\n' || c == '=' || c == ',' || c == '{') {
      dots = 0;
    } else if (c == '.' && ++dots > most_key_parts) {
      return k;
    }
  }
  return std::nullopt;
}

TomlValue convert(const toml::node& node) {
  TomlValue value;
  value.position = place(node.source());
  if (const auto* string = node.as_string()) {
    value.kind = TomlKind::string;
    value.string = string->get();
  } else if (const auto* integer = node.as_integer()) {
    value.kind = TomlKind::number;
    value.number = static_cast<double>(integer->get());
    value.integer = true;
  } else if (const auto* real = node.as_floating_point()) {
    value.kind = TomlKind::number;
    value.number = real->get();
  } else if (node.is_boolean()) {
    value.kind = TomlKind::boolean;
  } else if (const auto* array = node.as_array()) {
    value.kind = TomlKind::array;
    for (const toml::node& element : *array) value.array.push_back(convert(element));
  } else if (const auto* table = node.as_table()) {
    value.kind = TomlKind::table;
    for (const auto& [key, element] : *table)
      value.table.push_back({std::string(key.str()), place(key.source()), convert(element)});
    // The parser keeps tables sorted by name.
    std::sort(value.table.begin(), value.table.end(),
              [](const TomlEntry& a, const TomlEntry& b) { return a.position < b.position; });
  } else {
    value.kind = TomlKind::date;
  }
  return value;
}

}  // namespace

const TomlEntry* TomlValue::find(const std::string& key) const {
  for (const TomlEntry& entry : table)
    if (entry.key == key) return &entry;
  return nullptr;
}

std::string describe(const TomlValue& value) {
  switch (value.kind) {
    case TomlKind::string:
      return "the string " + quoted(value.string);
    case TomlKind::number:
      return "a number";
    case TomlKind::boolean:
      return "true or false";
    case TomlKind::date:
      return "a date or time";
    case TomlKind::array:
      return "an array";
    default:
      return "a table";
  }
}

TomlValue parse_toml(const SourceText& source, Mistakes& mistakes) {
  if (const auto offset = too_many_key_parts(source.text())) {
    mistakes.push_back({source.position(*offset), 1, "a key of too many parts",
                        "at most " + std::to_string(most_key_parts) + " dots", "one more", ""});
    return {};
  }
  const toml::parse_result parsed = toml::parse(std::string_view(source.text()));
  if (!parsed) {
    Mistake mistake;
    mistake.where = place(parsed.error().source());
    mistake.what = "not valid TOML: " + std::string(parsed.error().description());
    // An error at the end of the file is reported one line too far or with no place at all.
    if (mistake.where.line < 1) mistake.where = source.position(source.text().size());
    mistakes.push_back(std::move(mistake));
    return {};
  }
  return convert(parsed.table());
}

}  // namespace slideway::reader
