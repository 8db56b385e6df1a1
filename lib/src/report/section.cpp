#include "slideway/io/section.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "report/gnuplot_script.hpp"
#include "report/plot_curves.hpp"
#include "report/plot_lettering.hpp"
#include "report/plot_style.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

namespace {

class SectionScript : public GnuplotScript {
 public:
  SectionScript(const RunReport& report, PictureFormat format, const PlotOptions& options)
      : report_(report), words_(format, options.labels) {
    points_ = section_points(report.section.value(), report.instance.system, report.solution);
    if (points_.size() < 2) {
      refuse({.what = "too few points for a picture of the section",
              .where = "the section '" + report.section->name + "'",
              .expected = "two arrivals or more",
              .got = std::to_string(points_.size())});
    }
    choose_states(options);
    const int width = options.size ? options.size->first : page_width(format, 1000);
    const int height = options.size ? options.size->second : width / 2;
    text_ = picture_settings(format, width, height, words_.is_enhanced());
    const double header = 40.0 / height;
    append("set multiplot\nunset key\n");
    append(
        "set label {} at screen {:.4f},{:.4f} left\n",
        words_.bold(fmt::format("{}: {} arrivals at {}", options.title.empty() ? report.model : options.title,
                                points_.size(), report.section->name)),
        70.0 / width, 1 - 0.5 * header);
    points();
    const double bottom = 56.0 / height, top = 1 - header;
    place({74.0 / width, 0.5 - 12.0 / width, bottom, top});
    plane();
    append("unset label\n");
    place({0.5 + 74.0 / width, 1 - 24.0 / width, bottom, top});
    map();
    append("unset multiplot\n");
  }

 private:
  double value(std::size_t k, Index state) const { return points_[k].state[state]; }

  Range range_of(Index state) const {
    Range range{value(0, state), value(0, state)};
    for (std::size_t k = 1; k < points_.size(); ++k)
      range = {std::min(range.low, value(k, state)), std::max(range.high, value(k, state))};
    return range;
  }

  void choose_states(const PlotOptions& options) {
    const System& system = report_.instance.system;
    if (!options.phase.empty()) {
      if (options.phase.size() != 2) {
        refuse({.what = "the picture of a section has two states",
                .where = "the states of the phase portrait",
                .expected = "two",
                .got = std::to_string(options.phase.size())});
      }
      check_phase(options, system);
      for (const std::string& name : options.phase) states_.push_back(system.state_index(name));
      return;
    }
    for (Index i = 0; i < system.states(); ++i) states_.push_back(i);
    // A state of which the section is a level does not vary.
    std::stable_sort(states_.begin(), states_.end(), [&](Index a, Index b) { return spread(a) > spread(b); });
    states_.resize(std::min<std::size_t>(states_.size(), 2));
    std::sort(states_.begin(), states_.end(),
              [&](Index a, Index b) { return is_constant(a) != is_constant(b) ? is_constant(b) : a < b; });
    if (states_.size() == 1) states_.push_back(states_.front());
  }

  // spread() is the range of the state on the section, as a part of its size.
  double spread(Index state) const {
    const Range range = range_of(state);
    return range.width() / std::max({std::abs(range.low), std::abs(range.high), 1e-300});
  }
  bool is_constant(Index state) const { return spread(state) <= least_resolved_part; }

  std::string name(Index state) const {
    return words_.name(report_.instance.system.state_names()[static_cast<std::size_t>(state)]);
  }

  // Two states, then the first of them at this arrival and at the next.
  void points() {
    append("$points << EOD\n");
    for (std::size_t k = 0; k < points_.size(); ++k)
      append("{:.15g} {:.15g}\n", value(k, states_[0]), value(k, states_[1]));
    append("EOD\n$map << EOD\n");
    for (std::size_t k = 1; k < points_.size(); ++k)
      append("{:.15g} {:.15g}\n", value(k - 1, states_[0]), value(k, states_[0]));
    append("EOD\n");
  }

  void axis(char letter, Index state) {
    const Range range = padded(range_of(state));
    const double margin = 0.04 * range.width();
    append("set {}range [{:.15g}:{:.15g}]\n", letter, range.low - margin, range.high + margin);
  }

  std::string dots(const char* data) const {
    return fmt::format("${} using 1:2 with points pointtype 7 pointsize {} linecolor rgb '{}'", data,
                       points_.size() > 2000  ? 0.15
                       : points_.size() > 300 ? 0.25
                                              : 0.5,
                       curve_colour);
  }

  void plane() {
    axis('x', states_[0]);
    axis('y', states_[1]);
    append("set format x {0}\nset format y {0}\n", words_.number_format());
    append("set xlabel {} offset 0,0.3\nset ylabel {} offset {},0\n", name(states_[0]), name(states_[1]),
           words_.label_offset());
    append("plot {}\n", dots("points"));
  }

  void map() {
    axis('x', states_[0]);
    axis('y', states_[0]);
    append("set xlabel {} offset 0,0.3\nset ylabel {} offset {},0\n", name(states_[0]),
           words_.verbatim("the same at the next arrival"), words_.label_offset());
    append("plot x with lines linecolor rgb '{}' linewidth 0.8 dashtype (6,4), \\\n  {}\n", surface_colour,
           dots("map"));
  }

  const RunReport& report_;
  Lettering words_;
  std::vector<SectionPoint> points_;
  std::vector<Index> states_ = {};
};

}  // namespace

void write_section_csv(const RunReport& report, std::ostream& out) {
  const System& system = report.instance.system;
  fmt::print(out, "point,t");
  for (const std::string& name : system.state_names()) fmt::print(out, ",{}", name);
  fmt::print(out, "\n");
  std::size_t number = 0;
  for (const SectionPoint& point : section_points(report.section.value(), system, report.solution)) {
    fmt::print(out, "{},{}", ++number, point.t);
    for (const double value : point.state) fmt::print(out, ",{}", value);
    fmt::print(out, "\n");
  }
}

std::string section_script(const RunReport& report, PictureFormat format, const PlotOptions& options) {
  return SectionScript(report, format, options).text();
}

}  // namespace slideway
