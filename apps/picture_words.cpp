#include "apps/picture_words.hpp"

#include <cctype>
#include <cmath>

#include "apps/text.hpp"

namespace slideway::apps {

namespace {

// The place of the = that ends a name at the beginning of a text; npos without one.
std::size_t end_of_name(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return equals;
  const std::string name = trimmed(text.substr(0, equals));
  for (const char character : name) {
    const bool is_usual = std::isalnum(static_cast<unsigned char>(character)) != 0 ||
                          std::string("_[].'").find(character) != std::string::npos ||
                          (static_cast<unsigned char>(character) & 0x80) != 0;
    if (!is_usual) return std::string::npos;
  }
  return name.empty() ? std::string::npos : equals;
}

// parts_of() cuts at the commas that are outside of braces.
std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char character = text[at];
    const bool is_escaped = at > 0 && text[at - 1] == '\\';
    if (character == '{' && !is_escaped) ++depth;
    if (character == '}' && !is_escaped) --depth;
    if (character == ',' && depth == 0 && !is_escaped)
      parts.emplace_back();
    else
      parts.back() += character;
  }
  return parts;
}

}  // namespace

std::optional<std::vector<std::pair<std::string, std::string>>> labels_in(const std::string& text) {
  std::vector<std::pair<std::string, std::string>> labels;
  for (const std::string& part : parts_of(text)) {
    const std::size_t equals = end_of_name(part);
    if (equals == std::string::npos && labels.empty()) return std::nullopt;
    if (equals == std::string::npos)
      labels.back().second += "," + part;
    else
      labels.emplace_back(trimmed(part.substr(0, equals)), part.substr(equals + 1));
  }
  for (auto& label : labels) label.second = trimmed(label.second);
  return labels;
}

std::optional<std::pair<int, int>> size_in(const std::string& text) {
  constexpr double pixels_per_cm = 40;
  constexpr double least = 100;
  constexpr double most = 10000;
  const bool is_in_cm = text.ends_with("cm");
  const std::string numbers = is_in_cm ? text.substr(0, text.size() - 2) : text;
  const std::size_t middle = numbers.find('x');
  if (middle == std::string::npos) return std::nullopt;
  const auto pixels = [&](const std::string& word) -> std::optional<int> {
    const auto value = to_number<double>(trimmed(word));
    if (!value || !std::isfinite(*value)) return std::nullopt;
    if (!is_in_cm && *value != std::floor(*value)) return std::nullopt;
    const double rounded = std::round(is_in_cm ? pixels_per_cm * *value : *value);
    if (rounded < least || rounded > most) return std::nullopt;
    return static_cast<int>(rounded);
  };
  const auto width = pixels(numbers.substr(0, middle));
  const auto height = pixels(numbers.substr(middle + 1));
  if (!width || !height) return std::nullopt;
  return std::pair{*width, *height};
}

}  // namespace slideway::apps
