// Cells of the whole space of states, in which iterates are said to come back.
//
// It must not know runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "slideway/core/types.hpp"

namespace slideway {

// A number for each cell and location; two cells of a few million have the same one with a probability below 1e-6.
using CellKey = std::uint64_t;

class StateGrid {
 public:
  StateGrid() = default;
  // Cells of state i begin at low[i] and are width[i] > 0 wide; a state with period[i] > 0 is an angle. n entries each.
  StateGrid(Vector low, Vector width, Vector period);

  Index states() const { return low_.size(); }
  const Vector& low() const { return low_; }
  const Vector& width() const { return width_; }
  const Vector& period() const { return period_; }

  // The place of state i in cells; the middle of cell k is k.
  double place(Index i, double value) const;
  // The largest difference of a state, in cells.
  double distance(ConstVectorRef x, ConstVectorRef y) const;
  CellKey key(ConstVectorRef x, const std::string& location) const;
  // The cell and those beside it; with up to four states also those at its corners.
  std::vector<CellKey> keys_around(ConstVectorRef x, const std::string& location) const;
  // The same state with its angles within a period from low() on.
  Vector wrapped(ConstVectorRef x) const;
  // The state at a part of the way from x to y, the short way round for angles.
  Vector between(ConstVectorRef x, ConstVectorRef y, double part) const;

 private:
  double turned(Index i, double value) const;
  CellKey key_of(const std::vector<std::int64_t>& cell, const std::string& location) const;
  std::vector<std::int64_t> cell_of(ConstVectorRef x) const;

  Vector low_ = {};
  Vector width_ = {};
  Vector period_ = {};
};

}  // namespace slideway
