// One run of a sweep, reduced to its row of the table. The same numbers as `slideway run` with the same settings and the
// same start, whatever else runs beside it.
//
// It must not know threads or files.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "slideway/sweep/sweep.hpp"

namespace slideway {

struct SweepTask {
  const Model& model;
  const SweepPlan& plan;
  std::vector<std::string> states = {};  // the columns of the table
  Options options = {};
  std::optional<double> end = {};
  double transient = 0;  // minima, maxima and section begin this long after the start
  std::optional<SweepSection> section = {};
  std::vector<std::string> observed = {};     // "F" or "E = 0.5*v^2"
  std::optional<double> run_time_limit = {};  // seconds on the clock that a run may take
  std::function<std::string(const std::string&)> word_message = {};
  AuditLevel audit = AuditLevel::off;

  std::string worded(const std::string& message) const {
    return word_message ? word_message(message) : message;
  }
};

// SweepStart says where a run begins that follows another one: where that ended, also in time, so that a forced
// model goes on at its phase.
struct SweepStart {
  double t = 0;
  std::vector<double> state = {};
  std::string location = {};
};

// The end of a run that succeeded, of a model with so many states.
std::optional<SweepStart> end_of(const SweepRow& row, std::size_t states);

// sweep_run() begins at the model's own start where none is given. It never throws for what happens in the run,
// which is in the row. It returns nothing when `cancelled` became true meanwhile.
std::optional<SweepRow> sweep_run(const SweepTask& task, Index run, const std::optional<SweepStart>& start,
                                  const std::atomic<bool>& cancelled);

}  // namespace slideway
