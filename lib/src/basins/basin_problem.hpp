// BasinProblem holds the model, the plane, the map and its grid, with which each worker follows starts of the plane.
//
// It must not know what starts come to.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "basins/state_grid.hpp"
#include "slideway/basins/basins.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway {

// A point of the map: the solution after a whole number of rounds.
struct Iterate {
  double t = 0;
  Vector state = {};
  std::string location = {};
  std::string mode = {};
};

class BasinProblem {
 public:
  // Throws std::invalid_argument for a plane, a step or options that make no sense.
  BasinProblem(const Model& model, const BasinDesign& design, const BasinOptions& options);

  const BasinDesign& design() const { return design_; }
  const BasinOptions& options() const { return options_; }
  const StateGrid& grid() const { return grid_; }
  const std::vector<std::string>& states() const { return states_; }
  Index across_state() const { return across_; }
  Index up_state() const { return up_; }
  double start() const { return start_; }
  double step() const { return step_; }
  bool is_autonomous() const { return is_autonomous_; }
  // is_plane_whole() is true where an iterate is a point of the plane: it has all the states, and nothing else is remembered.
  bool is_plane_whole() const { return is_plane_whole_; }
  Index cells() const { return design_.across.cells * design_.up.cells; }

  // The state with these values of the two states of the plane.
  Vector state_at(double across, double up) const;
  Vector state_of(Index cell) const;
  // The run that follows a start.
  Run run_from(double t, const Vector& state) const;
  // A run that goes on from an iterate, or from another state in its place; time events at its time have acted.
  Run run_on(const Iterate& from, const Vector& state) const;
  // Where the solution moves less than this between two rounds, it has come back: in cells, at this state.
  double settled(ConstVectorRef x) const;

  // A simulator of one thread, lent until it is given back. Functions of a model may keep what they computed last.
  class Lent {
   public:
    explicit Lent(const BasinProblem& problem);
    ~Lent();
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;
    const Simulator& simulator() const { return *simulator_; }

   private:
    const BasinProblem& problem_;
    std::unique_ptr<Simulator> simulator_;
  };

 private:
  std::unique_ptr<Simulator> made() const;
  void check_plane(const ModelInstance& instance);
  void find_step(const ModelInstance& instance);
  void find_grid();
  double step_by_speed(double length) const;

  const Model& model_;
  BasinDesign design_;
  const BasinOptions& options_;
  Options run_;
  std::vector<std::string> states_ = {};
  Index across_ = 0;
  Index up_ = 0;
  double start_ = 0;
  double step_ = 0;
  bool is_autonomous_ = false;
  bool is_plane_whole_ = false;
  bool is_start_direct_ = false;  // no other initial value follows those of the plane
  bool acts_at_rounds_ = false;   // a time event acts at the times of iterates
  Vector initial_ = {};
  StateGrid grid_ = {};
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Simulator>> idle_;
};

}  // namespace slideway
