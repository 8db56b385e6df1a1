// A sparse matrix from few directional derivatives: columns that share no row share a direction (their colour), and
// what comes out in a row belongs to the one column of that colour which the row has.
//
// It must not know whose derivative it is.
#pragma once

#include <vector>

#include "slideway/core/pattern.hpp"

namespace slideway {

class CompressedColumns {
 public:
  CompressedColumns() = default;
  explicit CompressedColumns(const Pattern& pattern);

  Index colours() const { return static_cast<Index>(column_start_.size()) - 1; }
  // The direction of a colour is 1 in these columns, 0 in all others.
  template <class Visit>
  void for_columns(Index colour, Visit&& visit) const {
    for (Index k = column_start_[at(colour)]; k < column_start_[at(colour + 1)]; ++k) visit(columns_[at(k)]);
  }
  // visit(entry, row, column) for the entries that this direction tells; `entry` counts along the rows of the pattern.
  template <class Visit>
  void for_entries(Index colour, Visit&& visit) const {
    for (Index k = entry_start_[at(colour)]; k < entry_start_[at(colour + 1)]; ++k) {
      const Entry& entry = entries_[at(k)];
      visit(entry.index, entry.row, entry.column);
    }
  }

 private:
  struct Entry {
    Index index;
    Index row;
    Index column;
  };
  static std::size_t at(Index i) { return static_cast<std::size_t>(i); }

  std::vector<Index> column_start_ = {0};
  std::vector<Index> columns_;
  std::vector<Index> entry_start_ = {0};
  std::vector<Entry> entries_;
};

}  // namespace slideway
