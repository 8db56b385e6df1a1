// Text of a command line as it comes in.
//
// It must not know what the words mean.
#pragma once

#include <algorithm>
#include <charconv>
#include <concepts>
#include <optional>
#include <string>
#include <vector>

#include "slideway/detail/core/number_form.hpp"

namespace slideway::apps {

// The number that the whole text is, in decimal, or nothing. CLI11's own conversion also takes hexadecimal and rounds through long double.
template <class Number>
std::optional<Number> to_number(const std::string& text) {
  Number value{};
  const char* begin = text.data();
  const char* end = begin + text.size();
  if (begin != end && *begin == '+') ++begin;
  if constexpr (std::floating_point<Number>) {
    const DigitsRead read = read_digits(begin, end, value);
    if (!read.is_number || read.end != end) return std::nullopt;
  } else {
    const auto [stopped, error] = std::from_chars(begin, end, value);
    if (error != std::errc{} || stopped != end) return std::nullopt;
  }
  return value;
}

// trimmed() removes the blanks at both ends.
inline std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// The parts without blanks at their ends, one more than there are separators.
inline std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(trimmed(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return parts;
}

}  // namespace slideway::apps
