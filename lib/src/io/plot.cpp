#include "slideway/io/plot.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>

#include <fmt/format.h>

#include "io/plot_curves.hpp"
#include "io/plot_style.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

namespace {

constexpr Index most_panels = 6;
constexpr std::size_t most_large_markers = 120;
// Beyond these no surfaces are drawn: the picture would hold nothing else.
constexpr Index most_states_with_surfaces = 12;
constexpr Index most_surfaces = 12;

// The states of the phase portrait; none without one.
std::vector<Index> portrait_states(const System& system, const PlotOptions& options) {
  check_phase(options, system);
  std::vector<Index> states;
  for (const std::string& name : options.phase) states.push_back(system.state_index(name));
  if (states.empty() && system.states() == 2) states = {0, 1};
  return states;
}

// The states with a panel over time.
std::vector<Index> panel_states(const System& system, const PlotOptions& options) {
  if (!options.phase.empty()) return portrait_states(system, options);
  std::vector<Index> states(static_cast<std::size_t>(std::min(system.states(), most_panels)));
  std::iota(states.begin(), states.end(), Index{0});
  return states;
}

// A guard is a function of the whole state; without surfaces only what is drawn is kept.
std::vector<Index> states_kept(const System& system, const PlotOptions& options) {
  if (system.states() > most_states_with_surfaces) return panel_states(system, options);
  std::vector<Index> states(static_cast<std::size_t>(system.states()));
  std::iota(states.begin(), states.end(), Index{0});
  return states;
}

// The curves of a run, and of the further solutions of its tree over one another.
RunCurves sample_report(const RunReport& report, const std::vector<Index>& kept) {
  RunCurves curves = sample_run(report.solution, kept);
  for (const Solution* further : report.further) {
    const RunCurves more = sample_run(*further, kept);
    curves.whole.insert(curves.whole.end(), more.whole.begin(), more.whole.end());
    curves.sliding.insert(curves.sliding.end(), more.sliding.begin(), more.sliding.end());
    curves.time.low = std::min(curves.time.low, more.time.low);
    curves.time.high = std::max(curves.time.high, more.time.high);
    for (std::size_t j = 0; j < curves.states.size(); ++j) {
      curves.states[j].low = std::min(curves.states[j].low, more.states[j].low);
      curves.states[j].high = std::max(curves.states[j].high, more.states[j].high);
    }
  }
  // Times at which only some of them slide are not shaded.
  if (!report.further.empty()) curves.intervals.clear();
  return curves;
}

// Events that a reader may take for one thing share a marker.
struct MarkerGroup {
  const char* title;
  int point_type;
  double size;
  std::vector<EventKind> kinds;
};

const std::vector<MarkerGroup>& marker_groups() {
  using enum EventKind;
  static const std::vector<MarkerGroup> groups = {
      {"crossing", 6, 0.9, {crossing}},
      {"sliding starts", 9, 1.1, {sliding_entry}},
      {"sliding ends", 10, 1.1, {sliding_exit}},
      {"corner", 4, 0.9, {corner}},
      {"jump, contact or switch", 12, 1.1, {reset, transition, impact, contact, release}},
      {"touch or record", 2, 0.8, {grazing, record}},
      {"not unique", 3, 1.2, {repelling, two_fold, ambiguous}},
      {"stop", 5, 0.9, {stop, zeno}},
  };
  return groups;
}

std::string range_text(const Range& range) { return fmt::format("[{:.10g}:{:.10g}]", range.low, range.high); }

// At most so many bytes, whole characters, and a mark where something is left out.
std::string shortened(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  return text.substr(0, most) + "…";
}

// A rectangle of the page, in fractions of it.
struct Frame {
  double left, right, bottom, top;
};

class Script {
 public:
  Script(const RunReport& report, PictureFormat format, const PlotOptions& options)
      : report_(report),
        system_(report.instance.system),
        solution_(report.solution),
        kept_(states_kept(system_, options)),
        curves_(sample_report(report, kept_)),
        panels_(panel_states(system_, options)),
        portrait_(portrait_states(system_, options)) {
    const bool portrait = !portrait_.empty();
    const int width = portrait ? 1000 : 860;
    const int height = portrait_.size() == 3 ? 560
                       : portrait            ? 470
                                             : 190 + 150 * static_cast<int>(panels_.size());
    header_ = 46.0 / height;
    footer_ = 58.0 / height;
    text_ += picture_settings(format, width, height);
    data();
    append("set multiplot\n");
    const double middle = portrait_.size() == 3 ? 0.42 : 0.50;
    const Frame panels =
        portrait ? Frame{0.075, middle, footer_, 1 - header_} : Frame{0.095, 0.97, footer_, 1 - header_};
    title(panels.left, legend(portrait ? 0.985 : 0.97, width, height), width);
    time_panels(panels);
    if (portrait_.size() == 2) plane_portrait({0.575, 0.985, footer_, 1 - header_});
    if (portrait_.size() == 3) space_portrait({0.44, 1.0, 0.0, 1 - header_});
    append("unset multiplot\n");
  }

