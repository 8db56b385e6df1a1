// PlotScript: the panels over time, the line of the legend above them and the title.

#include "report/plot_script.hpp"
#include "report/plot_style.hpp"

namespace slideway {

namespace {

constexpr std::size_t most_large_markers = 120;

// At most so many bytes, whole characters, and a mark where something is left out.
std::string shortened(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0) == 0x80) --most;
  return text.substr(0, most) + "…";
}

}  // namespace

std::string PlotScript::surface_style() {
  return fmt::format("with lines linecolor rgb '{}' linewidth 1.2 dashtype (7,5)", surface_colour);
}

std::string PlotScript::band_style() {
  return fmt::format("with boxxyerror fillstyle solid 1 noborder fillcolor rgb '{}'", band_colour);
}

std::string PlotScript::marker_style(std::size_t group) const {
  const MarkerGroup& marker = marker_groups()[group];
  const double size = solution_.events.size() > most_large_markers ? 0.4 * marker.size : marker.size;
  return fmt::format("with points pointtype {} pointsize {:.2f} linewidth 1.2 linecolor rgb '{}'",
                     marker.point_type, size, event_colour);
}

void PlotScript::append_plot(const std::vector<std::string>& parts) {
  append("plot {}\n", fmt::join(parts, ", \\\n  "));
}

void PlotScript::time_panels(const Frame& frame) {
  const double gap = 0.028;
  const auto count = static_cast<double>(panels_.size());
  const double height = (frame.top - frame.bottom - gap * (count - 1)) / count;
  // A run that stopped where it began is shown at the beginning of the time it was meant to take.
  Range time = curves_.time;
  if (is_whole_ && time.width() <= 0) time.high = std::max(time.high, report_.instance.end);
  if (time.width() <= 0) time = padded(time);
  append("unset key\n");
  for (std::size_t panel = 0; panel < panels_.size(); ++panel) {
    const Index state = panels_[panel];
    const double top = frame.top - static_cast<double>(panel) * (height + gap);
    const bool lowest = panel + 1 == panels_.size();
    place({frame.left, frame.right, top - height, top});
    append("set xrange {}\nset yrange {}\n", range_text(time), range_text(range(state)));
    append("set ylabel {} offset 0.5,0\n{}\n", in_quotes(curve_name(report_, state)),
           lowest ? "set xlabel 't' offset 0,0.3\nset format x '%g'" : "unset xlabel\nset format x ''");
    append_plot(time_parts(state));
    // The labels and lines of the page are drawn with the first panel.
    append("unset label\nunset arrow\nunset object\n");
  }
}

std::vector<std::string> PlotScript::time_parts(Index state) const {
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

// One line across the top of the page for all panels, built from its right end by the estimated width of the text.
// Returns where it begins.
double PlotScript::legend(double right, int width, int height) {
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
  if (!portrait_.empty() && is_whole_) {
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

// The title asked for or the model's name, as much of it as there is room for.
void PlotScript::title(double left, double right, int width) {
  std::string text = report_.model;
  const auto states =
      std::count_if(panels_.begin(), panels_.end(), [&](Index curve) { return is_state(curve); });
  if (!title_.empty())
    text = title_;
  else if (portrait_.empty() && states < system_.states())
    text = fmt::format("{} (the first {} of {} states)", report_.model, states, system_.states());
  const double room = std::max(8.0, (right - left) * width / 8.5);
  text = shortened(text, static_cast<std::size_t>(room));
  append("set label {} at screen {:.4f},{:.4f} left font ':Bold'\n", in_quotes(text), left,
         1 - 0.45 * header_);
}

}  // namespace slideway
