// The part of the regime beside the mode: the location or the pair of locations, the surfaces along which the solution slides in second order,
// and since when.
//
// It must not know how it came about, nor the tools that follow the solution.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "simulate/run_tools.hpp"

namespace slideway {

struct Regime {
  std::size_t location = 0;
  const RunTools::Pair* pair = nullptr;  // while the solution slides between two locations
  std::vector<Index> second_order = {};  // the surfaces that it slides along in second order, sorted
  bool repelling = false;                // the only surface that slides repels
  double since = 0;                      // when the mode began

  bool in_pair() const { return pair != nullptr; }
  bool in_second_order() const { return !second_order.empty(); }
  bool slides_in_second_order(Index surface) const {
    return std::binary_search(second_order.begin(), second_order.end(), surface);
  }

  // visit_fields() names the fields that outlive an instant, for checkpoints. The others are its place
  // (RunState::place).
  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("repelling", repelling);
    visit("since", since);
  }
};

}  // namespace slideway
