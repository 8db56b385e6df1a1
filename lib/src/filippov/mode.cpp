#include "slideway/filippov/mode.hpp"

#include <algorithm>
#include <utility>

#include "filippov/side_loops.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

namespace {

struct FillLambda {
  template <class Numbers>
  [[gnu::always_inline]] void operator()(const Numbers& side, Numbers& lambda) const {
    lambda = side != 0 ? side : lambda;
  }
};

}  // namespace

Mode::Mode(Index surfaces, Side side) : sides_(static_cast<std::size_t>(surfaces), code_of(side)) {}

Mode::Mode(const std::string& word) {
  sides_.reserve(word.size());
  for (const char character : word) {
    switch (character) {
      case '-': sides_ += code_of(Side::minus); break;
      case '0': sides_ += code_of(Side::sliding); break;
      case '+': sides_ += code_of(Side::plus); break;
      default:
        refuse({.what = "a mode word has a character it cannot have",
                .where = "Mode(\"" + word + "\")",
                .expected = "'-', '0' or '+' for every surface",
                .got = std::string("'") + character + "'"});
    }
  }
}

Index Mode::codimension() const {
  // Counts that fit into a byte let many be compared at a time.
  constexpr std::size_t most = 255;
  const char* const codes = sides_.data();
  const std::size_t size = sides_.size();
  Index count = 0;
  for (std::size_t first = 0; first < size; first += most) {
    const std::size_t end = std::min(size, first + most);
    unsigned char part = 0;
    for (std::size_t i = first; i < end; ++i)
      part = static_cast<unsigned char>(part + (codes[i] == code_of(Side::sliding) ? 1 : 0));
    count += part;
  }
  return count;
}

std::string Mode::word() const {
  std::string text;
  text.reserve(sides_.size());
  for (const char code : sides_) text += to_character(side_of(code));
  return text;
}

void Mode::fill_lambda(VectorRef lambda) const {
  run_over_sides(ForSides<FillLambda>(), *this, std::as_const(lambda).data(), lambda.data());
}

void Mode::fill_lambda(ConstVectorRef sliding, Vector& lambda) const {
  lambda.resize(size());
  run_over_sides(ForSides<FillLambda>(), *this, sliding.data(), lambda.data());
}

Mode Mode::first(Index count) const {
  Mode part;
  part.sides_ = sides_.substr(0, static_cast<std::size_t>(count));
  return part;
}

std::vector<Index> Mode::sliding_from(Index start) const {
  std::vector<Index> entries;
  for (Index i = start; i < size(); ++i) {
    if (slides_on(i)) entries.push_back(i - start);
  }
  return entries;
}

void Mode::list_sliding(std::vector<Index>& surfaces) const {
  // Every surface is written, and only those that slide move the place on: there is no branch to guess.
  const auto sliding = static_cast<std::size_t>(codimension());
  surfaces.resize(sliding + 1);
  Index* const list = surfaces.data();
  const char* const codes = sides_.data();
  const std::size_t size = sides_.size();
  std::size_t count = 0;
  for (std::size_t i = 0; i < size; ++i) {
    list[count] = static_cast<Index>(i);
    count += codes[i] == code_of(Side::sliding) ? 1 : 0;
  }
  surfaces.resize(sliding);
}

void Mode::update_sliding(const Mode& before, std::vector<Index>& surfaces) const {
  if (before.size() != size()) {
    list_sliding(surfaces);
    return;
  }
  for_differences(before, [&](Index i) {
    const auto place = std::lower_bound(surfaces.begin(), surfaces.end(), i);
    if (slides_on(i)) {
      surfaces.insert(place, i);
    } else if (before.slides_on(i)) {
      surfaces.erase(place);
    }
  });
}

char to_character(Side side) {
  switch (side) {
    case Side::minus: return '-';
    case Side::plus: return '+';
    case Side::sliding: break;
  }
  return '0';
}

bool is_readable(const Mode& mode) { return mode.size() <= 40; }

std::string in_mode_text(const Mode& mode) {
  if (mode.size() == 0) return "";
  if (is_readable(mode)) return " in mode \"" + mode.word() + "\"";
  return " while " + std::to_string(mode.codimension()) + " of " + std::to_string(mode.size()) +
         " surfaces slide";
}

}  // namespace slideway
