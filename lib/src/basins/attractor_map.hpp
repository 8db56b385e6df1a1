// AttractorMap is the map x ↦ φ(T; x) of one problem, with the grid in which its iterates come back and the rules by which starts are
// followed to attractors. A simulator is lent to each thread.
//
// It must not know where starts come from, nor what they come to.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "basins/state_grid.hpp"
#include "slideway/simulate/options.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway {

// A point of the map: the solution after a whole number of rounds.
struct Iterate {
  double t = 0;
  Vector state = {};
  std::string location = {};
  std::string mode = {};
};

struct MapParts {
  std::function<Automaton()> problem = {};
  Options run = {};  // of every start, as plain_options() leaves them
  double start = 0;
  double step = 0;  // T
  bool is_autonomous = false;
  bool acts_at_rounds = false;  // a time event acts at the times of iterates
  StateGrid grid = {};
  // A start that stays outside of these limits has left, n entries each; angles have no limits.
  Vector low = {};
  Vector high = {};
  Index most_steps = 5000;
  Index recurrences =
      100;  // iterates in a row that come back to cells, for an attractor that is not periodic
  // Iterates by which the cells of such an attractor are known, beyond those that showed it.
  Index more_iterates = 10'000;
  bool find_exponents = true;
  Index exponent_rounds = 1000;  // over which the exponents of such an attractor are found
};

class AttractorMap {
 public:
  explicit AttractorMap(MapParts parts) : parts_(std::move(parts)) {}
  AttractorMap(const AttractorMap&) = delete;
  AttractorMap& operator=(const AttractorMap&) = delete;

  const MapParts& parts() const { return parts_; }
  const StateGrid& grid() const { return parts_.grid; }
  double start() const { return parts_.start; }
  double step() const { return parts_.step; }
  bool is_autonomous() const { return parts_.is_autonomous; }
  bool has_angles() const { return (parts_.grid.period().array() > 0).any(); }
  bool is_outside(ConstVectorRef x) const;

  // The run that follows a start.
  Run run_from(double t, const Vector& state) const;
  // A run that goes on from an iterate, or from another state in its place; time events at its time have acted.
  Run run_on(const Iterate& from, const Vector& state) const;
  // Where the solution moves less than this between two rounds, it has come back: in cells, at this state.
  double settled(ConstVectorRef x) const;

  // A simulator of one thread, lent until it is given back. Functions of a model may keep what they computed last.
  class Lent {
   public:
    explicit Lent(const AttractorMap& map);
    ~Lent();
    Lent(const Lent&) = delete;
    Lent& operator=(const Lent&) = delete;
    const Simulator& simulator() const { return *simulator_; }

   private:
    const AttractorMap& map_;
    std::unique_ptr<Simulator> simulator_;
  };

 protected:
  MapParts parts_;

 private:
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Simulator>> idle_;
};

}  // namespace slideway
