// A border between two neighbouring cells at which a bifurcation is looked for, and the curves that are found there.
//
// It must not know how borders are chosen.
#pragma once

#include <string>
#include <vector>

#include "diagram/diagram_problem.hpp"

namespace slideway {

struct CurveCandidate {
  bool of_equilibria = false;
  // The cells between which the attractor changes; the orbit is one of `from`.
  Index from_across = 0, from_up = 0;
  Index to_across = 0, to_up = 0;
  Vector state = {};
  std::string location = {};
  double period = 0;
  Index rounds = 0;
};

// The curves through the bifurcations between the two cells; none where no bifurcation with a curve is found.
std::vector<DiagramCurve> curves_at(const DiagramProblem& problem, const CurveCandidate& candidate);

}  // namespace slideway
