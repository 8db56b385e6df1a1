// Runs a case and compares what came out with its exact solution.
//
// Acceptance: the event sequence (mode words and kinds) is the reference's, and no error exceeds
// allowed_error(case, rtol). Errors are absolute, in units of max(1, |reference|) for times (counted from the
// start) and of max(scale, |reference|) for states.
#pragma once

#include <string>
#include <vector>

#include "slideway/simulate/solution.hpp"
#include "validation/case.hpp"

namespace slideway::validation {

// One number expected beside got. `error` is in the units above.
struct Comparison {
  std::string quantity = {};
  double expected = 0;
  double got = 0;
  double error = 0;
};

struct Verdict {
  bool passed = false;
  double allowed = 0;       // the largest error that passes
  double final_error = 0;   // the worst of the final state
  double time_error = 0;    // the worst of the event times
  double inside_error = 0;  // the worst of event states, checkpoints and invariants
  double drift = 0;         // the larger of Statistics::largest_drift and that at dense times, dimensionless
  std::string expected_modes = {};  // "- + 0"
  std::string got_modes = {};
  std::vector<Comparison> comparisons = {};
  std::vector<std::string> failures = {};  // a line each, empty when passed
  Solution solution = {};

  double worst_error() const;
};

// 1000·rtol, or 10·condition·rtol where the problem is ill-conditioned. Below rtol 1e-11 rounding decides, and it
// gets no smaller.
double allowed_error(const Case& problem, double rtol);

// The largest drift that passes, in units of ε·(size of h).
inline constexpr double allowed_drift = 100;

Verdict judge(const Case& problem, Method method, double rtol);

// The mode words of a run in order, as Reference::modes has them.
std::vector<std::string> mode_words(const Solution& solution);

}  // namespace slideway::validation
