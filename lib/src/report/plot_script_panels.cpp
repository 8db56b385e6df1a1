// PlotScript: the panels over time, the line of the legend above them and the title.

#include <array>

#include "report/plot_script.hpp"
#include "report/plot_style.hpp"

namespace slideway {

namespace {

constexpr std::size_t most_large_markers = 120;
constexpr double location_band_pixels = 20;
// More stretches are too narrow to be told apart.
constexpr std::size_t most_location_spans = 150;

}  // namespace

std::string PlotScript::surface_style() {
  return fmt::format("with lines linecolor rgb '{}' linewidth 1.2 dashtype (7,5)", surface_colour);
}

std::string PlotScript::jump_style() {
  return "with lines linecolor rgb '#888888' linewidth 1 dashtype (2,4)";
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
  const std::vector<LocationSpan> band = location_band();
  const double band_height = band.empty() ? 0 : location_band_pixels / page_height_;
  const double bottom = frame.bottom + band_height;
  const double height = (frame.top - bottom - gap * (count - 1)) / count;
  // A run that stopped where it began is shown at the beginning of the time it was meant to take.
  Range time = time_.range;
  if (is_whole_ && time.width() <= 0) time.high = std::max(time.high, report_.instance.end);
  if (time.width() <= 0) time = padded(time);
  append("unset key\n");
  for (std::size_t panel = 0; panel < panels_.size(); ++panel) {
    const Index state = panels_[panel];
    const double top = frame.top - static_cast<double>(panel) * (height + gap);
    const bool lowest = panel + 1 == panels_.size();
    place({frame.left, frame.right, top - height, top});
    const bool has_time = lowest && band.empty();
    append("{}{}", Axis{time, time_.is_logarithmic}.commands('x'), axis(state).commands('y'));
    const std::string numbers = axis(state).number_format(words_);
    if (!numbers.empty()) append("set format y {}\n", numbers);
    // Long numbers take the place of the name.
    if (numbers.empty() || axis(state).is_logarithmic)
      append("set ylabel {} offset {},0\n", name(state), words_.label_offset());
    else
      append("unset ylabel\nset label {} at graph 0.01,0.92 left front\n", name(state));
    append("{}\n", has_time ? fmt::format("set xlabel {} offset 0,0.3\nset format x {}", words_.name("t"),
                                          words_.number_format())
                            : "unset xlabel\nset format x ''");
    append_plot(time_parts(state));
    // The labels and lines of the page are drawn with the first panel.
    append("unset label\nunset arrow\nunset object\n");
    if (axis(state).is_logarithmic) append("unset logscale y\n");
    if (!numbers.empty()) append("set format y\n");
  }
  if (!band.empty()) draw_locations(band, {frame.left, frame.right, frame.bottom, bottom});
  if (time_.is_logarithmic) append("unset logscale x\n");
}

// The stretches of the locations, or none where a name has no stretch that is wide enough for it.
std::vector<PlotScript::LocationSpan> PlotScript::location_band() const {
  std::vector<LocationSpan> spans;
  if (solution_.initial.location.empty() || !report_.further.empty() || time_.is_logarithmic) return spans;
  for (const Segment& segment : solution_.trajectory.segments()) {
    const Range time{std::max(segment.start, curves_.time.low), std::min(segment.end, curves_.time.high)};
    if (!(time.width() > 0)) continue;
    if (!spans.empty() && spans.back().name == segment.location)
      spans.back().time.high = time.high;
    else
      spans.push_back({segment.location, time});
    if (spans.size() > most_location_spans) return {};
  }
  std::vector<std::string> named;
  for (LocationSpan& span : spans) {
    const double pixels = panel_width_ * span.time.width() / curves_.time.width();
    span.is_named = words_.width(span.name) <= pixels;
    if (span.is_named && !is_among(named, span.name)) named.push_back(span.name);
  }
  const bool all_are_named = std::all_of(
      spans.begin(), spans.end(), [&](const LocationSpan& span) { return is_among(named, span.name); });
  return all_are_named ? spans : std::vector<LocationSpan>{};
}

void PlotScript::draw_locations(const std::vector<LocationSpan>& spans, const Frame& frame) {
  // Pale, and of different lightness in print.
  static constexpr std::array<const char*, 6> colours = {"#D6E6F2", "#F6E3B5", "#CFE8DE",
                                                         "#F0D9E6", "#E4E4E4", "#BFD9EE"};
  place(frame);
  std::vector<std::string> known;
  for (const LocationSpan& span : spans) {
    if (!is_among(known, span.name)) known.push_back(span.name);
    const auto number =
        static_cast<std::size_t>(std::find(known.begin(), known.end(), span.name) - known.begin());
    append(
        "set object rectangle from first {:.12g},graph 0 to first {:.12g},graph 1 behind fillstyle solid 1 "
        "noborder fillcolor rgb '{}'\n",
        span.time.low, span.time.high, colours[number % colours.size()]);
    if (span.is_named)
      append("set label {} at first {:.12g},graph 0.5 center front\n", words_.verbatim(span.name),
             0.5 * (span.time.low + span.time.high));
  }
  append(
      "unset ylabel\nunset ytics\nset yrange [0:1]\nset xlabel {} offset 0,0.3\nset format x {}\nplot -1 "
      "notitle\n",
      words_.name("t"), words_.number_format());
  append("unset label\nunset object\nset ytics nomirror\n");
}

std::vector<std::string> PlotScript::time_parts(Index state) const {
  const Range& whole = axis(state).range;
  std::vector<std::string> parts;
  if (!curves_.intervals.empty()) {
    // A band on a logarithmic axis begins where the axis does.
    const std::string left =
        time_.is_logarithmic ? fmt::format("($1>{0:.10g}?$1:{0:.10g})", time_.range.low) : "1";
    parts.push_back(fmt::format("$bands using (0.5*($1+$2)):({:.10g}):{}:2:({:.10g}):({:.10g}) {}",
                                axis(state).middle(), left, whole.low, whole.high, band_style()));
  }
  for (const auto& [of_state, name] : time_contours_) {
    if (of_state == state) parts.push_back(fmt::format("${} using 1:2 {}", name, surface_style()));
  }
  if (draws_jumps_) parts.push_back(fmt::format("$jumps using 1:{} {}", column(state), jump_style()));
  parts.push_back(fmt::format("$whole using 1:{} with lines linecolor rgb '{}' linewidth 2", column(state),
                              curve_colour));
  if (!curves_.sliding.empty()) {
    parts.push_back(fmt::format("$sliding using 1:{} with lines linecolor rgb '{}' linewidth 3",
                                column(state), sliding_colour));
  }
  const auto panel =
      static_cast<std::size_t>(std::find(panels_.begin(), panels_.end(), state) - panels_.begin());
  for (const Marked& marked : used_groups_) {
    if (!marked.panels[panel].empty())
      parts.push_back(
          fmt::format("{} using 1:{} {}", marked.panels[panel], column(state), marker_style(marked.group)));
  }
  return parts;
}

// legend() lists entries from left to right. They stand for all panels.
Legend PlotScript::legend() const {
  Legend entries;
  if (!curves_.sliding.empty()) {
    const bool has_bands = !curves_.intervals.empty();
    entries.add(system_.surfaces() > 1 ? "sliding on any surface" : "sliding", [=](const Legend::Spot& spot) {
      std::string text;
      if (has_bands)
        text = fmt::format(
            "set object rectangle from screen {:.4f},{:.4f} to screen {:.4f},{:.4f} fillstyle solid 1 "
            "noborder fillcolor rgb '{}'\n",
            spot.from, spot.y - 7 * spot.pixel, spot.to, spot.y + 7 * spot.pixel, band_colour);
      return text + Legend::line(sliding_colour, 3, "")(spot);
    });
  }
  if (!time_contours_.empty() || !portrait_surfaces_.empty()) {
    constexpr std::size_t longest = 28;
    entries.add(system_.surfaces() == 1 ? shortened(system_.surface_names().front(), longest) + " = 0"
                                        : std::string("surfaces"),
                Legend::line(surface_colour, 1.2, "(7,5)"));
  }
  for (const Marked& marked : used_groups_) {
    const MarkerGroup& marker = marker_groups()[marked.group];
    entries.add(marked.drawn < marked.all
                    ? fmt::format("{} ({} of {})", marker.title, marked.drawn, marked.all)
                    : marker.title,
                Legend::point(marker.point_type, marker.size, event_colour));
  }
  if (!portrait_.empty() && is_whole_) {
    entries.add("start", Legend::point(7, 0.8, curve_colour));
    entries.add("end", Legend::point(5, 0.7, curve_colour));
  }
  return entries;
}

std::string PlotScript::title() const {
  if (!title_.empty()) return title_;
  const auto states =
      std::count_if(panels_.begin(), panels_.end(), [&](Index curve) { return is_state(curve); });
  if (!portrait_.empty() || are_chosen_ || states == system_.states()) return report_.model;
  return fmt::format("{} (the first {} of {} states)", report_.model, states, system_.states());
}

}  // namespace slideway
