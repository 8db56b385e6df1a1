// DiagramProblem holds the model and the plane of two parameters, with the map of each cell.
//
// It must not know what cells come to, nor curves.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "basins/attractor_map.hpp"
#include "slideway/diagram/diagram.hpp"

namespace slideway {

class DiagramProblem {
 public:
  // Throws std::invalid_argument for a plane, a step or options that make no sense.
  DiagramProblem(const Model& model, const DiagramDesign& design, const DiagramOptions& options);

  const DiagramDesign& design() const { return design_; }
  const DiagramOptions& options() const { return options_; }
  const std::vector<std::string>& states() const { return states_; }
  bool is_autonomous() const { return is_autonomous_; }
  Index discrete() const { return discrete_; }
  const StateGrid& grid() const { return grid_; }
  Index cells() const { return design_.across.cells * design_.up.cells; }

  ModelInstance instance_at(double across, double up) const;
  // T at these parameters.
  double step_of(const ModelInstance& instance) const;
  std::unique_ptr<AttractorMap> map_of(const ModelInstance& instance) const;

 private:
  void check_plane(const ModelInstance& instance) const;
  void find_ranges(const ModelInstance& middle);

  const Model& model_;
  DiagramDesign design_;
  const DiagramOptions& options_;
  std::vector<std::string> states_ = {};
  bool is_autonomous_ = false;
  Index discrete_ = 0;
  double step_ = 0;  // where nothing depends on t and the caller gives none
  StateGrid grid_ = {};
  Vector low_ = {}, high_ = {};
};

}  // namespace slideway
