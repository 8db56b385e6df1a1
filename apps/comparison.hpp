// One problem, followed by Filippov's solution and by what else is done about discontinuities, measured against a reference:
// Filippov's solution with tolerances a thousand times tighter.
//
// The error of a state is relative to the largest size of that state along the reference. One Jacobian counts as as many field
// evaluations as it has colours.
// It must not know the command line or documents.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "slideway/model/model.hpp"
#include "slideway/simulate/alternatives.hpp"

namespace slideway::apps {

enum class Approach {
  filippov,
  equivalent_control,
  hysteresis,
  smoothing,
  naive_bdf,
  naive_dopri5,
  euler,
  algorithm_1
};

// "filippov", "equivalent control", …
const char* to_string(Approach approach);
// has_step() tells whether it has a ΔT, or an ε.
bool has_step(Approach approach);
bool has_epsilon(Approach approach);

struct ComparisonPlan {
  std::optional<double> epsilon =
      {};  // of hysteresis and smoothing, in the guards' unit; by default from their size
  std::optional<double> step = {};            // ΔT of Euler and Algorithm 1; by default 1/2400 of the time
  Index bisections = 20;                      // of Algorithm 1
  Index checkpoints = 100;                    // equally spaced, the end the last one
  Index levels = 4;                           // of the tables ε → 0 and ΔT → 0; 0 for none
  Index repeats = 5;                          // of the median time, unless a second has passed
  std::optional<double> target = {};          // also find the cheapest setting that has this error at the end
  std::int64_t most_evaluations = 2'000'000;  // of one run, nearly
};

// The setting of an approach: ε or ΔT, where it has one, and the tolerance.
struct Setting {
  double epsilon = 0;
  double step = 0;
  double rtol = 0;
};

struct Attempt {
  Approach approach = Approach::filippov;
  Setting setting = {};
  std::string obstacle = {};  // why it cannot be tried; the rest is empty then
  Outcome outcome = {};
  Vector final = {};                // the state where it ended
  Matrix outputs = {};              // n × (checkpoints and picture times)
  std::vector<double> errors = {};  // at the checkpoints; NaN where it did not get
  double final_error = 0;           // NaN if it did not get there
  double largest_error = 0;         // over the checkpoints; NaN if it did not get to the end
  std::int64_t evaluations = 0;     // of the field, those for Jacobians included
  Statistics statistics = {};
  double wall_median = 0;  // seconds
  Index repeats = 0;
};

// A row of the table ε → 0 or ΔT → 0.
struct Level {
  double parameter = 0;
  double largest_error = 0;
  double final_error = 0;
  std::int64_t evaluations = 0;
  std::int64_t events = 0;
  double order =
      0;  // between this and the row before; NaN in the first, and where an error says nothing of it
};

struct Convergence {
  Approach approach = Approach::hysteresis;
  std::vector<Level> levels = {};
  double order = 0;  // of a straight line through all that say something of it; NaN without two
};

// A table that was not had, or not to its last row, and why.
struct ConvergenceStop {
  Approach approach = Approach::hysteresis;
  double parameter = 0;  // ε or ΔT of the row that is missing
  Outcome outcome = {};
};

struct EqualError {
  Attempt attempt = {};
  bool reached = false;  // otherwise the best that the allowed evaluations gave
};

struct Comparison {
  double end = 0;  // where the reference ended
  Outcome reference_outcome = {};
  double reference_rtol = 0;
  Vector sizes = {};  // the largest |x| along the reference, per state
  std::vector<double> checkpoints = {};
  std::vector<double> times = {};  // of the outputs: checkpoints and times for the picture, increasing
  Matrix reference = {};           // the reference at these
  Index watched = 0;               // the surface of the picture
  double zoom_from = 0;            // the stretch of time that the picture looks at closely
  double zoom_to = 0;
  ComparisonPlan plan = {};            // with ε and ΔT
  std::vector<Attempt> attempts = {};  // the first is Filippov's
  double equivalent_control_differs =
      0;  // the largest difference to Filippov's at the checkpoints; NaN if it was not had
  std::vector<Convergence> convergence = {};
  std::vector<ConvergenceStop> convergence_stops = {};
  std::vector<EqualError> equal_error = {};
};

// Throws std::invalid_argument where there is nothing to compare: no relays, or no solution beyond the start.
Comparison compare_approaches(const ModelInstance& instance, const Options& options,
                              const ComparisonPlan& plan);

}  // namespace slideway::apps
