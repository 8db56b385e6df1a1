#include "slideway/io/plot.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include <fmt/format.h>

#include "report/plot_lettering.hpp"
#include "report/plot_overlay.hpp"
#include "report/plot_raster.hpp"
#include "report/plot_script.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/model/model.hpp"

namespace slideway {

namespace {

void check_names(const std::string& where, const std::vector<std::string>& wanted,
                 const std::vector<std::string>& known) {
  // Several runs have states of the same names.
  std::vector<std::string> names;
  std::unordered_set<std::string> seen;
  for (const std::string& name : known)
    if (!wanted.empty() && seen.insert(name).second) names.push_back(name);
  for (const std::string& name : wanted) {
    if (name == "t" || std::find(names.begin(), names.end(), name) != names.end()) continue;
    names.push_back("t");
    const std::string near = nearest_name(name, names);
    constexpr std::size_t most_named = 12;
    refuse({.what = "there is no '" + name + "' in the picture",
            .where = where,
            .expected = names.size() > most_named
                            ? "the name of a state or of what is observed, or t for time"
                            : fmt::format("one of {}", fmt::join(names, ", ")),
            .advice = near.empty() ? "" : "did you mean '" + near + "'?"});
  }
}

}  // namespace

void check_phase(const PlotOptions& options, const std::vector<std::string>& names) {
  const std::vector<std::string>& phase = options.phase;
  if (phase.empty()) return;
  const std::string where = "the phase portrait";
  check_names(where, phase, names);
  for (auto name = phase.begin(); name != phase.end(); ++name) {
    if (*name == "t")
      refuse({.what = "a phase portrait has no axis of time",
              .where = where,
              .expected = "states or observed quantities",
              .got = "t"});
    if (std::find(phase.begin(), name, *name) != name)
      refuse({.what = "a phase portrait of '" + *name + "' and itself",
              .where = where,
              .expected = "different names"});
  }
  if (phase.size() != 2 && phase.size() != 3)
    refuse({.what = "a phase portrait cannot be drawn of these",
            .where = where,
            .expected = "two names or three",
            .got = std::to_string(phase.size())});
}

namespace {

std::vector<std::string> names_in(const std::vector<RunLayer>& runs) {
  std::vector<std::string> names;
  for (const RunLayer& run : runs) {
    const std::vector<std::string> own = curve_names(run.report);
    names.insert(names.end(), own.begin(), own.end());
  }
  return names;
}

std::vector<std::string> states_in(const std::vector<RunLayer>& runs) {
  std::vector<std::string> names;
  for (const RunLayer& run : runs) {
    const std::vector<std::string>& own = run.report.instance.system.state_names();
    names.insert(names.end(), own.begin(), own.end());
  }
  return names;
}

// with_script() calls `use` with the text of the script and its notes.
template <class Use>
auto with_script(const RunReport& report, PictureFormat format, const PlotOptions& options, Use use) {
  check_states(options, report.instance.system.state_names());
  check_labels(options, curve_names(report));
  check_log(options, curve_names(report));
  if (options.raster) {
    RasterScript script(report, format, options);
    const std::vector<std::string> notes = script.notes();
    return use(std::move(script).text(), notes);
  }
  PlotScript script(report, format, options);
  const std::vector<std::string> notes = script.notes();
  return use(std::move(script).text(), notes);
}

template <class Use>
auto with_script(const std::vector<RunLayer>& runs, PictureFormat format, const PlotOptions& options,
                 Use use) {
  if (runs.empty())
    refuse({.what = "there is no run to be drawn",
            .where = "a picture of several runs",
            .expected = "one or more"});
  check_states(options, states_in(runs));
  check_labels(options, names_in(runs));
  check_log(options, names_in(runs));
  OverlayScript script(runs, format, options);
  const std::vector<std::string> notes = script.notes();
  return use(std::move(script).text(), notes);
}

template <class Runs>
std::vector<std::string> write(const Runs& runs, const std::string& path, const PlotOptions& options) {
  return with_script(runs, picture_format(path), options,
                     [&](const std::string& text, const std::vector<std::string>& notes) {
                       write_picture(text, path);
                       return notes;
                     });
}

std::string script_as_text(const std::string& text, const std::vector<std::string>&) { return text; }

}  // namespace

void check_states(const PlotOptions& options, const std::vector<std::string>& names) {
  for (const std::string& name : options.states) {
    if (!is_among(names, name)) {
      const std::string near = nearest_name(name, names);
      constexpr std::size_t most_named = 12;
      refuse({.what = "there is no state '" + name + "'",
              .where = "the states of the picture",
              .expected = names.size() > most_named ? "the name of a state"
                                                    : fmt::format("one of {}", fmt::join(names, ", ")),
              .advice = near.empty() ? "" : "did you mean '" + near + "'?"});
    }
    if (std::count(options.states.begin(), options.states.end(), name) > 1) {
      refuse({.what = "two panels of '" + name + "'",
              .where = "the states of the picture",
              .expected = "different states"});
    }
  }
}

void check_labels(const PlotOptions& options, const std::vector<std::string>& names) {
  std::vector<std::string> wanted;
  for (const auto& [name, text] : options.labels) wanted.push_back(name);
  check_names("the labels", wanted, names);
  Lettering(PictureFormat::svg, options.labels);
}

void check_log(const PlotOptions& options, const std::vector<std::string>& names) {
  check_names("the logarithmic axes", options.log, names);
}

std::string plot_script(const RunReport& report, PictureFormat format, const PlotOptions& options) {
  return with_script(report, format, options, script_as_text);
}

std::string plot_script(const std::vector<RunLayer>& runs, PictureFormat format, const PlotOptions& options) {
  return with_script(runs, format, options, script_as_text);
}

std::vector<std::string> write_plot(const RunReport& report, const std::string& path,
                                    const PlotOptions& options) {
  return write(report, path, options);
}

std::vector<std::string> write_plot(const std::vector<RunLayer>& runs, const std::string& path,
                                    const PlotOptions& options) {
  return write(runs, path, options);
}

}  // namespace slideway
