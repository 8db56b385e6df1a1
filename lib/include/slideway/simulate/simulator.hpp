// Follows a System, or an Automaton of several, through its discontinuities:
//     classify → freeze the mode → step → locate → resolve → append.
// The problem is immutable, the run is private to `run`, the result is returned.
// It must not know file formats.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "slideway/filippov/relay_structure.hpp"
#include "slideway/model/automaton.hpp"
#include "slideway/simulate/options.hpp"
#include "slideway/simulate/solution.hpp"

namespace slideway {

// Where a run begins and ends.
struct Run {
  double start = 0;
  double end = 0;             // ≥ start
  Vector state = {};          // n entries, finite; no gap of a contact may be negative
  std::string location = {};  // "" for the initial one
  // The mode to begin in, one of the continuations of an ambiguous event at this point; found where it is not given.
  std::optional<Mode> mode = {};
};

class Simulator {
 public:
  // A System is an automaton of one location. Throws std::invalid_argument when an option makes no sense for it.
  explicit Simulator(Automaton automaton, Options options = {});
  explicit Simulator(System system, Options options = {});

  // Throws std::invalid_argument for a start that does not fit the system; otherwise never throws: whatever
  // goes wrong on the way is in Solution::outcome, with everything up to there.
  Solution run(const Run& run) const;

  const Automaton& automaton() const { return automaton_; }
  // That of the initial location.
  const System& system() const { return automaton_.system(); }
  const Options& options() const { return options_; }

 private:
  Automaton automaton_;
  std::vector<std::shared_ptr<const RelayStructure>> structures_;  // per location
  Options options_;
};

}  // namespace slideway
