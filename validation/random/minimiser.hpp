// A model that fails, made as small as it can be while it still fails: terms, states and surfaces dropped, numbers rounded.
//
// It must not know why a model fails.
#pragma once

#include <functional>

#include "validation/random/random_model.hpp"

namespace slideway::validation::random {

// `fails` is asked at most so many times.
RandomModel minimised(const RandomModel& model, const std::function<bool(const RandomModel&)>& fails,
                      int most_questions);

}  // namespace slideway::validation::random
