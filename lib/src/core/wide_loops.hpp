// Loops over the entries of vectors with the widest vector instructions of the processor at hand, of those that leave every
// result as it is: no fused products, and no other order of sums.
//     struct Doubling {
//       [[gnu::always_inline]] void operator()(Index size, double* x) const { … }
//     };
//     run_loop(Doubling(), size, x);
//
// It must not know what the numbers mean.
#pragma once

#include "slideway/core/types.hpp"

namespace slideway {

// run_loop() takes vectors of at most kFewEntries one entry at a time. Their entries were usually written just
// before, one by one, and a wide load would wait until all these stores are done.
constexpr Index kFewEntries = 8;

#if defined(__x86_64__) && defined(__GNUC__)

inline const bool has_wide_instructions = __builtin_cpu_supports("avx2") != 0;

template <class Loop, class... Arguments>
[[gnu::target("avx2"), gnu::noinline]] auto run_loop_wide(const Loop& loop, Index size,
                                                          Arguments... arguments) {
  return loop(size, arguments...);
}

#else

constexpr bool has_wide_instructions = false;

template <class Loop, class... Arguments>
auto run_loop_wide(const Loop& loop, Index size, Arguments... arguments) {
  return loop(size, arguments...);
}

#endif

template <class Loop, class... Arguments>
auto run_loop(const Loop& loop, Index size, Arguments... arguments) {
  if (has_wide_instructions && size > kFewEntries) return run_loop_wide(loop, size, arguments...);
  return loop(size, arguments...);
}

}  // namespace slideway
