// find_map_drive() tells whether the equations of a model depend on time, and after which time they repeat themselves.
//
// It must not know what is followed.
#pragma once

#include <optional>
#include <vector>

#include "slideway/core/types.hpp"
#include "slideway/model/automaton.hpp"
#include "slideway/simulate/options.hpp"

namespace slideway {

struct MapDriveQuestion {
  const Automaton& problem;
  const Options& run;
  double start = 0;
  double length = 0;                // of the run that shows the equations, where no step is known
  std::vector<Vector> tried = {};   // states, the first of which a solution begins at is followed
  std::optional<double> step = {};  // that of the caller
  const char* where = "";           // names the step in messages
};

struct MapDrive {
  bool is_driven = false;
  double step = 0;  // that of the caller or the period of the time events; 0: neither is there
};

// Throws std::invalid_argument for equations that depend on time without a step, and for a step after which they are others.
MapDrive find_map_drive(const MapDriveQuestion& question);

// acts_at_iterates() tells whether a time event of the model acts at a time start + k·step.
bool acts_at_iterates(const Automaton& problem, double start, double step);

}  // namespace slideway
