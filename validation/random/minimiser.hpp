// A model that fails, made as small as it can be while it still fails: terms, states and surfaces dropped, numbers rounded.
//
// It must not know why a model fails.
#pragma once

#include <functional>

#include "validation/random/random_model.hpp"

namespace slideway::validation::random {

struct MinimiserLimits {
  int questions = 600;  // `fails` is asked at most so many times
  double seconds =
      60;  // of processor time of the thread; the question that is being asked then is the last one
};

RandomModel minimised(const RandomModel& model, const std::function<bool(const RandomModel&)>& fails,
                      const MinimiserLimits& limits);

}  // namespace slideway::validation::random
