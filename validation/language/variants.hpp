// The same model written in another way, as other people would write it: it has the same motion, in other units, names or orders.
//
// It must not know how a model is followed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "validation/language/language_model.hpp"

namespace slideway::validation::language {

struct Variant {
  std::string name = {};
  LanguageModel model = {};
  // How its motion is that of the first model: its t = factor·t + shift, its states = state_factor·states.
  double time_factor = 1;
  double time_shift = 0;
  double state_factor = 1;
  bool is_split = false;  // followed in two runs, one behind the other
};

// All variants that make sense for the model; those that leave its text as it is are left out.
std::vector<Variant> variants_of(const LanguageModel& model);

// The derivatives of all states with size·sizeₖ·cos(ω(t − start) + φ) more: a neighbour of the model. Positions keep their derivative, and
// their velocities are shaken by the larger of both sizes. `sizes` holds the sizes of states by name; that of a vector is its largest.
LanguageModel shaken(const LanguageModel& model, const std::map<std::string, double>& sizes, double size,
                     double frequency, double phase);

}  // namespace slideway::validation::language
