// Numbers in messages.
//
// It must not know what they mean.
#pragma once

#include <cmath>
#include <string>

#include "slideway/detail/core/number_form.hpp"

namespace slideway {

// Up to 10 digits. Every impact says its speed, so it must not be slow: a stream is.
inline std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  return std::string(rounded_digits(value, 10).text());
}

// The shortest text that reads back as this number; "nan" whatever its sign.
inline std::string exact_text(double value) {
  if (std::isnan(value)) return "nan";
  return std::string(shortest_digits(value).text());
}

}  // namespace slideway
