// Rows, and which of them belong together: sets that are joined pair by pair.
//
// It must not know what the rows are.
#pragma once

#include <cstddef>
#include <numeric>
#include <vector>

#include "slideway/core/types.hpp"

namespace slideway {

class Joined {
 public:
  explicit Joined(std::size_t rows) : parent_(rows) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  void join(Index i, Index j) {
    parent_[root(static_cast<std::size_t>(i))] = root(static_cast<std::size_t>(j));
  }
  // groups() returns groups of at least one row each, ordered by their first row.
  std::vector<std::vector<Index>> groups() {
    std::vector<std::vector<Index>> result;
    std::vector<Index> place(parent_.size(), -1);
    for (std::size_t i = 0; i < parent_.size(); ++i) {
      Index& group = place[root(i)];
      if (group < 0) {
        group = static_cast<Index>(result.size());
        result.emplace_back();
      }
      result[static_cast<std::size_t>(group)].push_back(static_cast<Index>(i));
    }
    return result;
  }

 private:
  std::size_t root(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  std::vector<std::size_t> parent_;
};

}  // namespace slideway
