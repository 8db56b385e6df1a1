// The same model written in another way: it has the same motion, in other units, names or orders.
//
// It must not know how a model is followed.
#pragma once

#include <string>
#include <vector>

#include "validation/random/motion.hpp"
#include "validation/random/random_model.hpp"

namespace slideway::validation::random {

struct Rewriting {
  std::string name = {};
  RandomModel model = {};
  // How its motion is that of the first model.
  double time_factor = 1;  // its t = factor·t + shift
  double time_shift = 0;
  double state_factor = 1;
  bool reverses = false;    // the order of states and surfaces
  bool negates = false;     // the sides of surfaces
  bool keeps_words = true;  // false: only the times of events can be compared
};

// The rewritings that make sense for the model, which begins in a mode of this word.
std::vector<Rewriting> rewritings_of(const RandomModel& model, const std::string& initial_word);

// Times and states as those of the first model.
Motion restored(Motion motion, const Rewriting& rewriting, const RandomModel& model);
std::vector<long double> sample_times(const std::vector<long double>& times, const Rewriting& rewriting);

}  // namespace slideway::validation::random
