// The ends that are known at one stage of the work, and how a start is seen to come to one of them.
//
// It never changes while a stage is made, so that no end depends on who follows which start first.
// It must not know runs.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "basins/state_grid.hpp"
#include "slideway/basins/basins.hpp"

namespace slideway {

struct KnownAttractor {
  int end = 0;  // its number among the ends
  AttractorKind kind = AttractorKind::unresolved;
  bool stable = true;
  Index rounds = 0;
  std::string location = {};
  std::vector<Vector> points = {};
};

class KnownEnds {
 public:
  KnownEnds() = default;
  KnownEnds(const StateGrid& grid, std::vector<std::string> names, std::vector<KnownAttractor> attractors);

  const std::vector<std::string>& names() const { return names_; }
  const std::vector<KnownAttractor>& attractors() const { return attractors_; }
  // The place in attractors() of the only one that is in the cell of x or beside it; −1: none, or several.
  int near(ConstVectorRef x, const std::string& location) const;
  // The distance to the nearest point of an attractor, in cells.
  double distance(int attractor, ConstVectorRef x) const;

 private:
  static constexpr int kSeveral = -2;
  const StateGrid* grid_ = nullptr;
  std::vector<std::string> names_ = {};
  std::vector<KnownAttractor> attractors_ = {};
  std::unordered_map<CellKey, int> cells_ = {};
};

// CoarseColours has the ends of coarser cells, whose numbers across and up are multiples of `stride`. A place is deep inside of a
// region where all of them around it end alike.
class CoarseColours {
 public:
  CoarseColours() = default;
  // `colours` has those of the coarse cells, row by row; −1 is not known.
  CoarseColours(Index across, Index up, Index stride, const std::vector<int>& colours);

  // The end that all coarse cells have within some of their distances of a place in cells; −1 where they differ, or not all are known.
  int inside(double across, double up) const;

 private:
  Index across_ = 0, up_ = 0;  // of coarse cells
  Index stride_ = 0;
  std::vector<int> inside_ = {};  // of the squares between four coarse cells
};

}  // namespace slideway
