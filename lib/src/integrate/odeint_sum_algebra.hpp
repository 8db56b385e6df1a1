// Odeint's weighted sums of vectors, for its steppers to call: an algebra in its words.
//
// It must not know a formula.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <tuple>
#include <utility>

#include "core/wide_loops.hpp"
#include "slideway/core/types.hpp"
#include "slideway/detail/core/number_form.hpp"

namespace slideway {

// SumAlgebra adds up vectors of kStates entries, or of any number of entries where kStates is negative. The vectors must
// not overlap. It notes whether the last sum is finite, so that the caller need not test the state again.
template <int kStates>
class SumAlgebra {
 public:
  bool is_finite() const { return is_finite_; }

  // The names are Odeint's. Each takes what it sets, what it reads, and the sum of an entry.
  template <class... Arguments>
  void for_each3(Arguments&&... arguments) {
    add_up(std::tie(arguments...));
  }
  template <class... Arguments>
  void for_each4(Arguments&&... arguments) {
    add_up(std::tie(arguments...));
  }
  template <class... Arguments>
  void for_each5(Arguments&&... arguments) {
    add_up(std::tie(arguments...));
  }
  template <class... Arguments>
  void for_each6(Arguments&&... arguments) {
    add_up(std::tie(arguments...));
  }
  template <class... Arguments>
  void for_each7(Arguments&&... arguments) {
    add_up(std::tie(arguments...));
  }
  template <class... Arguments>
  void for_each8(Arguments&&... arguments) {
    add_up(std::tie(arguments...));
  }
  // A state within a step, which nobody asks whether it is finite.
  template <class... Arguments>
  void for_each8(Arguments&&... arguments) const {
    add(std::tie(arguments...), Reads<sizeof...(Arguments)>());
  }
  template <class... Arguments>
  void for_each9(Arguments&&... arguments) {
    add_up(std::tie(arguments...));
  }
  template <class... Arguments>
  void for_each10(Arguments&&... arguments) {
    add_up(std::tie(arguments...));
  }
  template <class... Arguments>
  void for_each11(Arguments&&... arguments) {
    add_up(std::tie(arguments...));
  }
  template <class... Arguments>
  void for_each12(Arguments&&... arguments) {
    add_up(std::tie(arguments...));
  }
  template <class... Arguments>
  void for_each13(Arguments&&... arguments) {
    add_up(std::tie(arguments...));
  }
  template <class... Arguments>
  void for_each14(Arguments&&... arguments) {
    add_up(std::tie(arguments...));
  }

 private:
  // These are the arguments between the first, which is set, and the last, which is the sum.
  template <std::size_t kArguments>
  using Reads = std::make_index_sequence<kArguments - 2>;

  template <class... Arguments>
  [[gnu::always_inline]] void add_up(std::tuple<Arguments...> arguments) {
    is_finite_ = add(arguments, Reads<sizeof...(Arguments)>());
  }
  template <class... Arguments, std::size_t... kRead>
  [[gnu::always_inline]] static bool add(const std::tuple<Arguments...>& arguments,
                                         std::index_sequence<kRead...>) {
    Vector& out = std::get<0>(arguments);
    return run(std::get<sizeof...(Arguments) - 1>(arguments), out.size(), out.data(),
               std::as_const(std::get<kRead + 1>(arguments)).data()...);
  }

  template <class Sum, class... Numbers>
  [[gnu::always_inline]] static bool run(const Sum& sum, Index size, double* __restrict out,
                                         const Numbers* __restrict... in) {
    if constexpr (kStates != Eigen::Dynamic) size = kStates;
    if (size > kFewEntries) return run_loop(Run<Sum>{sum}, size, out, in...);
    for (Index i = 0; i < size; ++i) {
      sum(out[i], in[i]...);
      if (!(std::abs(out[i]) <= std::numeric_limits<double>::max())) return false;
    }
    return true;
  }
  // All bits of the exponent are set in a number that is not finite, and one more carries into the sign. Whole
  // numbers allow several tests at a time.
  template <class Sum>
  struct Run {
    Sum sum;
    template <class... Numbers>
    [[gnu::always_inline]] bool operator()(Index size, double* __restrict out,
                                           const Numbers* __restrict... in) const {
      constexpr std::uint64_t magnitude = 0x7fff'ffff'ffff'ffff;
      constexpr std::uint64_t one_more = 0x0010'0000'0000'0000;
      std::uint64_t carries = 0;
      for (Index i = 0; i < size; ++i) {
        sum(out[i], in[i]...);
        carries |= (bits_of(out[i]) & magnitude) + one_more;
      }
      return carries <= magnitude;
    }
  };

  bool is_finite_ = true;
};

}  // namespace slideway
