// The discrete part of the state: for every switching surface the side the solution is on, or that it slides.
//
// The logical side is stored here and never derived again from the sign of h.
// It must not know systems, integrators or time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "slideway/core/types.hpp"

namespace slideway {

enum class Side : signed char { minus = -1, sliding = 0, plus = 1 };

class Mode {
 public:
  Mode() = default;
  explicit Mode(Index surfaces, Side side = Side::plus);
  // Mode() takes a word such as "+0-"; it throws std::invalid_argument for any other character.
  explicit Mode(const std::string& word);

  Index size() const { return static_cast<Index>(sides_.size()); }
  // One Side each, as a char.
  const char* codes() const { return sides_.data(); }
  Side operator[](Index surface) const { return side_of(sides_[static_cast<std::size_t>(surface)]); }
  void set(Index surface, Side side) { sides_[static_cast<std::size_t>(surface)] = code_of(side); }
  bool slides_on(Index surface) const { return (*this)[surface] == Side::sliding; }
  // The number of surfaces the solution slides along at once.
  Index codimension() const;
  // The word of `-`, `0` and `+`, one character per surface.
  std::string word() const;
  // λ = ±1 per surface; sliding entries keep what `lambda` holds.
  void fill_lambda(VectorRef lambda) const;
  // The same, sliding entries being those of `sliding`, which has one per surface too.
  void fill_lambda(ConstVectorRef sliding, Vector& lambda) const;
  // The surfaces that the solution slides along, in order.
  void list_sliding(std::vector<Index>& surfaces) const;
  // The same, where the list holds those of `before`: faster, since few differ.
  void update_sliding(const Mode& before, std::vector<Index>& surfaces) const;
  // For words that list contacts after surfaces: first() is the mode of the first `count` surfaces, and sliding_from() lists
  // the entries from `start` on that slide, counted from there; these are the closed contacts. 0 ≤ count, start ≤ size().
  Mode first(Index count) const;
  std::vector<Index> sliding_from(Index start) const;
  // visit(i) for every surface on which this mode of as many is another one, in order.
  template <class Visit>
  void for_differences(const Mode& other, const Visit& visit) const {
    const std::size_t size = sides_.size();
    const char* const own = sides_.data();
    const char* const others = other.sides_.data();
    // Few differ: by words those that are all the same are passed over.
    std::uint64_t word = 0;
    std::uint64_t other_word = 0;
    for (std::size_t first = 0; first < size; first += sizeof word) {
      const std::size_t count = std::min(sizeof word, size - first);
      if (count == sizeof word) {
        std::memcpy(&word, own + first, sizeof word);
        std::memcpy(&other_word, others + first, sizeof word);
        if (word == other_word) continue;
      }
      for (std::size_t i = first; i < first + count; ++i) {
        if (own[i] != others[i]) visit(static_cast<Index>(i));
      }
    }
  }

  bool operator==(const Mode&) const = default;

 private:
  static Side side_of(char code) { return static_cast<Side>(static_cast<signed char>(code)); }
  static char code_of(Side side) { return static_cast<char>(side); }

  // One Side each. A string keeps the modes of few surfaces in itself, so that their copies allocate nothing.
  std::string sides_;
};

char to_character(Side side);

// is_readable() tells whether a message can spell the mode out.
bool is_readable(const Mode& mode);

// in_mode_text() returns text for messages: ` in mode "0+-"`, ` while 12 of 5000 surfaces slide` for a mode too
// long to be read, and nothing for an empty mode.
std::string in_mode_text(const Mode& mode);

}  // namespace slideway
