#include "report/plot_overlay.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "report/plot_script.hpp"
#include "report/plot_style.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

namespace {

constexpr std::size_t most_shared_panels = 6;  // of states, and as many of observables
// The most marks of one kind in a run: a panel is about 750 pixels wide, and the curve is to be seen in between.
constexpr double most_marks_of_run = 60;

struct Look {
  const char* colour;
  const char* dash;
};
// Okabe & Ito's colours; dashes tell the runs apart in print.
constexpr std::array looks = {Look{"#0072B2", "solid"}, Look{"#D55E00", "(12,4)"},
                              Look{"#009E73", "(4,3)"}, Look{"#CC79A7", "(12,4,3,4)"},
                              Look{"#E69F00", "(8,3)"}, Look{"#56B4E9", "(2,3)"},
                              Look{"#000000", "(16,5)"}};
const Look& look_of(std::size_t layer) { return looks[layer % looks.size()]; }

void add_once(std::vector<std::string>& names, const std::string& name, std::size_t most) {
  if (!is_among(names, name) && names.size() < most) names.push_back(name);
}

std::vector<std::string> observed_names(const RunReport& report) {
  return report.observation ? report.observation->names() : std::vector<std::string>{};
}

}  // namespace

void check_overlay(const std::vector<RunLayer>& runs) {
  const std::vector<std::string>& first = runs.front().report.instance.system.state_names();
  for (const RunLayer& run : runs) {
    const std::vector<std::string>& own = run.report.instance.system.state_names();
    if (std::none_of(own.begin(), own.end(),
                     [&](const std::string& name) { return is_among(first, name); })) {
      refuse({.what = "the runs have no state in common to be drawn over each other",
              .where = fmt::format("{} and {}", runs.front().label, run.label),
              .expected = fmt::format("one of the states {}", fmt::join(first, ", ")),
              .got = fmt::format("{}", fmt::join(own, ", ")),
              .advice = "draw each of them in a picture of its own"});
    }
  }
}

std::optional<std::size_t> OverlayScript::Layer::place(const std::string& name) const {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<std::size_t>(found - names.begin());
}

bool OverlayScript::Layer::has_all(const std::vector<std::string>& wanted) const {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const std::string& name) { return place(name).has_value(); });
}

OverlayScript::OverlayScript(const std::vector<RunLayer>& runs, PictureFormat format,
                             const PlotOptions& options)
    : words_(format, options.labels), markers_(options.markers) {
  check_overlay(runs);
  choose_panels(runs, options);
  sample(options);
  data();
  Range time = layers_.front().curves.time;
  double first_step = std::numeric_limits<double>::infinity();
  for (const Layer& layer : layers_) {
    time = {std::min(time.low, layer.curves.time.low), std::max(time.high, layer.curves.time.high)};
    first_step = std::min(first_step, layer.curves.first_step);
  }
  time_ = time_axis(time, is_among(options.log, "t"), first_step, notes_);
  if (time_.range.width() <= 0) time_.range = padded(time_.range);
  for (const std::string& name : panels_) axes_.push_back(axis(name, options));

  const bool has_portrait = !portrait_.empty();
  const int width = options.size ? options.size->first : page_width(format, has_portrait ? 1000 : 860);
  const double left = (has_portrait ? 75.0 : 81.7) / width;
  const double right = has_portrait ? 0.985 : 0.97;
  Legend entries = legend(runs);
  const double more_rows =
      Legend::row_height * (entries.arrange(words_, left * width, right * width, options.title) - 1);
  const int all_panels = (has_portrait ? 170 : 190) + 150 * static_cast<int>(shown_);
  const int height = options.size
                         ? options.size->second
                         : std::max(has_portrait ? 470 : 0, all_panels) + static_cast<int>(more_rows);
  constexpr double first_row = 46;
  const double header = (first_row + more_rows) / height;
  const double footer = 58.0 / height;
  text_ = picture_settings(format, width, height, words_.is_enhanced()) + text_;
  append("set multiplot\n");
  const double y = 1 - 0.45 * first_row / height;
  text_ += entries.drawn(words_, right * width, width, height, y);
  if (!options.title.empty())
    append("set label {} at screen {:.4f},{:.4f} left\n",
           words_.bold(entries.fitting(options.title, left * width)), left, y);
  time_panels({left, has_portrait ? 0.50 : right, footer, 1 - header});
  if (has_portrait) portrait({0.50 + 75.0 / width, 0.985, footer, 1 - header});
  append("unset multiplot\n");
}

