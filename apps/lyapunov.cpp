#include <algorithm>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "apps/advice.hpp"
#include "apps/branch_figures.hpp"
#include "apps/commands.hpp"
#include "apps/exit_status.hpp"
#include "apps/layout.hpp"
#include "apps/load_model.hpp"
#include "apps/lyapunov_documents.hpp"
#include "apps/simulation.hpp"
#include "apps/targets.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/detail/core/platform/terminal.hpp"
#include "slideway/io/files.hpp"
#include "slideway/orbit/lyapunov.hpp"

namespace slideway::apps {

namespace {

constexpr double usual_lyapunov_rtol = 1e-8;
constexpr double usual_transient = 0.1;  // of the time to the end
constexpr double usual_blocks = 1000;

LyapunovOptions lyapunov_options(const LyapunovArguments& arguments, const Model& model,
                                 const ModelInstance& instance) {
  LyapunovOptions options;
  options.run = make_options(arguments, model.defaults);
  if (!arguments.rtol && !(model.defaults.rtol > 0)) options.run.rtol = usual_lyapunov_rtol;
  const double length = instance.end - instance.start;
  options.transient = arguments.transient.value_or(usual_transient * length);
  if (!(options.transient < length)) {
    refuse(
        {.what = "nothing is left after the transient",
         .where = arguments.transient ? "--transient" : "--t-end",
         .expected = "a time before the end, which is " + fmt::format("{:.10g}", length) + " after the start",
         .got = fmt::format("{:.10g}", options.transient)});
  }
  options.block = arguments.block.empty() ? (length - options.transient) / usual_blocks
                                          : length_of_time("--block", "block", arguments.block, instance);
  if (options.block > (length - options.transient) * (1 + 1e-12)) {
    refuse({.what = "the run has no whole block after its transient",
            .where = "--block",
            .expected = "a time up to " + fmt::format("{:.10g}", length - options.transient),
            .got = fmt::format("{:.10g}", options.block)});
  }
  return options;
}

}  // namespace

int lyapunov(const LyapunovArguments& arguments, std::ostream& out, std::ostream& err) {
  const Model model = load_model(arguments.model, arguments.fmu_import);
  ModelInstance instance = model.instantiate(arguments.settings);
  set_end(arguments, instance);
  const LyapunovOptions options = lyapunov_options(arguments, model, instance);
  std::vector<Target> wanted;
  add_targets("--csv", arguments.csv, TargetKind::text, wanted);
  add_targets("--json", arguments.json, TargetKind::text, wanted);
  add_targets("--plot", arguments.plot, TargetKind::picture, wanted);
  check_targets(wanted, {arguments.model});

  LyapunovExponents found = lyapunov_exponents(
      instance.problem(), {.start = instance.start, .end = instance.end, .state = instance.state}, options);
  found.message = told_to_user(found.message);
  const ShownExponents shown{
      .model = model.name, .instance = instance, .exponents = found, .options = options};
  Written written;
  const auto add = [&](const std::string& path, const auto& write) {
    written.add_document(path, [&](std::ostream& stream) { write(shown, stream); });
  };
  for (const std::string& path : arguments.json) add(path, write_lyapunov_json);
  for (const std::string& path : arguments.csv) add(path, write_lyapunov_csv);
  for (const std::string& path : arguments.plot)
    written.add_picture(path, [&shown, path] { write_figure(lyapunov_figure(shown), path); });
  const std::string doubt = doubt_of(found);
  if (!arguments.quiet && !any_on_standard_output(wanted)) {
    print_exponents(shown, written.files, screen_behind(platform::standard_output), out);
  } else if (!doubt.empty()) {
    fmt::print(err, "slideway: {}\n", doubt);
  }
  return written.report_failures(out, err, doubt.empty() ? exit_success : exit_stopped_early);
}

}  // namespace slideway::apps
