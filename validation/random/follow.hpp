// A random model followed by slideway, through its own reader of model files.
//
// It must not know the oracle.
#pragma once

#include <string>
#include <vector>

#include "slideway/simulate/options.hpp"
#include "validation/random/motion.hpp"
#include "validation/random/random_model.hpp"

namespace slideway::validation::random {

struct Setting {
  Method method = Method::automatic;
  double rtol = 1e-6;
};

struct Followed {
  Motion motion = {};
  bool timed_out = false;
  std::string message = {};        // of a run that did not come to its end, or of a file that was refused
  std::string contradiction = {};  // the first that the audit found; empty where it passed
};

// Samples are states at these times, from the dense output. A run that takes longer than `seconds` of processor time is broken off.
Followed follow(const RandomModel& model, const Setting& setting, const std::vector<long double>& samples,
                double seconds);

}  // namespace slideway::validation::random
