// Loops over the sides of all surfaces, several at a time (wide_loops.hpp): what most events leave as it is takes no longer to write
// than to read.
//
// It must not know what the numbers are for.
#pragma once

#include <cstring>

#include "core/wide_loops.hpp"
#include "slideway/filippov/mode.hpp"

namespace slideway {

using FourCodes [[gnu::vector_size(4)]] = signed char;
using FourNumbers [[gnu::vector_size(32)]] = double;

// Loops over at most kFewSides surfaces take one number at a time, for the reason of kFewEntries (wide_loops.hpp).
constexpr Index kFewSides = 32;

inline double number_of(char code) { return static_cast<double>(static_cast<signed char>(code)); }
inline double number_of(Side side) { return static_cast<double>(static_cast<signed char>(side)); }

// out = function(λ, number) of every surface; λ is 0 where it slides, and `out` may be `numbers`. The function changes its number, and
// takes numbers and FourNumbers alike.
template <class Function>
struct ForSides {
  Function function;
  [[gnu::always_inline]] void operator()(Index surfaces, const char* codes, const double* numbers,
                                         double* out) const {
    Index i = 0;
    for (; surfaces > kFewSides && i + 4 <= surfaces; i += 4) {
      FourCodes four;
      FourNumbers own;
      std::memcpy(&four, codes + i, sizeof four);
      std::memcpy(&own, numbers + i, sizeof own);
      function(__builtin_convertvector(four, FourNumbers), own);
      std::memcpy(out + i, &own, sizeof own);
    }
    for (; i < surfaces; ++i) {
      double own = numbers[i];
      function(number_of(codes[i]), own);
      out[i] = own;
    }
  }
};

// function(λ, number, first, second), first and second being the slots 2i and 2i + 1 of surface i.
template <class Function>
struct ForSlotsOfSides {
  Function function;
  [[gnu::always_inline]] void operator()(Index surfaces, const char* codes, const double* numbers,
                                         double* slots) const {
    Index i = 0;
    for (; surfaces > kFewSides && i + 4 <= surfaces; i += 4) {
      FourCodes four;
      FourNumbers own, first, second;
      std::memcpy(&four, codes + i, sizeof four);
      std::memcpy(&own, numbers + i, sizeof own);
      function(__builtin_convertvector(four, FourNumbers), own, first, second);
      const FourNumbers low = __builtin_shufflevector(first, second, 0, 4, 1, 5);
      const FourNumbers high = __builtin_shufflevector(first, second, 2, 6, 3, 7);
      std::memcpy(slots + 2 * i, &low, sizeof low);
      std::memcpy(slots + 2 * i + 4, &high, sizeof high);
    }
    for (; i < surfaces; ++i) function(number_of(codes[i]), numbers[i], slots[2 * i], slots[2 * i + 1]);
  }
};

// run_over_sides() does what run_loop() does, for every surface of the mode.
template <class Loop, class... Arguments>
void run_over_sides(const Loop& loop, const Mode& mode, Arguments... arguments) {
  if (has_wide_instructions && mode.size() > kFewSides) {
    run_loop_wide(loop, mode.size(), mode.codes(), arguments...);
  } else {
    loop(mode.size(), mode.codes(), arguments...);
  }
}

}  // namespace slideway