  std::string text() && { return std::move(text_); }

 private:
  template <class... Arguments>
  void append(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
  }

  const std::string& state_name(Index state) const {
    return system_.state_names()[static_cast<std::size_t>(state)];
  }

  // The number of a state among those kept, and its column in the data.
  std::size_t place_of(Index state) const {
    return static_cast<std::size_t>(std::find(kept_.begin(), kept_.end(), state) - kept_.begin());
  }
  std::size_t column(Index state) const { return place_of(state) + 2; }
  const Range& range(Index state) const { return curves_.states[place_of(state)]; }

  void append_row(double t, const Vector& kept) {
    append("{:.9g}", t);
    for (Index j = 0; j < kept.size(); ++j) append(" {:.8g}", kept(j));
    append("\n");
  }

  // Events of large systems hold no states.
  void append_event(const EventRecord& event, const Solution& solution) {
    const Vector state = event.after.size() > 0 ? event.after : solution.trajectory(event.t);
    append("{:.9g}", event.t);
    for (const Index kept : kept_) append(" {:.8g}", state(kept));
    append("\n");
  }

  void append_curve(const char* name, const Curve& curve) {
    append("${} << EOD\n", name);
    for (const auto& piece : curve) {
      for (const Sample& sample : piece) append_row(sample.t, sample.state);
      // One empty line would make neighbouring pieces of equal length a mesh in space.
      append("\n\n");
    }
    append("EOD\n");
  }

  void data() {
    append_curve("whole", curves_.whole);
    if (!curves_.sliding.empty()) append_curve("sliding", curves_.sliding);
    if (!curves_.intervals.empty()) {
      append("$bands << EOD\n");
      for (const Range& interval : curves_.intervals) append("{:.9g} {:.9g}\n", interval.low, interval.high);
      append("EOD\n");
    }
    for (std::size_t group = 0; group < marker_groups().size(); ++group) {
      const auto& kinds = marker_groups()[group].kinds;
      std::string rows;
      std::swap(rows, text_);
      const auto append_events = [&](const Solution& solution) {
        for (const EventRecord& event : solution.events) {
          if (std::find(kinds.begin(), kinds.end(), event.kind) != kinds.end()) append_event(event, solution);
        }
      };
      append_events(solution_);
      for (const Solution* further : report_.further) append_events(*further);
      std::swap(rows, text_);
      if (rows.empty()) continue;
      append("$events{} << EOD\n{}EOD\n", group, rows);
      used_groups_.push_back(group);
    }
    if (system_.states() > most_states_with_surfaces || system_.surfaces() > most_surfaces) return;
    for (Index surface = 0; surface < system_.surfaces(); ++surface) surface_data(surface);
  }

