// Surfaces whose guards differ by a constant, h_j = s·h_i + c with s = ±1, as those at the knots of a table are: they never meet, so
// that some of their modes hold nowhere.
//
// It must not know equilibria.
#pragma once

#include <vector>

#include "slideway/core/types.hpp"
#include "slideway/filippov/mode.hpp"
#include "slideway/model/system.hpp"

namespace slideway {

class ParallelSurfaces {
 public:
  // Guards are compared at the probes, states of the problem.
  ParallelSurfaces(const System& system, double t, const std::vector<Vector>& probes);

  // allow() tells whether the closure of the region of the mode is not empty, as far as surface i and those
  // before it tell.
  bool allow(const Mode& mode, Index i) const;

 private:
  struct Pair {
    Index i = 0, j = 0;  // i < j
    double sign = 1;
    double constant = 0;
  };
  std::vector<std::vector<Pair>> pairs_;  // by j
};

}  // namespace slideway
