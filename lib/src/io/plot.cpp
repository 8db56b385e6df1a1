#include "slideway/io/plot.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <ostream>

#include <fmt/format.h>

#include "io/plot_curves.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/io/files.hpp"

namespace slideway {

namespace {

// Okabe & Ito's colours: distinct to colour-blind readers, and of different lightness in print.
constexpr const char* curve_colour = "#0072B2";
constexpr const char* sliding_colour = "#D55E00";
constexpr const char* band_colour = "#FBE3CF";
constexpr const char* surface_colour = "#444444";
constexpr const char* event_colour = "#000000";

constexpr Index most_panels = 6;
constexpr std::size_t most_large_markers = 120;
// Beyond these no surfaces are drawn: the picture would hold nothing else.
constexpr Index most_states_with_surfaces = 12;
constexpr Index most_surfaces = 12;

// A guard is a function of the whole state; without surfaces only what is drawn is kept.
Index states_kept(const System& system) {
  return system.states() <= most_states_with_surfaces ? system.states() : most_panels;
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
      {"jump or contact", 12, 1.1, {reset, transition, impact, contact, release}},
      {"touch or record", 2, 0.8, {grazing, record}},
      {"not unique", 3, 1.2, {repelling, two_fold, ambiguous}},
      {"stop", 5, 0.9, {stop, zeno}},
  };
  return groups;
}

// In single quotes gnuplot expands nothing; a quote is doubled, and what cannot be printed becomes a space.
std::string in_quotes(const std::string& text) {
  std::string result = "'";
  for (const char character : text) {
    if (static_cast<unsigned char>(character) < 0x20 || character == 0x7f) {
      result += ' ';
    } else {
      result += character;
      if (character == '\'') result += '\'';
    }
  }
  result += '\'';
  return result;
}

std::string range_text(const Range& range) { return fmt::format("[{:.10g}:{:.10g}]", range.low, range.high); }

const char* terminal(PictureFormat format) {
  switch (format) {
    case PictureFormat::png:
      return "pngcairo noenhanced background 'white' font 'Helvetica,10' fontscale 1.5 linewidth 1.6 "
             "pointscale 1.6";
    case PictureFormat::pdf:
      return "pdfcairo noenhanced font 'Helvetica,9.5' linewidth 1.2 pointscale 0.7";
    case PictureFormat::svg:
      break;
  }
  return "svg name 'slideway' noenhanced font 'Helvetica,13' background 'white' linewidth 1.1";
}

// Nominal pixels to what the terminal counts in.
std::string terminal_size(PictureFormat format, int width, int height) {
  if (format == PictureFormat::pdf) return fmt::format("size {:.2f}cm,{:.2f}cm", width / 40.0, height / 40.0);
  const double scale = format == PictureFormat::png ? 1.6 : 1.0;
  return fmt::format("size {:.0f},{:.0f}", width * scale, height * scale);
}

// A rectangle of the page, in fractions of it.
struct Frame {
  double left, right, bottom, top;
};

class Script {
 public:
  Script(const RunReport& report, PictureFormat format)
      : report_(report),
        system_(report.instance.system),
        solution_(report.solution),
        curves_(sample_run(report.solution, states_kept(system_))),
        panels_(std::min(system_.states(), most_panels)) {
    const bool portrait = system_.states() == 2;
    const int width = portrait ? 1000 : 860;
    const int height = portrait ? 470 : 190 + 150 * static_cast<int>(panels_);
    header_ = 46.0 / height;
    footer_ = 58.0 / height;
    append("set terminal {} {}\n", terminal(format), terminal_size(format, width, height));
    append(
        "set encoding utf8\nset border front linewidth 0.6\nset tics nomirror front\nset datafile missing "
        "'nan'\n");
    data();
    append("set multiplot\n");
    const Frame panels =
        portrait ? Frame{0.075, 0.50, footer_, 1 - header_} : Frame{0.095, 0.97, footer_, 1 - header_};
    title(panels.left, legend(portrait ? 0.985 : 0.97, width, height), width);
    time_panels(panels);
    if (portrait) phase_portrait({0.575, 0.985, footer_, 1 - header_});
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

  void append_row(double t, const Vector& state) {
    append("{:.9g}", t);
    for (Index j = 0; j < state.size() && j < most_panels; ++j) append(" {:.8g}", state(j));
    append("\n");
  }

  void append_curve(const char* name, const Curve& curve) {
    append("${} << EOD\n", name);
    for (const auto& piece : curve) {
      for (const Sample& sample : piece) append_row(sample.t, sample.state);
      append("\n");
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
      for (const EventRecord& event : solution_.events) {
        if (std::find(kinds.begin(), kinds.end(), event.kind) != kinds.end())
          append_row(event.t, event.after.size() > 0 ? event.after : solution_.trajectory(event.t));
      }
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
    for (Index state = 0; state < panels_; ++state) {
      const auto grid = guard_over_time(system_, surface, state, curves_);
      if (!grid || !grid->has_zero()) continue;
      const std::string name = fmt::format("time_{}_{}", surface, state);
      append_contour(name, *grid);
      time_contours_.emplace_back(state, name);
    }
    if (system_.states() != 2) return;
    const GuardGrid grid = guard_over_plane(system_, surface, curves_.time.high, curves_);
    if (!grid.has_zero()) return;
    const std::string name = fmt::format("plane_{}", surface);
    append_contour(name, grid);
    plane_contours_.push_back(name);
    plane_moves_ = plane_moves_ || guard_moves(system_, surface, curves_);
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
    const double height =
        (frame.top - frame.bottom - gap * static_cast<double>(panels_ - 1)) / static_cast<double>(panels_);
    // A run that stopped where it began is shown at the beginning of the time it was meant to take.
    Range time = curves_.time;
    if (time.width() <= 0) time.high = std::max(time.high, report_.instance.end);
    if (time.width() <= 0) time = padded(time);
    append("unset key\n");
    for (Index state = 0; state < panels_; ++state) {
      const double top = frame.top - static_cast<double>(state) * (height + gap);
      const bool lowest = state + 1 == panels_;
      place({frame.left, frame.right, top - height, top});
      append("set xrange {}\nset yrange {}\n", range_text(time),
             range_text(curves_.states[static_cast<std::size_t>(state)]));
      append("set ylabel {} offset 0.5,0\n{}\n", in_quotes(state_name(state)),
             lowest ? "set xlabel 't' offset 0,0.3\nset format x '%g'" : "unset xlabel\nset format x ''");
      append_plot(time_parts(state));
      // What belongs to the page is drawn with the first panel.
      append("unset label\nunset arrow\nunset object\n");
    }
  }

  std::vector<std::string> time_parts(Index state) const {
    const Range& range = curves_.states[static_cast<std::size_t>(state)];
    const Index column = state + 2;
    std::vector<std::string> parts;
    if (!curves_.intervals.empty()) {
      parts.push_back(fmt::format("$bands using (0.5*($1+$2)):({:.10g}):1:2:({:.10g}):({:.10g}) {}",
                                  0.5 * (range.low + range.high), range.low, range.high, band_style()));
    }
    for (const auto& [of_state, name] : time_contours_) {
      if (of_state == state) parts.push_back(fmt::format("${} using 1:2 {}", name, surface_style()));
    }
    parts.push_back(
        fmt::format("$whole using 1:{} with lines linecolor rgb '{}' linewidth 2", column, curve_colour));
    if (!curves_.sliding.empty()) {
      parts.push_back(fmt::format("$sliding using 1:{} with lines linecolor rgb '{}' linewidth 3", column,
                                  sliding_colour));
    }
    for (const std::size_t group : used_groups_) {
      parts.push_back(fmt::format("$events{} using 1:{} {}", group, column, marker_style(group)));
    }
    return parts;
  }

  void phase_portrait(const Frame& frame) {
    place(frame);
    append("set xrange {}\nset yrange {}\n", range_text(curves_.states[0]), range_text(curves_.states[1]));
    append("set xlabel {} offset 0,0.3\nset ylabel {} offset 0.5,0\nset format x '%g'\n",
           in_quotes(state_name(0)), in_quotes(state_name(1)));
    arrows();
    std::vector<std::string> parts;
    for (const std::string& name : plane_contours_) {
      parts.push_back(fmt::format("${} using 1:2 {}", name, surface_style()));
    }
    parts.push_back(fmt::format("$whole using 2:3 with lines linecolor rgb '{}' linewidth 2", curve_colour));
    if (!curves_.sliding.empty()) {
      parts.push_back(
          fmt::format("$sliding using 2:3 with lines linecolor rgb '{}' linewidth 4", sliding_colour));
    }
    for (const std::size_t group : used_groups_) {
      parts.push_back(fmt::format("$events{} using 2:3 {}", group, marker_style(group)));
    }
    for (const auto& [at, type] : {std::pair{&solution_.initial, 7}, std::pair{&solution_.final, 5}}) {
      parts.push_back(
          fmt::format("'+' every ::0::0 using ({:.9g}):({:.9g}) with points pointtype {} pointsize {} "
                      "linecolor rgb '{}'",
                      at->state(0), at->state(1), type, type == 7 ? 0.8 : 0.7, curve_colour));
    }
    if (plane_moves_) {
      append("set label {} at graph 0.98,0.04 right\n",
             in_quotes(fmt::format("surface at t = {:.4g}", curves_.time.high)));
    }
    append_plot(parts);
  }

  // Arrow heads on the way tell the direction of time.
  void arrows() {
    const double width = curves_.states[0].width();
    const double height = curves_.states[1].width();
    const auto distance = [&](const Sample& a, const Sample& b) {
      return std::hypot((b.state(0) - a.state(0)) / width, (b.state(1) - a.state(1)) / height);
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
        const bool sliding = solution_.trajectory.mode(piece[i - 1].t).codimension() > 0;
        append(
            "set arrow from {:.9g},{:.9g} to {:.9g},{:.9g} head filled size screen 0.014,17,90 fixed front "
            "linecolor rgb '{}' linewidth 1\n",
            piece[i - 1].state(0), piece[i - 1].state(1), piece[i].state(0), piece[i].state(1),
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
    if (system_.states() == 2) {
      entry("end", point(5, 0.7, curve_colour));
      entry("start", point(7, 0.8, curve_colour));
    }
    for (auto group = used_groups_.rbegin(); group != used_groups_.rend(); ++group) {
      const MarkerGroup& marker = marker_groups()[*group];
      entry(marker.title, point(marker.point_type, marker.size, event_colour));
    }
    if (!time_contours_.empty() || !plane_contours_.empty()) {
      entry(system_.surfaces() == 1 ? system_.surface_names().front() + " = 0" : std::string("surfaces"),
            [&](double from, double to) {
              append(
                  "set arrow from screen {:.4f},{:.4f} to screen {:.4f},{:.4f} nohead linecolor rgb '{}' "
                  "linewidth "
                  "1.2 dashtype (7,5)\n",
                  from, y, to, y, surface_colour);
            });
    }
    if (!curves_.intervals.empty()) {
      entry("sliding", [&](double from, double to) {
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
    std::string text = system_.states() > panels_ ? fmt::format("{} (the first {} of {} states)",
                                                                report_.model, panels_, system_.states())
                                                  : report_.model;
    const double room = std::max(8.0, (right - left) * width / 8.5);
    if (static_cast<double>(text.size()) > room) {
      auto length = static_cast<std::size_t>(room);
      while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) --length;
      text = text.substr(0, length) + "…";
    }
    append("set label {} at screen {:.4f},{:.4f} left font ':Bold'\n", in_quotes(text), left,
           1 - 0.45 * header_);
  }

  const RunReport& report_;
  const System& system_;
  const Solution& solution_;
  RunCurves curves_;
  Index panels_;
  double header_ = 0;
  double footer_ = 0;
  std::string text_;
  std::vector<std::size_t> used_groups_;
  std::vector<std::pair<Index, std::string>> time_contours_;
  std::vector<std::string> plane_contours_;
  bool plane_moves_ = false;
};

}  // namespace

PictureFormat picture_format(const std::string& path) {
  if (is_standard_output(path)) return PictureFormat::svg;
  const std::string extension = std::filesystem::path(path).extension().string();
  if (extension == ".svg") return PictureFormat::svg;
  if (extension == ".png") return PictureFormat::png;
  if (extension == ".pdf") return PictureFormat::pdf;
  refuse({.what = "no picture can be made with this name",
          .where = path,
          .expected = "a name that ends in .svg, .png or .pdf",
          .got = extension.empty() ? "no ending" : extension});
}

std::string plot_script(const RunReport& report, PictureFormat format) {
  return Script(report, format).text();
}

void write_plot(const RunReport& report, const std::string& path) {
  const std::string picture = render(plot_script(report, picture_format(path)));
  write_whole(path, [&](std::ostream& out) {
    out.write(picture.data(), static_cast<std::streamsize>(picture.size()));
  });
}

}  // namespace slideway
