// The kinds of characters in a formula, by bytes, independent of the locale.
//
// It must not know what is written.
#pragma once

#include <cstddef>
#include <string_view>

namespace slideway {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// The number of bytes of a Latin letter with an accent, a Greek or a Cyrillic letter in UTF-8 that `text` begins with; 0 where it begins
// with anything else. Signs such as × and − are no letters.
inline std::size_t bytes_of_foreign_letter(std::string_view text) {
  if (text.size() < 2) return 0;
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  const auto follows = [&](std::size_t k) { return (byte(k) & 0xC0U) == 0x80U; };
  if (!follows(1)) return 0;
  const unsigned point = (byte(0) & 0x1FU) << 6U | (byte(1) & 0x3FU);
  if (byte(0) >= 0xC2 && byte(0) <= 0xDF) {
    const bool is_latin =
        point == 0xB5 || (point >= 0xC0 && point <= 0x24F && point != 0xD7 && point != 0xF7);
    const bool is_greek = point == 0x386 || (point >= 0x388 && point <= 0x3FF && point != 0x3F6);
    const bool is_cyrillic = (point >= 0x400 && point <= 0x52F) && !(point >= 0x482 && point <= 0x489);
    return is_latin || is_greek || is_cyrillic ? 2 : 0;
  }
  // Latin letters with two accents or with dots, and Greek ones with breathings.
  const bool is_extended = byte(0) == 0xE1 && byte(1) >= 0xB8 && text.size() > 2 && follows(2);
  return is_extended ? 3 : 0;
}

// is_name() tells whether a formula can have a quantity of this name: letters, digits and '_', a digit not first.
inline bool is_name(std::string_view text) {
  if (text.empty() || is_digit(text[0])) return false;
  while (!text.empty()) {
    const bool is_plain = is_letter(text[0]) || is_digit(text[0]) || text[0] == '_';
    const std::size_t bytes = is_plain ? 1 : bytes_of_foreign_letter(text);
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

}  // namespace slideway
