// DiagramCell follows solutions at the parameters of one cell to attractors, from those of a neighbour.
//
// It must not know other cells.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "basins/attractor_catalogue.hpp"
#include "diagram/diagram_problem.hpp"

namespace slideway {

// A CellEnd is where a solution of a cell ends: an attractor with one point, or another end by its name.
struct CellEnd {
  int number = -1;         // of the end among those of the cell
  std::string other = {};  // "" for an attractor
  BasinAttractor attractor = {};
};

class DiagramCell {
 public:
  DiagramCell(const DiagramProblem& problem, Index across, Index up);

  // Follows a solution that begins beside `from`, an attractor of another cell, or without one at the initial values of the model. Nothing
  // is returned where it was cancelled.
  std::optional<CellEnd> follow(const std::optional<Iterate>& from,
                                const std::function<bool()>& is_cancelled);
  // The place at the attractor at which a neighbour goes on; empty for other ends.
  static std::optional<Iterate> place_at(const CellEnd& end);

 private:
  std::vector<Run> begins_of(const std::optional<Iterate>& from) const;
  int number_of(const StartEnd& end);
  bool is_doubtful(int number) const;
  CellEnd told(int number);

  const DiagramProblem& problem_;
  std::string refusal_ = {};  // why the model has no such parameters
  Vector initial_ = {};
  std::unique_ptr<AttractorMap> map_ = {};
  std::unique_ptr<AttractorCatalogue> catalogue_ = {};
};

// A signature that begins at the event that makes it the first in alphabetical order of its rotations; touches are left out.
std::string turned_signature(const std::string& signature);

}  // namespace slideway