void OverlayScript::choose_panels(const std::vector<RunLayer>& runs, const PlotOptions& options) {
  std::vector<std::string> all;
  for (const RunLayer& run : runs)
    for (const std::string& name : run.report.instance.system.state_names())
      add_once(all, name, std::numeric_limits<std::size_t>::max());
  const std::vector<std::string>& first = runs.front().report.instance.system.state_names();
  const bool all_have_two = std::all_of(runs.begin(), runs.end(), [&](const RunLayer& run) {
    return run.report.instance.system.state_names() == first;
  });
  portrait_ = !options.phase.empty() ? options.phase : all_have_two && first.size() == 2 ? first : portrait_;
  if (portrait_.size() > 2) {
    refuse({.what = "several runs over each other cannot be drawn in space",
            .where = "the states of the phase portrait",
            .expected = "two",
            .got = std::to_string(portrait_.size())});
  }
  const std::vector<std::string>& wanted = !options.states.empty()  ? options.states
                                           : !options.phase.empty() ? options.phase
                                                                    : all;
  for (const std::string& name : wanted)
    add_once(panels_, name, options.states.empty() ? most_shared_panels : wanted.size());
  if (panels_.size() < all.size() && options.phase.empty() && options.states.empty())
    notes_.push_back(fmt::format("the picture shows the first {} of {} states", panels_.size(), all.size()));
  std::vector<std::string> observed;
  for (const RunLayer& run : runs)
    for (const std::string& name : observed_names(run.report)) add_once(observed, name, most_shared_panels);
  panels_.insert(panels_.end(), observed.begin(), observed.end());
  shown_ = panels_.size();
  for (const std::string& name : portrait_) add_once(panels_, name, std::numeric_limits<std::size_t>::max());

  for (const RunLayer& run : runs) {
    Layer layer{.report = &run.report};
    const System& system = run.report.instance.system;
    const std::vector<std::string> own = observed_names(run.report);
    for (const std::string& name : panels_) {
      const auto state = std::find(system.state_names().begin(), system.state_names().end(), name);
      const auto observable = std::find(own.begin(), own.end(), name);
      if (state != system.state_names().end())
        layer.kept.push_back(static_cast<Index>(state - system.state_names().begin()));
      else if (observable != own.end())
        layer.kept.push_back(system.states() + static_cast<Index>(observable - own.begin()));
      else
        continue;
      layer.names.push_back(name);
    }
    layers_.push_back(std::move(layer));
  }
}

void OverlayScript::sample(const PlotOptions& options) {
  for (Layer& layer : layers_) {
    const bool logarithmic = is_among(options.log, "t");
    layer.curves =
        sample_run(layer.report->solution, layer.kept, layer.report->observation, options.times, logarithmic);
  }
}

Axis OverlayScript::axis(const std::string& name, const PlotOptions& options) {
  std::vector<const RunCurves*> curves;
  std::vector<std::size_t> places;
  for (const Layer& layer : layers_) {
    const auto place = layer.place(name);
    if (!place) continue;
    curves.push_back(&layer.curves);
    places.push_back(*place);
  }
  return value_axis(curves, places, name, is_among(options.log, name), notes_);
}

void OverlayScript::data() {
  const auto append_curve = [&](const std::string& name, const Curve& curve, const RunCurves& of) {
    append("${} << EOD\n{}EOD\n", name, data_rows(curve, of));
  };
  marks_of_group_.assign(marker_groups().size(), {0, 0});
  for (std::size_t k = 0; k < layers_.size(); ++k) {
    const Layer& layer = layers_[k];
    append_curve(fmt::format("run{}", k), layer.curves.whole, layer.curves);
    if (!layer.curves.sliding.empty())
      append_curve(fmt::format("sliding{}", k), layer.curves.sliding, layer.curves);
    marks_.emplace_back();
    const double least_distance = layer.curves.time.width() / most_marks_of_run;
    const Trajectory& trajectory = layer.report->solution.trajectory;
    for (std::size_t group = 0; group < marker_groups().size(); ++group) {
      const auto& kinds = marker_groups()[group].kinds;
      const auto is_wanted = [&](const EventRecord& event) {
        return is_marked(markers_, event.kind) && event.t >= layer.curves.time.low &&
               event.t <= layer.curves.time.high &&
               std::find(kinds.begin(), kinds.end(), event.kind) != kinds.end();
      };
      const EventLog& events = layer.report->solution.events;
      const bool is_thinned =
          static_cast<double>(std::count_if(events.begin(), events.end(), is_wanted)) > most_marks_of_run;
      double last = -std::numeric_limits<double>::infinity();
      bool is_first = true;
      for (const EventRecord& event : layer.report->solution.events) {
        if (!is_wanted(event)) continue;
        ++marks_of_group_[group].second;
        if (is_thinned && (event.t < last + least_distance && event.t != last)) continue;
        if (is_first) {
          append("$marks{}_{} << EOD\n", k, group);
          marks_.back().push_back(group);
        }
        is_first = false;
        ++marks_of_group_[group].first;
        last = event.t;
        const Vector state = event.after.size() > 0 ? event.after : trajectory(event.t);
        text_ += data_row(
            event.t,
            keep(layer.kept, {event.t, trajectory.mode(event.t), state, trajectory.location(event.t)},
                 layer.report->observation),
            layer.curves);
      }
      if (!is_first) append("EOD\n");
    }
  }
}

