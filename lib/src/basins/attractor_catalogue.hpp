// The ends of all starts so far, each once: attractors that are the same are one, and neighbouring points where a solution may rest are
// one set.
//
// It must not know the cells of the plane.
#pragma once

#include <string>
#include <vector>

#include "basins/basin_problem.hpp"
#include "basins/follow_start.hpp"
#include "basins/known_ends.hpp"

namespace slideway {

class AttractorCatalogue {
 public:
  explicit AttractorCatalogue(const BasinProblem& problem) : problem_(problem) {}

  // The number of the end that an attractor is; a new one where it is none of those known. Simulations are made for that.
  int end_of(const FoundAttractor& found);
  // The number of the end of this name, which is no attractor.
  int end_named(const std::string& name, const std::string& message);

  KnownEnds known() const;
  const std::vector<BasinAttractor>& attractors() const { return attractors_; }
  // Without the numbers of cells and samples.
  const std::vector<BasinEnd>& ends() const { return ends_; }

 private:
  int end_of_attractor(std::size_t attractor) const;
  bool is_same(const BasinAttractor& known, const FoundAttractor& found) const;
  bool joins(BasinAttractor& known, const FoundAttractor& found, const Simulator& simulator) const;

  const BasinProblem& problem_;
  std::vector<BasinAttractor> attractors_ = {};
  std::vector<BasinEnd> ends_ = {};
};

}  // namespace slideway
