// Members that the files of ContactDynamics share: they are so small that a call would cost more than what they do.
//
// It must not know what they are used for.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/at.hpp"
#include "core/constants.hpp"
#include "core/joined.hpp"
#include "filippov/contact_dynamics.hpp"

namespace slideway {

// Groups of more contacts than this are solved for by sparse factors.
constexpr std::size_t kManyContacts = 64;

// is_unknown() tells whether a projection may move the state: discrete states, the last, are constants of it, and have no tolerances.
inline bool is_unknown(const Evaluator& evaluator, Index state) {
  return state < evaluator.system().states() - evaluator.system().discrete();
}

// Pairs (state, row), by states.
using Seen = std::vector<std::pair<Index, Index>>;

inline double ContactDynamics::Sparse::dot(ConstVectorRef x) const {
  double sum = 0;
  for (std::size_t k = 0; k < states.size(); ++k) sum += values[k] * x[states[k]];
  return sum;
}

inline void ContactDynamics::Sparse::add_to(VectorRef x, double factor) const {
  for (std::size_t k = 0; k < states.size(); ++k) x[states[k]] += factor * values[k];
}

inline double ContactDynamics::effect(Index i, Index j) const {
  const auto first = at_hand_.coupling.column.begin() + at_hand_.coupling.start[at(i)];
  const auto last = at_hand_.coupling.column.begin() + at_hand_.coupling.start[at(i + 1)];
  const auto found = std::lower_bound(first, last, j);
  return found != last && *found == j ? at_hand_.effects[found - at_hand_.coupling.column.begin()] : 0.0;
}

}  // namespace slideway
