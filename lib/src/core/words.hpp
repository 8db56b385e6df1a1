// Values of enumerations as words of a user: `to_string` writes one, a list of all that there are reads it back.
//
// It must not know what the words mean.
#pragma once

#include <string>
#include <vector>

#include "slideway/core/errors.hpp"

namespace slideway {

template <class List>
std::vector<std::string> words_of(const List& values) {
  std::vector<std::string> words;
  for (const auto value : values) words.emplace_back(to_string(value));
  return words;
}

// Throws std::invalid_argument for a word of none of them; `what` and `where` are those of the refusal.
template <class List>
auto from_word(const List& values, const std::string& word, const char* what, const char* where) {
  for (const auto value : values) {
    if (word == to_string(value)) return value;
  }
  std::string expected;
  const std::vector<std::string> words = words_of(values);
  for (const std::string& known : words)
    expected += (&known == &words.front() ? "" : &known == &words.back() ? " or " : ", ") + known;
  refuse({.what = what, .where = where, .expected = expected, .got = "\"" + word + "\""});
}

}  // namespace slideway
