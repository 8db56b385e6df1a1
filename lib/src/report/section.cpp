#include "slideway/io/section.hpp"

#include <algorithm>
#include <cmath>
#include <ostream>
#include <vector>

#include <fmt/format.h>
#include <fmt/ostream.h>

#include "report/plot_curves.hpp"
#include "report/plot_style.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

namespace {

class Section {
 public:
  Section(const RunReport& report, const PlotOptions& options) : report_(report), options_(options) {
    points_ = section_points(report.section.value(), report.instance.system, report.solution);
    if (points_.size() < 2) {
      refuse({.what = "too few points for a picture of the section",
              .where = "the section '" + report.section->name + "'",
              .expected = "two arrivals or more",
              .got = std::to_string(points_.size())});
    }
    choose_states();
  }

  Figure figure() const {
    return {
        .title = fmt::format("{}: {} arrivals at {}", options_.title.empty() ? report_.model : options_.title,
                             points_.size(), report_.section->name),
        .panels = {plane(), map()},
        .panel_size = {500, 460},
        .size = options_.size,
        .labels = options_.labels};
  }

 private:
  double value(std::size_t k, Index state) const { return points_[k].state[state]; }

  Range range_of(Index state) const {
    Range range{value(0, state), value(0, state)};
    for (std::size_t k = 1; k < points_.size(); ++k)
      range = {std::min(range.low, value(k, state)), std::max(range.high, value(k, state))};
    return range;
  }

  void choose_states() {
    const System& system = report_.instance.system;
    if (!options_.phase.empty()) {
      if (options_.phase.size() != 2) {
        refuse({.what = "the picture of a section has two states",
                .where = "the states of the phase portrait",
                .expected = "two",
                .got = std::to_string(options_.phase.size())});
      }
      check_phase(options_, system.state_names());
      for (const std::string& name : options_.phase) states_.push_back(system.state_index(name));
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

  FigureAxis axis(Index state) const {
    const Range range = padded(range_of(state));
    return {.label = report_.instance.system.state_names()[static_cast<std::size_t>(state)],
            .range = std::pair{range.low, range.high}};
  }

  FigureMarks dots() const {
    return {.size = points_.size() > 2000 ? 0.15 : points_.size() > 300 ? 0.25 : 0.5, .colour = curve_colour};
  }

  FigurePanel plane() const {
    FigurePanel panel{.x = axis(states_[0]), .y = axis(states_[1])};
    panel.marks.push_back(dots());
    for (std::size_t k = 0; k < points_.size(); ++k)
      panel.marks.back().points.push_back({value(k, states_[0]), value(k, states_[1])});
    return panel;
  }

  // A state at one arrival, and at the next.
  FigurePanel map() const {
    FigurePanel panel{.column = 1, .x = axis(states_[0]), .y = axis(states_[0])};
    panel.y.label = "the same at the next arrival";
    const auto [low, high] = *panel.x.range;
    panel.curves.push_back(
        {.points = {{low, low}, {high, high}}, .colour = surface_colour, .width = 0.8, .dash = {6, 4}});
    panel.marks.push_back(dots());
    for (std::size_t k = 1; k < points_.size(); ++k)
      panel.marks.back().points.push_back({value(k - 1, states_[0]), value(k, states_[0])});
    return panel;
  }

  const RunReport& report_;
  const PlotOptions& options_;
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

Figure section_figure(const RunReport& report, const PlotOptions& options) {
  return Section(report, options).figure();
}

}  // namespace slideway
