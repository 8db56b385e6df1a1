// The call find_diagram(): what it is asked is checked, the stages are made, the results are told.
#include "slideway/diagram/diagram.hpp"

#include <filesystem>
#include <stdexcept>

#include <fmt/format.h>

#include "diagram/diagram_problem.hpp"
#include "diagram/diagram_table.hpp"
#include "diagram/diagram_work.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/detail/core/paths.hpp"
#include "slideway/io/files.hpp"
#include "sweep/fingerprint.hpp"
#include "sweep/thread_workers.hpp"

namespace slideway {

namespace {

// Everything that decides what cells come to.
std::string fingerprint_of_diagram(const Model& model, const DiagramProblem& problem) {
  const DiagramOptions& options = problem.options();
  const DiagramDesign& design = problem.design();
  Fingerprint fingerprint;
  fingerprint.add(model, options.identity);
  for (const auto& [name, value] : design.fixed) fingerprint.add(fmt::format("{}={}\n", name, value));
  for (const DiagramAxis& axis : {design.across, design.up})
    fingerprint.add(fmt::format("{} {} {} {}\n", axis.name, axis.low, axis.high, axis.cells));
  // The step may be a function of the parameters.
  for (const double part : {0.1, 0.5, 0.8}) {
    try {
      fingerprint.add(
          fmt::format("{}\n", problem.step_of(problem.instance_at(
                                  design.across.low + part * (design.across.high - design.across.low),
                                  design.up.low + part * (design.up.high - design.up.low)))));
    } catch (const std::invalid_argument&) {
      continue;  // The model refuses these parameters.
    }
  }
  fingerprint.add(options.run);
  fingerprint.add(fmt::format("{} {} {} {} {}\n", options.most_steps, options.recurrences, options.parts,
                              options.reach, options.find_exponents));
  for (const auto& [name, period] : options.wrap) fingerprint.add(fmt::format("{} {}\n", name, period));
  return fingerprint.text();
}

void take_over_cells(DiagramWork& work, const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(to_path(path), ignored)) return;
  try {
    work.take_over(path);
  } catch (const std::invalid_argument& error) {
    refuse({.what = "this file does not belong to this diagram",
            .where = path,
            .expected = "the table of the same model, plane and options, made by the same version",
            .got = error.what(),
            .advice = "leave out DiagramOptions::resume to begin again, or choose another file"});
  }
}

}  // namespace

Diagram find_diagram(const Model& model, const DiagramDesign& design, const DiagramOptions& options) {
  if (options.resume && (options.table.empty() || is_standard_output(options.table)))
    refuse({.what = "there is nothing to resume",
            .where = "DiagramOptions::resume",
            .expected = "DiagramOptions::table with the file of a diagram"});
  const DiagramProblem problem(model, design, options);
  const std::string mark = fingerprint_of_diagram(model, problem);
  const DiagramTable table(design, problem.states(), mark);
  DiagramWork work(problem, table, mark);
  ThreadWorkers threads;
  SweepWorkers& workers = options.workers != nullptr ? *options.workers : threads;
  Diagram diagram{.is_writer = workers.is_writer()};
  if (diagram.is_writer && options.resume) take_over_cells(work, options.table);
  bool is_whole = true;
  // A helper of MPI is told after each stage to stop; the writer alone knows when all is over.
  for (Index stage = 0; stage < work.stages() && is_whole; ++stage) {
    work.begin_stage(stage);
    work.run_by(workers);
    if (!diagram.is_writer) continue;
    is_whole = !work.is_cancelled();
    if (is_whole) work.end_stage();
  }
  if (!diagram.is_writer) return diagram;
  work.write();
  diagram.states = problem.states();
  diagram.autonomous = problem.is_autonomous();
  work.tell(diagram);
  diagram.complete = is_whole && diagram.done == diagram.total;
  return diagram;
}

}  // namespace slideway