Legend OverlayScript::legend(const std::vector<RunLayer>& runs) const {
  Legend entries;
  constexpr std::size_t longest = 40;
  bool slides = false;
  for (std::size_t k = 0; k < layers_.size(); ++k) {
    entries.add(shortened(runs[k].label, longest), Legend::line(look_of(k).colour, 2, look_of(k).dash));
    slides = slides || !layers_[k].curves.sliding.empty();
  }
  if (slides) entries.add("sliding", Legend::line("#999999", 5, "solid"));
  for (std::size_t group = 0; group < marker_groups().size(); ++group) {
    const auto has_it = [&](const std::vector<std::size_t>& of_layer) {
      return std::find(of_layer.begin(), of_layer.end(), group) != of_layer.end();
    };
    const MarkerGroup& marker = marker_groups()[group];
    const auto& [drawn, all_marks] = marks_of_group_[group];
    if (std::any_of(marks_.begin(), marks_.end(), has_it))
      entries.add(
          drawn < all_marks ? fmt::format("{} ({} of {})", marker.title, drawn, all_marks) : marker.title,
          Legend::point(marker.point_type, marker.size, "#777777"));
  }
  return entries;
}

std::vector<std::string> OverlayScript::parts(const std::vector<std::string>& columns) const {
  std::vector<std::string> result;
  std::vector<std::string> marks;
  for (std::size_t k = 0; k < layers_.size(); ++k) {
    std::string using_columns;
    bool has_all = true;
    for (const std::string& name : columns) {
      const auto place = layers_[k].place(name);
      has_all = has_all && (name == "t" || place);
      using_columns +=
          fmt::format("{}{}", using_columns.empty() ? "" : ":", name == "t" || !place ? 1 : *place + 2);
    }
    if (!has_all) continue;
    const Look& look = look_of(k);
    // Thicker and paler below the curve itself.
    if (!layers_[k].curves.sliding.empty())
      result.insert(result.begin(),
                    fmt::format("$sliding{} using {} with lines linecolor rgb '#80{}' linewidth 6", k,
                                using_columns, look.colour + 1));
    result.push_back(fmt::format("$run{} using {} with lines linecolor rgb '{}' linewidth 2 dashtype {}", k,
                                 using_columns, look.colour, look.dash));
    for (const std::size_t group : marks_[k]) {
      const MarkerGroup& marker = marker_groups()[group];
      marks.push_back(fmt::format(
          "$marks{}_{} using {} with points pointtype {} pointsize {:.2f} linewidth 1.2 linecolor rgb '{}'",
          k, group, using_columns, marker.point_type, 0.7 * marker.size, look.colour));
    }
  }
  result.insert(result.end(), marks.begin(), marks.end());
  return result;
}

void OverlayScript::time_panels(const Frame& frame) {
  const double gap = 0.028;
  const auto count = static_cast<double>(shown_);
  const double height = (frame.top - frame.bottom - gap * (count - 1)) / count;
  append("unset key\n");
  for (std::size_t panel = 0; panel < shown_; ++panel) {
    const double top = frame.top - static_cast<double>(panel) * (height + gap);
    const bool lowest = panel + 1 == shown_;
    place({frame.left, frame.right, top - height, top});
    append("{}{}", time_.commands('x'), axes_[panel].commands('y'));
    const std::string numbers = axes_[panel].number_format(words_);
    if (!numbers.empty()) append("set format y {}\n", numbers);
    // Long numbers take the place of the name.
    if (numbers.empty() || axes_[panel].is_logarithmic)
      append("set ylabel {} offset {},0\n", words_.name(panels_[panel]), words_.label_offset());
    else
      append("unset ylabel\nset label {} at graph 0.01,0.92 left front\n", words_.name(panels_[panel]));
    append("{}\n", lowest ? fmt::format("set xlabel {} offset 0,0.3\nset format x {}", words_.name("t"),
                                        words_.number_format())
                          : "unset xlabel\nset format x ''");
    append("plot {}\n", fmt::join(parts({"t", panels_[panel]}), ", \\\n  "));
    // The labels and lines of the page are drawn with the first panel.
    append("unset label\nunset arrow\n");
    if (axes_[panel].is_logarithmic) append("unset logscale y\n");
    if (!numbers.empty()) append("set format y\n");
  }
  if (time_.is_logarithmic) append("unset logscale x\n");
}

void OverlayScript::portrait(const Frame& frame) {
  place(frame);
  const auto panel = [&](const std::string& name) {
    return static_cast<std::size_t>(std::find(panels_.begin(), panels_.end(), name) - panels_.begin());
  };
  append("{}{}", axes_[panel(portrait_[0])].commands('x'), axes_[panel(portrait_[1])].commands('y'));
  if (const std::string numbers = axes_[panel(portrait_[1])].number_format(words_); !numbers.empty())
    append("set format y {}\n", numbers);
  append("set xlabel {} offset 0,0.3\nset ylabel {} offset {},0\nset format x {}\n",
         words_.name(portrait_[0]), words_.name(portrait_[1]), words_.label_offset(), words_.number_format());
  const std::vector<std::string> drawn = parts(portrait_);
  if (drawn.empty()) {
    refuse({.what = "no run has all the states of the phase portrait",
            .where = "the states of the phase portrait",
            .expected = "states of one run",
            .got = fmt::format("{}", fmt::join(portrait_, ", "))});
  }
  append("plot {}\n", fmt::join(drawn, ", \\\n  "));
}

}  // namespace slideway
