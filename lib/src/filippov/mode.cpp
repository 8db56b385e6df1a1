#include "slideway/filippov/mode.hpp"

#include "slideway/core/errors.hpp"

namespace slideway {

Mode::Mode(Index surfaces, Side side) : sides_(static_cast<std::size_t>(surfaces), side) {}

Mode::Mode(const std::string& word) {
  sides_.reserve(word.size());
  for (const char character : word) {
    switch (character) {
      case '-':
        sides_.push_back(Side::minus);
        break;
      case '0':
        sides_.push_back(Side::sliding);
        break;
      case '+':
        sides_.push_back(Side::plus);
        break;
      default:
        refuse({.what = "a mode word has a character it cannot have",
                .where = "Mode(\"" + word + "\")",
                .expected = "'-', '0' or '+' for every surface",
                .got = std::string("'") + character + "'"});
    }
  }
}

Index Mode::codimension() const {
  Index count = 0;
  for (const Side side : sides_) count += side == Side::sliding ? 1 : 0;
  return count;
}

std::string Mode::word() const {
  std::string text;
  text.reserve(sides_.size());
  for (const Side side : sides_) text += to_character(side);
  return text;
}

void Mode::fill_lambda(VectorRef lambda) const {
  double* const values = lambda.data();
  for (std::size_t i = 0; i < sides_.size(); ++i) {
    if (sides_[i] != Side::sliding) values[i] = static_cast<double>(static_cast<signed char>(sides_[i]));
  }
}

void Mode::list_sliding(std::vector<Index>& surfaces) const {
  // Every surface is written, and only those that slide move the place on: there is no branch to guess.
  const std::size_t size = sides_.size();
  surfaces.resize(size);
  Index* const list = surfaces.data();
  const Side* const sides = sides_.data();
  std::size_t count = 0;
  for (std::size_t i = 0; i < size; ++i) {
    list[count] = static_cast<Index>(i);
    count += sides[i] == Side::sliding ? 1 : 0;
  }
  surfaces.resize(count);
}

char to_character(Side side) {
  switch (side) {
    case Side::minus:
      return '-';
    case Side::plus:
      return '+';
    case Side::sliding:
      break;
  }
  return '0';
}

}  // namespace slideway
