#include "slideway/detail/core/number_form.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <version>

#include "core/letters.hpp"

namespace slideway {

namespace by_c {

namespace {

// The text of snprintf in a Digits.
template <class... Arguments>
Digits printed(const char* format, Arguments... arguments) {
  Digits digits;
  const int size = std::snprintf(digits.begin(), static_cast<std::size_t>(digits.end() - digits.begin()),
                                 format, arguments...);
  digits.end_at(digits.begin() + size);
  return digits;
}

// Where the longest decimal number from `first` on ends; `first` if there is none.
const char* end_of_decimal(const char* first, const char* last) {
  const char* at = first;
  const auto skip_digits = [&] {
    const char* const begin = at;
    while (at != last && is_digit(*at)) ++at;
    return at != begin;
  };
  if (at != last && *at == '-') ++at;
  bool has_digits = skip_digits();
  if (at != last && *at == '.') {
    ++at;
    has_digits = skip_digits() || has_digits;
  }
  if (!has_digits) return first;
  const char* const end = at;
  if (at == last || (*at != 'e' && *at != 'E')) return end;
  ++at;
  if (at != last && (*at == '-' || *at == '+')) ++at;
  return skip_digits() ? at : end;
}

// "inf" and "nan" in either case, with a sign or without.
const char* end_of_word(const char* first, const char* last) {
  const char* at = first;
  if (at != last && *at == '-') ++at;
  std::string word(at, std::min(last, at + std::min<std::ptrdiff_t>(last - at, 8)));
  for (char& letter : word)
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  for (const char* const known : {"infinity", "inf", "nan"})
    if (word.starts_with(known)) return at + std::char_traits<char>::length(known);
  return first;
}

// The standard library tells an overflow and an underflow alike.
DigitsRead converted(const std::string& text, const char* end, double& value) {
  const double number = std::strtod(text.c_str(), nullptr);
  const bool has_digits = text.find_first_of("123456789abcdefABCDEF") < text.find_first_of("eEpP");
  const bool is_lost = (std::isinf(number) && text.find_first_of("nN") == std::string::npos) ||
                       (number == 0 && has_digits && text.find_first_of("123456789") != std::string::npos);
  if (!is_lost) value = number;
  return {end, !is_lost};
}

}  // namespace

Digits shortest_digits(double value) {
  if (!std::isfinite(value) || value == 0) return rounded_digits(value, 1);
  // Fifteen digits of a normal number survive: a shorter text is found with zeros at its end.
  Digits scientific;
  for (int decimals = std::isnormal(value) ? 14 : 0; decimals <= 16; ++decimals) {
    scientific = printed("%.*e", decimals, value);
    if (std::strtod(std::string(scientific.text()).c_str(), nullptr) == value) break;
  }
  std::string digits(scientific.text());
  const std::size_t mark = digits.find('e');
  const std::string exponent_text = digits.substr(mark);
  const int exponent = std::atoi(exponent_text.c_str() + 1);
  digits.resize(mark);
  if (digits.find('.') != std::string::npos) {
    digits.resize(digits.find_last_not_of('0') + 1);
    if (digits.back() == '.') digits.pop_back();
  }
  const std::string sign = value < 0 ? "-" : "";
  const std::size_t fraction =
      digits.size() - sign.size() > 1 ? digits.size() - sign.size() - 2 : 0;  // digits after the point
  const std::string short_text = digits + exponent_text;
  const int decimals = std::max(0, static_cast<int>(fraction) - exponent);
  const std::size_t whole = static_cast<std::size_t>(std::max(exponent, 0)) + 1;
  const std::size_t plain_size =
      sign.size() + whole + (decimals > 0 ? static_cast<std::size_t>(decimals) + 1 : 0);
  if (plain_size <= short_text.size()) return printed("%.*f", decimals, value);
  return printed("%s", short_text.c_str());
}

Digits rounded_digits(double value, int precision) { return printed("%.*g", precision, value); }

Digits hexadecimal_digits(double value) {
  const Digits whole = printed("%a", value);
  std::string text(whole.text());
  if (const std::size_t mark = text.find("0x"); mark != std::string::npos) text.erase(mark, 2);
  return printed("%s", text.c_str());
}

DigitsRead read_digits(const char* first, const char* last, double& value) {
  const char* end = end_of_decimal(first, last);
  if (end == first) end = end_of_word(first, last);
  if (end == first) return {first, false};
  return converted(std::string(first, end), end, value);
}

DigitsRead read_hexadecimal_digits(const char* first, const char* last, double& value) {
  const char* const word_end = end_of_word(first, last);
  if (word_end != first) return converted(std::string(first, word_end), word_end, value);
  const bool is_negative = first != last && *first == '-';
  const char* const begin = is_negative ? first + 1 : first;
  if (begin == last || !(std::isxdigit(static_cast<unsigned char>(*begin)) || *begin == '.'))
    return {first, false};
  const std::string text = "0x" + std::string(begin, last);
  char* end = nullptr;
  const double number = std::strtod(text.c_str(), &end);
  const std::ptrdiff_t read = end - text.c_str() - 2;
  if (read <= 0) return {first, false};
  const bool is_zero =
      text.substr(0, text.find_first_of("pP")).find_first_of("123456789abcdefABCDEF") == std::string::npos;
  if (std::isinf(number) || (number == 0 && !is_zero)) return {begin + read, false};
  value = is_negative ? -number : number;
  return {begin + read, true};
}

}  // namespace by_c

#ifdef __cpp_lib_to_chars

Digits shortest_digits(double value) {
  Digits digits;
  digits.end_at(std::to_chars(digits.begin(), digits.end(), value).ptr);
  return digits;
}

Digits rounded_digits(double value, int precision) {
  Digits digits;
  digits.end_at(
      std::to_chars(digits.begin(), digits.end(), value, std::chars_format::general, precision).ptr);
  return digits;
}

Digits hexadecimal_digits(double value) {
  Digits digits;
  digits.end_at(std::to_chars(digits.begin(), digits.end(), value, std::chars_format::hex).ptr);
  return digits;
}

DigitsRead read_digits(const char* first, const char* last, double& value) {
  const auto read = std::from_chars(first, last, value);
  return {read.ptr, read.ec == std::errc()};
}

DigitsRead read_hexadecimal_digits(const char* first, const char* last, double& value) {
  const auto read = std::from_chars(first, last, value, std::chars_format::hex);
  return {read.ptr, read.ec == std::errc()};
}

#else

Digits shortest_digits(double value) { return by_c::shortest_digits(value); }
Digits rounded_digits(double value, int precision) { return by_c::rounded_digits(value, precision); }
Digits hexadecimal_digits(double value) { return by_c::hexadecimal_digits(value); }
DigitsRead read_digits(const char* first, const char* last, double& value) {
  return by_c::read_digits(first, last, value);
}
DigitsRead read_hexadecimal_digits(const char* first, const char* last, double& value) {
  return by_c::read_hexadecimal_digits(first, last, value);
}

#endif

}  // namespace slideway
