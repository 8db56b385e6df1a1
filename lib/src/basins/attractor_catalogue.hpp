// The ends of all starts so far, each once: attractors that are the same are one, and neighbouring points where a solution may rest are
// one set.
//
// It must not know the cells of the plane.
#pragma once

#include <string>
#include <vector>

#include "basins/attractor_map.hpp"
#include "basins/follow_start.hpp"
#include "basins/known_ends.hpp"
#include "slideway/basins/basins.hpp"

namespace slideway {

class AttractorCatalogue {
 public:
  explicit AttractorCatalogue(const AttractorMap& map) : map_(map) {}

  // end_of() returns the number of the end at this attractor. Where no known attractor is the same, it makes runs to find out what the attractor
  // is, and adds it.
  int end_of(const FoundAttractor& found);
  // end_named() returns the number of the end that is no attractor and has this name; it adds the end where there is none.
  int end_named(const std::string& name, const std::string& message);

  KnownEnds known() const { return known_of(false); }
  // Without attractors that are not periodic: they may have cells in common with others.
  KnownEnds known_periodic() const { return known_of(true); }
  const std::vector<BasinAttractor>& attractors() const { return attractors_; }
  // The numbers of cells and samples in these ends are 0: BasinWork counts them.
  const std::vector<BasinEnd>& ends() const { return ends_; }

 private:
  int end_of_attractor(std::size_t attractor) const;
  KnownEnds known_of(bool only_periodic) const;
  bool is_same(const BasinAttractor& known, const FoundAttractor& found) const;
  bool joins(BasinAttractor& known, const FoundAttractor& found, const Simulator& simulator) const;

  const AttractorMap& map_;
  std::vector<BasinAttractor> attractors_ = {};
  std::vector<BasinEnd> ends_ = {};
};

}  // namespace slideway
