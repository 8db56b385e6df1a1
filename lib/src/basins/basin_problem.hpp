// BasinProblem is the map of a model with the plane of initial values, with which each worker follows starts of the plane.
//
// It must not know what starts come to.
#pragma once

#include <string>
#include <vector>

#include "basins/attractor_map.hpp"
#include "slideway/basins/basins.hpp"

namespace slideway {

class BasinProblem final : public AttractorMap {
 public:
  // Throws std::invalid_argument for a plane, a step or options that make no sense.
  BasinProblem(const Model& model, const BasinDesign& design, const BasinOptions& options);

  const BasinDesign& design() const { return design_; }
  const BasinOptions& options() const { return options_; }
  const std::vector<std::string>& states() const { return states_; }
  Index across_state() const { return across_; }
  Index up_state() const { return up_; }
  // is_plane_whole() is true where an iterate is a point of the plane: it has all the states, and nothing else is remembered.
  bool is_plane_whole() const { return is_plane_whole_; }
  Index cells() const { return design_.across.cells * design_.up.cells; }

  // The state with these values of the two states of the plane.
  Vector state_at(double across, double up) const;
  Vector state_of(Index cell) const;

 private:
  void check_plane(const ModelInstance& instance);
  void find_step(const ModelInstance& instance);
  void find_grid();
  double step_by_speed(double length) const;

  const Model& model_;
  BasinDesign design_;
  const BasinOptions& options_;
  std::vector<std::string> states_ = {};
  Index across_ = 0;
  Index up_ = 0;
  bool is_plane_whole_ = false;
  bool is_start_direct_ = false;  // no other initial value follows those of the plane
  Vector initial_ = {};
};

}  // namespace slideway
