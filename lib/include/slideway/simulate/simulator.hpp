// Follows a System through its discontinuities:
//     classify → freeze the mode → step → locate → resolve → append.
// The problem is immutable, the run is private to `run`, the result is returned.
// It must not know file formats.
#pragma once

#include <memory>

#include "slideway/filippov/relay_structure.hpp"
#include "slideway/model/system.hpp"
#include "slideway/simulate/options.hpp"
#include "slideway/simulate/solution.hpp"

namespace slideway {

// Where a run begins and ends.
struct Run {
  double start = 0;
  double end = 0;  // ≥ start
  Vector state = {};  // n entries, finite
};

class Simulator {
 public:
  // Throws std::invalid_argument when an option makes no sense for this system.
  explicit Simulator(System system, Options options = {});

  // Throws std::invalid_argument for a start that does not fit the system; otherwise never throws: whatever
  // goes wrong on the way is in Solution::outcome, with everything up to there.
  Solution run(const Run& run) const;

  const System& system() const { return system_; }
  const Options& options() const { return options_; }

 private:
  System system_;
  std::shared_ptr<const RelayStructure> structure_;
  Options options_;
};

}  // namespace slideway
