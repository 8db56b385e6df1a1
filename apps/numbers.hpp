// Numbers on a command line: the whole word, in decimal, or nothing.
#pragma once

#include <charconv>
#include <optional>
#include <string>

namespace slideway::apps {

// CLI11's own conversion also takes hexadecimal and rounds through long double.
template <class Number>
std::optional<Number> to_number(const std::string& text) {
  Number value{};
  const char* begin = text.data();
  const char* end = begin + text.size();
  if (begin != end && *begin == '+') ++begin;
  const auto [stopped, error] = std::from_chars(begin, end, value);
  if (error != std::errc{} || stopped != end) return std::nullopt;
  return value;
}

// Without blanks at both ends.
inline std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

}  // namespace slideway::apps