  // gnuplot finds the zero set of a guard on a grid; the result is the datablock `name`.
  void append_contour(const std::string& name, const GuardGrid& grid) {
    append("$grid << EOD\n");
    for (Index row = 0; row < grid.values.rows(); ++row) {
      for (Index column = 0; column < grid.values.cols(); ++column)
        append("{:.6g} ", grid.values(row, column));
      append("\n");
    }
    append("EOD\nset contour base\nset cntrparam levels discrete 0\nunset surface\nset table ${}\n", name);
    append("splot $grid matrix using ({:.10g}+$1*{:.10g}):({:.10g}+$2*{:.10g}):3 with lines\n", grid.x.low,
           grid.x.width() / static_cast<double>(grid.values.cols() - 1), grid.y.low,
           grid.y.width() / static_cast<double>(grid.values.rows() - 1));
    append("unset table\nunset contour\nset surface\n");
  }

  void surface_data(Index surface) {
    for (const Index state : panels_) {
      const auto grid = guard_over_time(system_, surface, state, curves_);
      if (!grid || !grid->has_zero()) continue;
      const std::string name = fmt::format("time_{}_{}", surface, state);
      append_contour(name, *grid);
      time_contours_.emplace_back(state, name);
    }
    // What depends on other states too has no place in the portrait.
    if (portrait_.empty() || !depends_only_on(system_, surface, portrait_, curves_)) return;
    if (portrait_.size() == 2) {
      const GuardGrid grid = guard_over_plane(system_, surface, curves_.time.high, solution_.final.state,
                                              portrait_[0], portrait_[1], curves_);
      if (!grid.has_zero()) return;
      append_contour(fmt::format("portrait_{}", surface), grid);
    } else {
      const auto lines =
          guard_wireframe(system_, surface, curves_.time.high, solution_.final.state, portrait_, curves_);
      if (lines.empty()) return;
      append("$portrait_{} << EOD\n", surface);
      for (const Segment3& line : lines)
        append("{:.7g} {:.7g} {:.7g}\n{:.7g} {:.7g} {:.7g}\n\n\n", line.from.x(), line.from.y(),
               line.from.z(), line.to.x(), line.to.y(), line.to.z());
      append("EOD\n");
    }
    portrait_surfaces_.push_back(fmt::format("portrait_{}", surface));
    surfaces_move_ = surfaces_move_ || guard_moves(system_, surface, curves_);
  }

  void place(const Frame& frame) {
    append("set lmargin at screen {:.4f}\nset rmargin at screen {:.4f}\n", frame.left, frame.right);
    append("set bmargin at screen {:.4f}\nset tmargin at screen {:.4f}\n", frame.bottom, frame.top);
  }

  static std::string surface_style() {
    return fmt::format("with lines linecolor rgb '{}' linewidth 1.2 dashtype (7,5)", surface_colour);
  }

  static std::string band_style() {
    return fmt::format("with boxxyerror fillstyle solid 1 noborder fillcolor rgb '{}'", band_colour);
  }

  std::string marker_style(std::size_t group) const {
    const MarkerGroup& marker = marker_groups()[group];
    const double size = solution_.events.size() > most_large_markers ? 0.4 * marker.size : marker.size;
    return fmt::format("with points pointtype {} pointsize {:.2f} linewidth 1.2 linecolor rgb '{}'",
                       marker.point_type, size, event_colour);
  }

  void append_plot(const std::vector<std::string>& parts) {
    append("plot {}\n", fmt::join(parts, ", \\\n  "));
  }

  void time_panels(const Frame& frame) {
    const double gap = 0.028;
    const auto count = static_cast<double>(panels_.size());
    const double height = (frame.top - frame.bottom - gap * (count - 1)) / count;
    // A run that stopped where it began is shown at the beginning of the time it was meant to take.
    Range time = curves_.time;
    if (time.width() <= 0) time.high = std::max(time.high, report_.instance.end);
    if (time.width() <= 0) time = padded(time);
    append("unset key\n");
    for (std::size_t panel = 0; panel < panels_.size(); ++panel) {
      const Index state = panels_[panel];
      const double top = frame.top - static_cast<double>(panel) * (height + gap);
      const bool lowest = panel + 1 == panels_.size();
      place({frame.left, frame.right, top - height, top});
      append("set xrange {}\nset yrange {}\n", range_text(time), range_text(range(state)));
      append("set ylabel {} offset 0.5,0\n{}\n", in_quotes(state_name(state)),
             lowest ? "set xlabel 't' offset 0,0.3\nset format x '%g'" : "unset xlabel\nset format x ''");
      append_plot(time_parts(state));
      // What belongs to the page is drawn with the first panel.
      append("unset label\nunset arrow\nunset object\n");
    }
  }

