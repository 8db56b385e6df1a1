// Numbers in messages.
//
// It must not know what they mean.
#pragma once

#include <array>
#include <charconv>
#include <cmath>
#include <string>

namespace slideway {

// Up to 10 digits. Every impact says its speed, so it must not be slow: a stream is.
inline std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  std::array<char, 32> text;
  const auto written =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::general, 10);
  return std::string(text.data(), written.ptr);
}

// The shortest text that reads back as this number; "nan" whatever its sign.
inline std::string exact_text(double value) {
  if (std::isnan(value)) return "nan";
  std::array<char, 32> text;
  const auto written = std::to_chars(text.data(), text.data() + text.size(), value);
  return std::string(text.data(), written.ptr);
}

}  // namespace slideway
