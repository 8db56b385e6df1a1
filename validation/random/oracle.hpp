// The oracle: the exact solution of a random model, by Taylor series, its own location of events and its own rules.
//
// Modes are enumerated: of all the sides that the surfaces met may take, and all contacts open or closed, those are kept
// which the series that follow from them do not contradict. Exactly one must be left, else the motion is undecided.
// It shares no code with the library.
#pragma once

#include <vector>

#include "validation/random/motion.hpp"
#include "validation/random/taylor.hpp"

namespace slideway::validation::random {

struct OracleOptions {
  std::vector<long double> drift = {};    // added to the derivatives; empty: nothing
  std::vector<long double> samples = {};  // increasing times
  double seconds = 1;                     // of processor time, then it gives up
};

Motion solve(const RandomModel& model, const OracleOptions& options);

}  // namespace slideway::validation::random
