// The entries of a sparse matrix that can differ from zero, by rows; and the colouring of its columns that lets a
// few directional derivatives carry all entries (Curtis, Powell & Reid 1974).
//
// It must not know any problem or integrator.
#pragma once

#include <vector>

#include "slideway/core/types.hpp"

namespace slideway {

// Compressed rows: the columns of row i are column[start[i]] … column[start[i + 1] − 1], increasing.
struct Pattern {
  Index rows = 0;
  Index columns = 0;
  std::vector<Index> start = {0};
  std::vector<Index> column = {};

  Index entries() const { return static_cast<Index>(column.size()); }
  bool has(Index row, Index col) const;
};

// rows[i] lists the columns of row i, 0-based, in any order; repeated columns are dropped.
Pattern pattern_from_rows(Index columns, std::vector<std::vector<Index>> rows);
// The columns of these rows together, increasing.
std::vector<Index> columns_of(const Pattern& pattern, const std::vector<Index>& rows);
Pattern full_pattern(Index rows, Index columns);
// The pattern of the product of two matrices with these patterns.
Pattern product(const Pattern& left, const Pattern& right);
Pattern transposed(const Pattern& pattern);

// A colour (0, 1, …) for every column such that no row meets a colour twice.
struct Colouring {
  Index colours = 0;
  std::vector<Index> colour = {};
};
Colouring colour_columns(const Pattern& pattern);

}  // namespace slideway
