#include "slideway/detail/core/compressed_columns.hpp"

namespace slideway {

CompressedColumns::CompressedColumns(const Pattern& pattern) {
  const Colouring colouring = colour_columns(pattern);
  // Counting sort by colour, of the columns and of the entries.
  column_start_.assign(at(colouring.colours + 1), 0);
  entry_start_ = column_start_;
  for (const Index colour : colouring.colour) ++column_start_[at(colour + 1)];
  for (const Index column : pattern.column) ++entry_start_[at(colouring.colour[at(column)] + 1)];
  for (Index c = 0; c < colouring.colours; ++c) {
    column_start_[at(c + 1)] += column_start_[at(c)];
    entry_start_[at(c + 1)] += entry_start_[at(c)];
  }
  columns_.resize(colouring.colour.size());
  entries_.resize(pattern.column.size());
  std::vector<Index> next = column_start_;
  for (Index j = 0; j < pattern.columns; ++j) columns_[at(next[at(colouring.colour[at(j)])]++)] = j;
  next = entry_start_;
  for (Index i = 0; i < pattern.rows; ++i) {
    for (Index k = pattern.start[at(i)]; k < pattern.start[at(i + 1)]; ++k) {
      const Index j = pattern.column[at(k)];
      entries_[at(next[at(colouring.colour[at(j)])]++)] = {k, i, j};
    }
  }
}

}  // namespace slideway
