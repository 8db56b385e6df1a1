#include "slideway/io/plot.hpp"

#include <algorithm>

#include "report/plot_script.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

void check_phase(const PlotOptions& options, const System& system) {
  if (options.phase.empty()) return;
  for (std::size_t k = 0; k < options.phase.size(); ++k) {
    system.state_index(options.phase[k]);
    if (std::find(options.phase.begin(), options.phase.begin() + static_cast<Index>(k), options.phase[k]) !=
        options.phase.begin() + static_cast<Index>(k)) {
      refuse({.what = "a phase portrait of '" + options.phase[k] + "' and itself",
              .where = "the states of the phase portrait",
              .expected = "different states"});
    }
  }
  if (options.phase.size() != 2 && options.phase.size() != 3) {
    refuse({.what = "a phase portrait cannot be drawn of these states",
            .where = "the states of the phase portrait",
            .expected = "two or three",
            .got = std::to_string(options.phase.size())});
  }
}

std::string plot_script(const RunReport& report, PictureFormat format, const PlotOptions& options) {
  return PlotScript(report, format, options).text();
}

void write_plot(const RunReport& report, const std::string& path, const PlotOptions& options) {
  write_picture(plot_script(report, picture_format(path), options), path);
}

}  // namespace slideway