  std::vector<std::string> time_parts(Index state) const {
    const Range& whole = range(state);
    std::vector<std::string> parts;
    if (!curves_.intervals.empty()) {
      parts.push_back(fmt::format("$bands using (0.5*($1+$2)):({:.10g}):1:2:({:.10g}):({:.10g}) {}",
                                  0.5 * (whole.low + whole.high), whole.low, whole.high, band_style()));
    }
    for (const auto& [of_state, name] : time_contours_) {
      if (of_state == state) parts.push_back(fmt::format("${} using 1:2 {}", name, surface_style()));
    }
    parts.push_back(fmt::format("$whole using 1:{} with lines linecolor rgb '{}' linewidth 2", column(state),
                                curve_colour));
    if (!curves_.sliding.empty()) {
      parts.push_back(fmt::format("$sliding using 1:{} with lines linecolor rgb '{}' linewidth 3",
                                  column(state), sliding_colour));
    }
    for (const std::size_t group : used_groups_) {
      parts.push_back(fmt::format("$events{} using 1:{} {}", group, column(state), marker_style(group)));
    }
    return parts;
  }

  // "2:3", the columns of the states of the portrait.
  std::string portrait_columns() const {
    std::string text;
    for (const Index state : portrait_) text += fmt::format("{}{}", text.empty() ? "" : ":", column(state));
    return text;
  }

  std::vector<std::string> portrait_parts() const {
    const std::string columns = portrait_columns();
    std::vector<std::string> parts;
    for (const std::string& name : portrait_surfaces_) {
      parts.push_back(
          portrait_.size() == 2
              ? fmt::format("${} using 1:2 {}", name, surface_style())
              : fmt::format("${} using 1:2:3 with lines linecolor rgb '#999999' linewidth 0.6", name));
    }
    parts.push_back(
        fmt::format("$whole using {} with lines linecolor rgb '{}' linewidth 2", columns, curve_colour));
    if (!curves_.sliding.empty()) {
      parts.push_back(fmt::format("$sliding using {} with lines linecolor rgb '{}' linewidth 4", columns,
                                  sliding_colour));
    }
    for (const std::size_t group : used_groups_)
      parts.push_back(fmt::format("$events{} using {} {}", group, columns, marker_style(group)));
    for (const auto& [name, type] : {std::pair{"start", 7}, std::pair{"end", 5}}) {
      parts.push_back(fmt::format("${} using {} with points pointtype {} pointsize {} linecolor rgb '{}'",
                                  name, columns, type, type == 7 ? 0.8 : 0.7, curve_colour));
    }
    return parts;
  }

  // A solution that stops where it is not unique goes on in others.
  std::vector<const Snapshot*> ends() const {
    std::vector<const Snapshot*> result;
    const auto add = [&](const Solution& solution) {
      if (solution.outcome.status != Status::ambiguous) result.push_back(&solution.final);
    };
    add(solution_);
    for (const Solution* further : report_.further) add(*further);
    if (result.empty()) result.push_back(&solution_.final);
    return result;
  }

  void portrait_ends() {
    const auto points = [&](const char* name, const std::vector<const Snapshot*>& snapshots) {
      append("${} << EOD\n", name);
      for (const Snapshot* const at : snapshots) {
        append("{:.9g}", at->t);
        for (const Index kept : kept_) append(" {:.9g}", at->state(kept));
        append("\n");
      }
      append("EOD\n");
    };
    points("start", {&solution_.initial});
    points("end", ends());
  }

