#include "io/toml_document.hpp"

namespace slideway::reader {
namespace {

// What the TOML parser takes for impossible is an error of the file, in every build.
struct TomlParserAssertion {};
[[noreturn]] void refuse_toml_assertion() { throw TomlParserAssertion{}; }

}  // namespace
}  // namespace slideway::reader

#undef NDEBUG
#define TOML_ASSERT(condition) \
  ((condition) ? static_cast<void>(0) : slideway::reader::refuse_toml_assertion())
// Compiled in here whatever the package's flags say, without exceptions of its own and without the writers.
#undef TOML_HEADER_ONLY
#undef TOML_SHARED_LIB
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_MAX_NESTED_VALUES 30
#define TOML_ENABLE_FORMATTERS 0
#define TOML_ENABLE_WINDOWS_COMPAT 0
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <optional>

namespace slideway::reader {
namespace {

constexpr std::size_t most_key_parts = 30;

Position place(const toml::source_region& region) {
  return {static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80U; }

// Goes through the text as far as strings and comments must be told apart from the rest, and finds what the parser
// must not be given: dotted keys of many parts, whose tables it nests and destroys by recursion; and characters that
// are not ASCII where it asks whether they are white space (outside of quotes and comments, where TOML has no use
// for them, and where a line of a string is continued), because its test does not cover them all.
class TextCheck {
 public:
  explicit TextCheck(const SourceText& source) : source_(source), text_(source.text()) {}

  std::optional<Mistake> run() {
    std::size_t dots = 0;
    char before = '\n';  // the last character that is no space
    for (std::size_t k = 0; k < text_.size() && !mistake_; ++k) {
      const char c = text_[k];
      if (c == '"' || c == '\'') {
        // Inside a word a quote begins no string, and how far the parser reads on is its own affair.
        if (std::string_view("\n=,.[{").find(before) == std::string_view::npos)
          refuse(k, "not valid TOML: a quote", "one only where a key or a value begins", "");
        const std::size_t end = end_of_string(k);
        // After a dot it may be part of a key or, in what should be a number, no string for the parser.
        for (std::size_t j = k; before == '.' && j < end; ++j) {
          if (!is_ascii(text_[j]))
            refuse(j, "a character that is not ASCII in a dotted key", "ASCII characters", "");
        }
        k = end - 1;
      } else if (c == '#') {
        k = std::min(text_.find('\n', k), text_.size());
        dots = 0;
      } else if (c == '\n' || c == '=' || c == ',' || c == '{') {
        dots = 0;
      } else if (c == '.' && ++dots > most_key_parts) {
        refuse(k, "a key of too many parts", "at most " + std::to_string(most_key_parts) + " dots",
               "one more");
      } else if (!is_ascii(c)) {
        refuse(k, "not valid TOML: a character that is not ASCII", "one only in quotes or in a comment", "");
      }
      const char last = k < text_.size() ? text_[k] : '\n';
      if (last != ' ' && last != '\t' && last != '\r') before = last;
    }
    return mistake_;
  }

 private:
  void refuse(std::size_t offset, std::string what, std::string expected, std::string got) {
    if (!mistake_)
      mistake_ =
          Mistake{source_.position(offset), 1, std::move(what), std::move(expected), std::move(got), ""};
  }

  bool quotes_at(std::size_t offset, char quote, std::size_t count) const {
    return text_.compare(offset, count, std::string(count, quote)) == 0;
  }

  // One past the end of the string that begins at `begin`.
  std::size_t end_of_string(std::size_t begin) {
    const char quote = text_[begin];
    const bool multiline = quotes_at(begin, quote, 3);
    const std::size_t width = multiline ? 3 : 1;
    for (std::size_t k = begin + width; k < text_.size(); ++k) {
      if (text_[k] == '\\' && quote == '"') {
        if (multiline) check_continuation(k);
        ++k;
      } else if (text_[k] == '\n' && !multiline) {
        return k;
      } else if (quotes_at(k, quote, width)) {
        // A string of several lines may end with two quotes of its own before the three.
        std::size_t end = k + width;
        for (int more = 0; multiline && more < 2 && end < text_.size() && text_[end] == quote; ++more) ++end;
        return end;
      }
    }
    return text_.size();
  }

  void check_continuation(std::size_t backslash) {
    const std::size_t next = text_.find_first_not_of(" \t\r\n", backslash + 1);
    if (next != std::string::npos && !is_ascii(text_[next]))
      refuse(next, "a character that is not ASCII after a line end that is escaped",
             "an ASCII character first", "");
  }

  const SourceText& source_;
  const std::string& text_;
  std::optional<Mistake> mistake_;
};

// The first byte that is no part of a UTF-8 text without control characters.
std::optional<Mistake> wrong_character(const SourceText& source) {
  const std::string& text = source.text();
  for (std::size_t offset = 0; offset < text.size();) {
    const auto byte = static_cast<unsigned char>(text[offset]);
    const std::size_t length = character_length(text, offset);
    const bool line_end =
        byte == '\n' || (byte == '\r' && offset + 1 < text.size() && text[offset + 1] == '\n');
    const bool control = (byte < 0x20U && byte != '\t' && !line_end) || byte == 0x7FU;
    if (length == 0 || control) {
      std::array<char, 8> number{};
      std::snprintf(number.data(), number.size(), "0x%02X", static_cast<unsigned>(byte));
      return Mistake{source.position(offset),
                     1,
                     control ? "not valid TOML: a control character" : "not valid UTF-8",
                     "",
                     std::string("the byte ") + number.data(),
                     ""};
    }
    offset += length;
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
  if (auto mistake = wrong_character(source)) {
    mistakes.push_back(std::move(*mistake));
    return {};
  }
  if (auto mistake = TextCheck(source).run()) {
    mistakes.push_back(std::move(*mistake));
    return {};
  }
  try {
    const toml::parse_result parsed = toml::parse(std::string_view(source.text()));
    if (parsed) return convert(parsed.table());
    Mistake mistake;
    mistake.where = place(parsed.error().source());
    mistake.what = "not valid TOML: " + std::string(parsed.error().description());
    if (mistake.where.line < 1) mistake.where = source.position(source.text().size());
    mistakes.push_back(std::move(mistake));
  } catch (const TomlParserAssertion&) {
    mistakes.push_back({{}, 1, "not valid TOML, in a way that the parser cannot place", "", "", ""});
  }
  return {};
}

}  // namespace slideway::reader
