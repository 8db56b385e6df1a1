// A language model that fails, made as small as it can be while it still fails: lines dropped, terms replaced by their parts.
//
// It must not know why a model fails.
#pragma once

#include <functional>

#include "validation/language/language_model.hpp"
#include "validation/random/minimiser.hpp"

namespace slideway::validation::language {

LanguageModel smaller(const LanguageModel& model, const std::function<bool(const LanguageModel&)>& fails,
                      const random::MinimiserLimits& limits);

}  // namespace slideway::validation::language
