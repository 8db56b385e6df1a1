#include <algorithm>
#include <ostream>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "apps/advice.hpp"
#include "apps/commands.hpp"
#include "apps/exit_status.hpp"
#include "apps/fit_documents.hpp"
#include "apps/layout.hpp"
#include "apps/load_model.hpp"
#include "apps/measurements_file.hpp"
#include "apps/simulation.hpp"
#include "apps/targets.hpp"
#include "apps/text.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/detail/core/platform/terminal.hpp"
#include "slideway/fit/fit.hpp"
#include "slideway/io/files.hpp"

namespace slideway::apps {

namespace {

constexpr double usual_fit_rtol = 1e-8;

// "E = 0.5*v^2" of the command line takes the place of a column "E".
void name_what_is_observed(const FitArguments& arguments, Measurements& measurements) {
  for (const std::string& observed : arguments.observe) {
    const std::string name = trimmed(observed.substr(0, observed.find('=')));
    const auto place = std::find(measurements.names.begin(), measurements.names.end(), name);
    if (place == measurements.names.end()) {
      refuse({.what = "no column of the measurements has this name",
              .where = "--observe",
              .expected = fmt::format("one of {}", fmt::join(measurements.names, ", ")),
              .got = "'" + name + "'"});
    }
    *place = observed;
  }
}

void take_deviations(const FitArguments& arguments, const std::vector<std::string>& columns,
                     Measurements& measurements) {
  if (arguments.deviations.empty()) return;
  measurements.deviations = Vector::Zero(static_cast<Index>(columns.size()));
  for (const auto& [name, value] : arguments.deviations) {
    const auto place = std::find(columns.begin(), columns.end(), name);
    if (place == columns.end()) {
      refuse({.what = "no column of the measurements has this name",
              .where = "--deviation",
              .expected = fmt::format("one of {}", fmt::join(columns, ", ")),
              .got = "'" + name + "'"});
    }
    measurements.deviations[place - columns.begin()] = value;
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (measurements.deviations[static_cast<Index>(i)] > 0) continue;
    refuse({.what = "a column has no deviation, and others have one",
            .where = "--deviation",
            .expected = fmt::format("one for each of {}, or none at all", fmt::join(columns, ", ")),
            .got = "none for '" + columns[i] + "'"});
  }
}

}  // namespace

int fit(const FitArguments& arguments, std::ostream& out, std::ostream& err) {
  const Model model = load_model(arguments.model, arguments.fmu_import);
  FitOptions options;
  options.run = make_options(arguments, model.defaults);
  if (!arguments.rtol && !(model.defaults.rtol > 0)) options.run.rtol = usual_fit_rtol;
  if (arguments.max_runs) options.max_runs = static_cast<int>(*arguments.max_runs);
  Measurements measurements = read_measurements(arguments.data);
  const std::vector<std::string> columns = measurements.names;
  name_what_is_observed(arguments, measurements);
  take_deviations(arguments, columns, measurements);
  std::vector<Target> wanted;
  add_targets("--csv", arguments.csv, TargetKind::text, wanted);
  add_targets("--json", arguments.json, TargetKind::text, wanted);
  check_targets(wanted, {arguments.model, arguments.data});

  Fit found = slideway::fit(model, arguments.settings, arguments.parameters, measurements, options);
  found.message = told_to_user(found.message);
  const ShownFit shown{.model = model.name, .measurements = measurements, .columns = columns, .fit = found};
  Written written;
  const auto add = [&](const std::string& path, const auto& write) {
    written.add_document(path, [&](std::ostream& stream) { write(shown, stream); });
  };
  for (const std::string& path : arguments.json) add(path, write_fit_json);
  for (const std::string& path : arguments.csv) add(path, write_fit_csv);
  if (!arguments.quiet && !any_on_standard_output(wanted)) {
    print_fit(shown, written.files, screen_behind(platform::standard_output), out);
  } else if (!found.message.empty()) {
    fmt::print(err, "slideway: {}\n", found.message);
  }
  return written.report_failures(out, err, found.converged ? exit_success : exit_stopped_early);
}

}  // namespace slideway::apps
