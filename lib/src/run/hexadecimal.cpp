#include "run/hexadecimal.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "slideway/detail/core/number_form.hpp"

namespace slideway {

void append_hexadecimal(double value, std::string& text) {
  if (std::isnan(value)) {
    text += "nan";
    return;
  }
  if (std::signbit(value)) text += '-';
  if (std::isfinite(value)) text += "0x";
  text += hexadecimal_digits(std::abs(value)).text();
}

std::string hexadecimal(double value) {
  std::string text;
  append_hexadecimal(value, text);
  return text;
}

double from_hexadecimal(std::string_view text) {
  const std::string_view whole = text;
  const bool is_negative = text.starts_with('-');
  if (is_negative) text.remove_prefix(1);
  if (text.starts_with("0x")) text.remove_prefix(2);
  double value = 0;
  const DigitsRead read = read_hexadecimal_digits(text.data(), text.data() + text.size(), value);
  if (!read.is_number || read.end != text.data() + text.size())
    throw std::runtime_error("'" + std::string(whole) + "' is no number in hexadecimal notation");
  return is_negative ? -value : value;
}

void append_hexadecimals(const double* values, std::size_t count, std::string& text) {
  for (std::size_t k = 0; k < count; ++k) {
    if (k > 0) text += ' ';
    append_hexadecimal(values[k], text);
  }
}

std::string hexadecimals(const double* values, std::size_t count) {
  std::string text;
  append_hexadecimals(values, count, text);
  return text;
}

std::vector<double> from_hexadecimals(std::string_view text) {
  std::vector<double> values;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    values.push_back(from_hexadecimal(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return values;
}

}  // namespace slideway
