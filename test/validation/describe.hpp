// The text of a failed verdict, in one string for a test's message.
#pragma once

#include <string>

#include <fmt/format.h>

#include "validation/verdict.hpp"

namespace slideway::validation {

inline std::string describe(const Case& problem, Method method, double rtol, const Verdict& verdict) {
  std::string text = fmt::format("{} with {} at rtol {:.0e}", problem.id, to_string(method), rtol);
  for (const std::string& failure : verdict.failures) text += "\n    " + failure;
  return text;
}

}  // namespace slideway::validation
