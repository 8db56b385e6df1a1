// A random model as plain data: what the oracle solves and what is printed as a model file.
//
// It must not know how it is solved.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "validation/random/formula.hpp"

namespace slideway::validation::random {

// Assignments to some of the states: index and value.
using Assignments = std::vector<std::pair<int, Formula>>;

struct StateEntry {
  std::string name = {};
  double initial = 0;
  double scale = 1;  // its natural size: atol is scale·rtol/100
};

struct SurfaceEntry {
  std::string name = {};
  Formula guard = {};
  double break_away = 1;          // at rest it holds up to |λ| = break_away
  int break_away_parameter = -1;  // the parameter that is written for it; -1: the number
};

struct ContactEntry {
  std::string name = {};
  Formula gap = {};
  Formula rate = {};  // its derivative in time
  std::vector<std::pair<int, double>> acts_on = {};
  double restitution = 0;
  int restitution_parameter = -1;  // as above
};

// A reset, or an edge where there are locations.
struct ResetEntry {
  std::string name = {};
  Formula guard = {};
  int direction = 1;  // +1 rising, -1 falling
  Assignments set = {};
  int from = 0;
  int to = 0;
  int zeno = -1;  // the location after infinitely many; -1: the run stops
};

struct LocationEntry {
  std::string name = {};
  Assignments derivatives = {};  // those that differ there
};

struct RandomModel {
  std::string name = {};
  std::vector<std::pair<std::string, double>> parameters = {};  // numbers that have a name
  std::vector<StateEntry> states = {};
  std::vector<std::pair<std::string, Formula>> definitions = {};
  std::vector<SurfaceEntry> surfaces = {};
  std::vector<Formula> derivatives = {};
  std::vector<ContactEntry> contacts = {};
  std::vector<ResetEntry> resets = {};
  std::vector<LocationEntry> locations = {};  // empty: there are none, and `resets` are plain
  int initial_location = 0;
  double start = 0;
  double end = 1;
  bool stiff = false;          // for implicit methods and `auto` only
  bool writes_guards = false;  // surfaces have no names: their guards are written where they are used

  // The oracle solves this model in place of it, whose states in terms of those are `in_solved`; null: the model itself.
  std::shared_ptr<const RandomModel> solved = {};
  std::vector<Formula> in_solved = {};

  // The derivative of a state in a location.
  const Formula& derivative(int state, int location) const;
};

// The model as a file.
std::string file_text(const RandomModel& model);

// Every formula of the model changed: derivatives, guards, gaps, assignments and definitions.
RandomModel with_formulas(const RandomModel& model, const std::function<Formula(const Formula&)>& change);

// The number of nodes of all formulas: what the minimiser wants to be small.
std::size_t size_of(const RandomModel& model);

}  // namespace slideway::validation::random
