// Models that a campaign draws and judges by their numbers.
//
// It must not know how models are drawn, nor how they are judged.
#pragma once

#include <string>
#include <vector>

#include "validation/random/judgement.hpp"

namespace slideway::validation::random {

class Population {
 public:
  Population() = default;
  Population(const Population&) = delete;
  Population& operator=(const Population&) = delete;
  virtual ~Population() = default;

  virtual std::string name() const = 0;
  // The trials of the model with this number; may be called in several threads at once.
  virtual std::vector<Trial> trials(int number) const = 0;
  // The model of the number as a file, with what is wrong in its first line; made small while the trial fails likewise, or as it was drawn.
  virtual std::string failing_file(int number, const Trial& first, bool is_made_small) const = 0;
};

}  // namespace slideway::validation::random
