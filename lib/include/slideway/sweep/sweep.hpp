// A model run for many values of its parameters, in threads or by MPI: the call behind `slideway sweep`.
//
//     SweepResult result = sweep(model, {.axes = {{.name = "mu", .first = 0.1, .last = 0.5, .count = 41}}}, {});
//
// A row does not depend on what runs beside it, so that tables are the same byte for byte whoever makes the runs.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "slideway/audit/audit.hpp"
#include "slideway/model/model.hpp"
#include "slideway/simulate/options.hpp"
#include "slideway/simulate/poincare_section.hpp"
#include "slideway/sweep/sweep_plan.hpp"
#include "slideway/sweep/sweep_row.hpp"
#include "slideway/sweep/sweep_statistics.hpp"
#include "slideway/sweep/sweep_workers.hpp"

namespace slideway {

// SweepSection says where a run is sampled: where it arrives at a surface from below (rising) or above, or at the
// events of a name.
struct SweepSection {
  std::string name = {};
  SectionDirection direction = SectionDirection::rising;
  Index most = 200;  // crossings kept of a run: its last ones
};

struct SweepOptions {
  Options run = {};                           // of every run; its callbacks and output times are not used
  std::optional<double> end = {};             // default: the model's own
  double transient = 0;                       // minima, maxima and section begin this long after the start
  std::optional<double> run_time_limit = {};  // seconds on the clock that a run may take
  std::optional<SweepSection> section = {};
  std::vector<std::string> observe = {};  // "F" or "E = 0.5*v^2"
  AuditLevel audit = AuditLevel::quick;   // of runs of a model file: the column `audit`

  Index jobs = 0;                             // threads of every process; 0: one per processor
  SweepWorkers* workers = nullptr;            // null: threads of this process
  const std::atomic<bool>* cancel = nullptr;  // set to true by anyone: the sweep ends with what was done

  // Files, replaced as a whole every few seconds, so that at any moment they are absent, old or valid tables. "-" is standard
  // output, "" none.
  std::string table = {};
  std::string points = {};                // of the section
  std::vector<std::string> columns = {};  // names and groups; empty: those that tell something
  bool resume = false;                    // take over what is in these files
  std::vector<std::string> merge = {};    // make no runs: put together the tables of shards
  std::string identity = {};  // decides, with model, design and options, whether tables belong to this sweep

  bool keep_rows =
      true;  // false: only the files and on_row have them, and memory does not grow with the runs
  bool statistics = false;  // make SweepResult::statistics
  // Called for every run made, in the order in which they end, by one thread at a time.
  std::function<void(const SweepRow&)> on_row = {};
  std::function<void(Index done, Index total)> on_progress = {};
  // Words the messages of rows; null: as they are.
  std::function<std::string(const std::string&)> word_message = {};
};

struct SweepResult {
  bool is_writer = true;  // false in all processes of MPI but one, which have nothing else to tell
  Index runs = 0;         // of the shard
  Index all_runs = 0;     // of all shards
  Index done = 0;
  Index taken_over = 0;                     // of them, from files
  Index failed = 0;                         // of them, that reached neither their end nor a stop
  Index contradicted = 0;                   // of them, whose audit failed
  std::vector<Index> missing = {};          // the first runs that were not made
  std::vector<std::string> cut_files = {};  // whose last row was cut off, and left out
  bool can_resume = false;                  // the table has the columns for it
  std::vector<std::string> axes = {};
  std::vector<std::string> states = {};
  std::vector<std::string> quantities = {};  // the states, then what is observed: of what rows have values
  std::vector<SweepRow> rows = {};           // in the order of the runs
  SweepStatistics statistics = {};
  double seconds = 0;          // of all workers together, while runs were made
  double seconds_at_work = 0;  // of these, in runs

  bool is_complete() const { return done == runs; }
};

// Throws std::invalid_argument for what makes no sense or does not belong together, before the first run, and FileError where a
// file cannot be written. The failure of a run is the status and the message of its row.
SweepResult sweep(const Model& model, const SweepDesign& design, const SweepOptions& options);

// The first of the instances that the model takes, of which columns are made. Throws what is wrong with the first run if there is none.
ModelInstance sweep_instance(const Model& model, const SweepPlan& plan);

}  // namespace slideway