  void plane_portrait(const Frame& frame) {
    portrait_ends();
    place(frame);
    append("set xrange {}\nset yrange {}\n", range_text(range(portrait_[0])),
           range_text(range(portrait_[1])));
    append("set xlabel {} offset 0,0.3\nset ylabel {} offset 0.5,0\nset format x '%g'\n",
           in_quotes(state_name(portrait_[0])), in_quotes(state_name(portrait_[1])));
    arrows();
    surface_time();
    append_plot(portrait_parts());
  }

  void space_portrait(const Frame& frame) {
    portrait_ends();
    // Between fixed margins gnuplot does not scale a drawing in space.
    append("set lmargin -1\nset rmargin -1\nset bmargin -1\nset tmargin -1\n");
    append("set origin {:.4f},{:.4f}\nset size {:.4f},{:.4f}\n", frame.left, frame.bottom,
           frame.right - frame.left, frame.top - frame.bottom);
    append("set xrange {}\nset yrange {}\nset zrange {}\n", range_text(range(portrait_[0])),
           range_text(range(portrait_[1])), range_text(range(portrait_[2])));
    append(
        "set xlabel {} offset 0,-0.5\nset ylabel {} offset 0,-0.5\nset zlabel {} offset -1,0 rotate by 90\n",
        in_quotes(state_name(portrait_[0])), in_quotes(state_name(portrait_[1])),
        in_quotes(state_name(portrait_[2])));
    append(
        "set format x '%g'\nset xyplane relative 0\nset view 62,35,0.95,1.2\nset border 4095 linewidth "
        "0.4\n");
    append("set tics offset 0,0\nset grid xtics ytics ztics linecolor rgb '#DDDDDD' linewidth 0.5\n");
    surface_time();
    append("splot {}\n", fmt::join(portrait_parts(), ", \\\n  "));
  }

  void surface_time() {
    if (!surfaces_move_) return;
    append("set label {} at graph 0.98,0.04 right\n",
           in_quotes(fmt::format("surface at t = {:.4g}", curves_.time.high)));
  }

  // Arrow heads on the way tell the direction of time.
  void arrows() {
    const auto across = static_cast<Index>(place_of(portrait_[0]));
    const auto up = static_cast<Index>(place_of(portrait_[1]));
    const double width = range(portrait_[0]).width();
    const double height = range(portrait_[1]).width();
    const auto distance = [&](const Sample& a, const Sample& b) {
      return std::hypot((b.state(across) - a.state(across)) / width, (b.state(up) - a.state(up)) / height);
    };
    double length = 0;
    for (const auto& piece : curves_.whole) {
      for (std::size_t i = 1; i < piece.size(); ++i) length += distance(piece[i - 1], piece[i]);
    }
    // A long run passes the same places again: arrows belong to its beginning.
    const double spacing = std::min(0.35 * length, 0.9);
    double next = 0.45 * spacing;
    double travelled = 0;
    int drawn = 0;
    for (const auto& piece : curves_.whole) {
      for (std::size_t i = 1; i < piece.size() && drawn < 3; ++i) {
        const double step = distance(piece[i - 1], piece[i]);
        travelled += step;
        if (travelled < next || step == 0) continue;
        // Of a tree only the root's trajectory is known by time.
        const double t = piece[i - 1].t;
        const bool sliding =
            t <= solution_.trajectory.end() && solution_.trajectory.mode(t).codimension() > 0;
        append(
            "set arrow from {:.9g},{:.9g} to {:.9g},{:.9g} head filled size screen 0.014,17,90 fixed front "
            "linecolor rgb '{}' linewidth 1\n",
            piece[i - 1].state(across), piece[i - 1].state(up), piece[i].state(across), piece[i].state(up),
            sliding ? sliding_colour : curve_colour);
        next = travelled + spacing;
        ++drawn;
      }
    }
  }

