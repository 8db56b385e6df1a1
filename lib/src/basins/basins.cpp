// The call find_basins(): what it is asked is checked, the stages are made, the results are told.
#include "slideway/basins/basins.hpp"

#include <filesystem>

#include <fmt/format.h>

#include "basins/basin_problem.hpp"
#include "basins/basin_table.hpp"
#include "basins/basin_work.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/detail/core/paths.hpp"
#include "slideway/io/files.hpp"
#include "sweep/fingerprint.hpp"
#include "sweep/thread_workers.hpp"

namespace slideway {

namespace {

// Everything that decides where starts end.
std::string fingerprint_of(const Model& model, const BasinProblem& problem) {
  const BasinOptions& options = problem.options();
  Fingerprint fingerprint;
  fingerprint.add(model, options.identity);
  for (const auto& [name, value] : problem.design().fixed)
    fingerprint.add(fmt::format("{}={}\n", name, value));
  for (const BasinAxis& axis : {problem.design().across, problem.design().up})
    fingerprint.add(fmt::format("{} {} {} {}\n", axis.name, axis.low, axis.high, axis.cells));
  fingerprint.add(options.run);
  fingerprint.add(fmt::format("{} {} {} {} {} {} {}\n", problem.step(), options.most_steps,
                              options.recurrences, options.reach, options.thorough, options.samples,
                              options.seed));
  for (const auto& [name, period] : options.wrap) fingerprint.add(fmt::format("{} {}\n", name, period));
  return fingerprint.text();
}

void take_over(BasinWork& work, const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(to_path(path), ignored)) return;
  try {
    work.take_over(path);
  } catch (const std::invalid_argument& error) {
    refuse({.what = "this file does not belong to these basins",
            .where = path,
            .expected = "the table of the same model, plane and options, made by the same version",
            .got = error.what(),
            .advice = "leave out BasinOptions::resume to begin again, or choose another file"});
  }
}

}  // namespace

const char* to_string(AttractorKind kind) {
  switch (kind) {
    case AttractorKind::point: return "point";
    case AttractorKind::orbit: return "orbit";
    case AttractorKind::set: return "set";
    case AttractorKind::quasiperiodic: return "quasiperiodic";
    case AttractorKind::chaotic: return "chaotic";
    case AttractorKind::unresolved: break;
  }
  return "unresolved";
}

Basins find_basins(const Model& model, const BasinDesign& design, const BasinOptions& options) {
  if (options.resume && (options.table.empty() || is_standard_output(options.table)))
    refuse({.what = "there is nothing to resume",
            .where = "BasinOptions::resume",
            .expected = "BasinOptions::table with the file of basins"});
  const BasinProblem problem(model, design, options);
  const std::string mark = fingerprint_of(model, problem);
  const BasinTable table(design.across.name, design.up.name, mark);
  BasinWork work(problem, table, mark);
  ThreadWorkers threads;
  SweepWorkers& workers = options.workers != nullptr ? *options.workers : threads;
  Basins basins{.is_writer = workers.is_writer()};
  if (basins.is_writer && options.resume) take_over(work, options.table);
  // A helper of MPI is told after each stage to stop; the writer alone knows when all is over.
  for (Index stage = 0; stage < work.stages() && !(basins.is_writer && work.is_cancelled()); ++stage) {
    work.begin_stage(stage);
    work.run_by(workers);
    if (basins.is_writer && !work.is_cancelled()) work.end_stage();
  }
  if (!basins.is_writer) return basins;
  work.write();
  basins.states = problem.states();
  basins.start = problem.start();
  basins.step = problem.step();
  basins.autonomous = problem.is_autonomous();
  work.tell(basins);
  basins.dimension = box_dimension(basins.plane);
  basins.uncertainty = uncertainty_exponent(basins.plane);
  return basins;
}

}  // namespace slideway
