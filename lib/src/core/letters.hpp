// The kinds of characters in a formula, by bytes, independent of the locale.
//
// It must not know what is written.
#pragma once

namespace slideway {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

}  // namespace slideway