  // One line across the top of the page for all panels, built from its right end by the estimated width of the text.
  // Returns where it begins.
  double legend(double right, int width, int height) {
    constexpr double character = 6.3;  // pixels, of the terminals' fonts
    constexpr double symbol = 28;
    double x = right * width;
    const double y = 1 - 0.45 * header_;
    const auto entry = [&](const std::string& title, const auto& draw_symbol) {
      x -= character * static_cast<double>(title.size());
      const double text_at = x / width;
      x -= symbol;
      draw_symbol((x + 4) / width, (x + symbol - 6) / width);
      append("set label {} at screen {:.4f},{:.4f} left\n", in_quotes(title), text_at, y);
      x -= 16;
    };
    const auto point = [&](int type, double size, const char* colour) {
      return [=, this](double from, double to) {
        append(
            "set label '' at screen {:.4f},{:.4f} point pointtype {} pointsize {:.2f} linewidth 1.2 "
            "linecolor rgb "
            "'{}'\n",
            0.5 * (from + to) + 4.0 / width, y, type, size, colour);
      };
    };
    if (!portrait_.empty()) {
      entry("end", point(5, 0.7, curve_colour));
      entry("start", point(7, 0.8, curve_colour));
    }
    for (auto group = used_groups_.rbegin(); group != used_groups_.rend(); ++group) {
      const MarkerGroup& marker = marker_groups()[*group];
      entry(marker.title, point(marker.point_type, marker.size, event_colour));
    }
    if (!time_contours_.empty() || !portrait_surfaces_.empty()) {
      constexpr std::size_t longest = 28;
      entry(system_.surfaces() == 1 ? shortened(system_.surface_names().front(), longest) + " = 0"
                                    : std::string("surfaces"),
            [&](double from, double to) {
              append(
                  "set arrow from screen {:.4f},{:.4f} to screen {:.4f},{:.4f} nohead linecolor rgb '{}' "
                  "linewidth "
                  "1.2 dashtype (7,5)\n",
                  from, y, to, y, surface_colour);
            });
    }
    if (!curves_.sliding.empty()) {
      entry(system_.surfaces() > 1 ? "sliding on any surface" : "sliding", [&](double from, double to) {
        if (!curves_.intervals.empty())
          append(
              "set object rectangle from screen {:.4f},{:.4f} to screen {:.4f},{:.4f} fillstyle solid 1 "
              "noborder "
              "fillcolor rgb '{}'\n",
              from, y - 7.0 / height, to, y + 7.0 / height, band_colour);
        append(
            "set arrow from screen {:.4f},{:.4f} to screen {:.4f},{:.4f} nohead linecolor rgb '{}' linewidth "
            "3\n",
            from, y, to, y, sliding_colour);
      });
    }
    return x / width;
  }

  // The model's name, as much of it as there is room for.
  void title(double left, double right, int width) {
    std::string text = report_.model;
    if (portrait_.empty() && system_.states() > most_panels)
      text = fmt::format("{} (the first {} of {} states)", report_.model, panels_.size(), system_.states());
    const double room = std::max(8.0, (right - left) * width / 8.5);
    text = shortened(text, static_cast<std::size_t>(room));
    append("set label {} at screen {:.4f},{:.4f} left font ':Bold'\n", in_quotes(text), left,
           1 - 0.45 * header_);
  }

  const RunReport& report_;
  const System& system_;
  const Solution& solution_;
  std::vector<Index> kept_;  // the states in the data
  RunCurves curves_;
  std::vector<Index> panels_;    // the states over time
  std::vector<Index> portrait_;  // the states of the phase portrait
  double header_ = 0;
  double footer_ = 0;
  std::string text_;
  std::vector<std::size_t> used_groups_;
  std::vector<std::pair<Index, std::string>> time_contours_;
  std::vector<std::string> portrait_surfaces_;
  bool surfaces_move_ = false;
};

}  // namespace

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
  return Script(report, format, options).text();
}

void write_plot(const RunReport& report, const std::string& path, const PlotOptions& options) {
  write_picture(plot_script(report, picture_format(path), options), path);
}

}  // namespace slideway
