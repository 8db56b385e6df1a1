// A language model that fails, made as small as it can be while it still fails: lines dropped, terms replaced by their parts.
//
// It must not know why a model fails.
#pragma once

#include <functional>

#include "validation/language/language_model.hpp"

namespace slideway::validation::language {

struct SmallerLimits {
  int questions = 400;  // `fails` is asked at most this many times
  double seconds =
      60;  // of processor time of the thread; the question that is being asked then is the last one
};

LanguageModel smaller(const LanguageModel& model, const std::function<bool(const LanguageModel&)>& fails,
                      const SmallerLimits& limits);

}  // namespace slideway::validation::language
