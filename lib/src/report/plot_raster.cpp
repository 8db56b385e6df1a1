#include "report/plot_raster.hpp"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "report/plot_script.hpp"
#include "report/plot_style.hpp"

namespace slideway {

namespace {

// More dots and bars than these take long to draw, and a page of 860 by 1100 pixels shows no more.
constexpr std::size_t most_dots = 60000;
constexpr double finest = 1.0 / 1500;  // of the width: half a pixel
constexpr double row_height = 15;      // pixels, where there is room
constexpr double most_rows_height = 1000;
constexpr double least_rows_height = 90;
constexpr double least_name_height = 13;  // pixels between two names

// "fire12" as "fire" and 12; a name without a number has −1.
std::pair<std::string, long long> name_and_number(const std::string& text) {
  const std::size_t last = text.find_last_not_of("0123456789");
  const std::size_t digits = last == std::string::npos ? 0 : last + 1;
  constexpr std::size_t most_digits = 18;
  if (digits == text.size() || text.size() - digits > most_digits) return {text, -1};
  return {text.substr(0, digits), std::stoll(text.substr(digits))};
}

}  // namespace

RasterScript::RasterScript(const RunReport& report, PictureFormat format, const PlotOptions& options)
    : words_(format, options.labels) {
  const System& system = report.instance.system;
  const Solution& solution = report.solution;
  Range time{solution.initial.t, solution.final.t};
  if (options.times)
    time = {std::max(time.low, options.times->first), std::min(time.high, options.times->second)};
  double first_step = time.high;
  for (const EventRecord& event : solution.events)
    if (event.t > 0) first_step = std::min(first_step, event.t);
  time_ = time_axis(time, is_among(options.log, "t"), first_step, notes_);
  if (time_.range.width() <= 0) time_.range = padded(time_.range);

  for (const std::string& name : system.surface_names()) rows_.push_back({.name = name});
  collect_bars(solution, system.surfaces());
  collect_dots(solution, options.markers, system.surfaces());
  for (const Solution* further : report.further) {
    collect_bars(*further, system.surfaces());
    collect_dots(*further, options.markers, system.surfaces());
  }
  order_named(static_cast<std::size_t>(system.surfaces()));
  const bool has_empty_rows =
      std::erase_if(rows_, [](const Row& row) { return row.bars.empty() && row.dots.empty(); }) > 0;
  if (rows_.empty())
    notes_.push_back("the raster has no rows: there are no events and no sliding");
  else if (has_empty_rows)
    notes_.push_back("the raster leaves out surfaces without events and sliding");
  thin_out();
  data();

  const int width = options.size ? options.size->first : page_width(format, 860);
  const auto rows = static_cast<double>(std::max<std::size_t>(rows_.size(), 1));
  Legend entries = legend();
  const std::string& title = options.title.empty() ? report.model : options.title;
  const double left = 112.0 / width;
  constexpr double right = 0.97;
  constexpr double first_row = 46;
  const double more_rows =
      Legend::row_height * (entries.arrange(words_, left * width, right * width, title) - 1);
  const double rows_height = std::clamp(row_height * rows, least_rows_height, most_rows_height);
  const int height =
      options.size ? options.size->second : static_cast<int>(first_row + more_rows + 58 + rows_height);
  text_ = picture_settings(format, width, height, words_.is_enhanced()) + text_;
  const double y = 1 - 0.45 * first_row / height;
  text_ += entries.drawn(words_, right * width, width, height, y);
  append("set label {} at screen {:.4f},{:.4f} left\n", words_.bold(entries.fitting(title, left * width)),
         left, y);
  panel({left, right, 58.0 / height, 1 - (first_row + more_rows) / height}, height);
}

void RasterScript::collect_bars(const Solution& solution, Index surfaces) {
  for (const Segment& segment : solution.trajectory.segments()) {
    const Range part{std::max(segment.start, time_.range.low), std::min(segment.end, time_.range.high)};
    if (!(part.width() > 0) || segment.mode.codimension() == 0) continue;
    for (Index surface = 0; surface < std::min(segment.mode.size(), surfaces); ++surface) {
      if (!segment.mode.slides_on(surface)) continue;
      std::vector<Range>& bars = rows_[static_cast<std::size_t>(surface)].bars;
      if (!bars.empty() && bars.back().high >= part.low && bars.back().low <= part.low)
        bars.back().high = std::max(bars.back().high, part.high);
      else
        bars.push_back(part);
    }
  }
}

// An event with a name has the row of that name; any other those of its surfaces.
void RasterScript::collect_dots(const Solution& solution, Markers markers, Index surfaces) {
  std::map<std::string, std::size_t> named;
  for (std::size_t k = static_cast<std::size_t>(surfaces); k < rows_.size(); ++k)
    named.emplace(rows_[k].name, k);
  for (const EventRecord& event : solution.events) {
    if (event.t < time_.range.low || event.t > time_.range.high || !is_marked(markers, event.kind)) continue;
    if (event.name) {
      const auto [found, is_new] = named.try_emplace(*event.name, rows_.size());
      if (is_new) rows_.push_back({.name = *event.name});
      rows_[found->second].dots.push_back(event.t);
      continue;
    }
    for (const Index surface : event.surfaces)
      if (surface >= 0 && surface < surfaces)
        rows_[static_cast<std::size_t>(surface)].dots.push_back(event.t);
  }
}

// Events of one table stand together, by their numbers.
void RasterScript::order_named(std::size_t surfaces) {
  std::map<std::string, std::size_t> first;
  for (std::size_t k = surfaces; k < rows_.size(); ++k)
    first.emplace(name_and_number(rows_[k].name).first, k);
  const auto place = [&](const Row& row) {
    const auto [name, number] = name_and_number(row.name);
    return std::pair{first.at(name), number};
  };
  std::stable_sort(rows_.begin() + static_cast<Index>(surfaces), rows_.end(),
                   [&](const Row& a, const Row& b) { return place(a) < place(b); });
}

// Dots of a row that lie on each other are one, and so are bars; the more there are, the farther apart they must be.
void RasterScript::thin_out() {
  for (double distance = finest * time_.range.width();; distance *= 2) {
    std::size_t count = 0;
    for (Row& row : rows_) {
      std::sort(row.dots.begin(), row.dots.end());
      std::vector<double> dots;
      for (const double t : row.dots)
        if (dots.empty() || t >= dots.back() + distance) dots.push_back(t);
      row.dots = std::move(dots);
      std::sort(row.bars.begin(), row.bars.end(),
                [](const Range& a, const Range& b) { return a.low < b.low; });
      std::vector<Range> bars;
      for (const Range& bar : row.bars) {
        if (!bars.empty() && bar.low <= bars.back().high + distance)
          bars.back().high = std::max(bars.back().high, bar.high);
        else
          bars.push_back(bar);
      }
      row.bars = std::move(bars);
      count += row.dots.size() + row.bars.size();
    }
    if (count > most_dots && distance < time_.range.width()) continue;
    if (distance > finest * time_.range.width())
      notes_.push_back(fmt::format("dots of a row that are less than {:.2g} apart are one", distance));
    return;
  }
}

void RasterScript::data() {
  std::string bars;
  std::string dots;
  for (std::size_t k = 0; k < rows_.size(); ++k) {
    for (const Range& bar : rows_[k].bars) bars += fmt::format("{:.9g} {:.9g} {}\n", bar.low, bar.high, k);
    for (const double t : rows_[k].dots) dots += fmt::format("{:.9g} {}\n", t, k);
  }
  has_bars_ = !bars.empty();
  has_dots_ = !dots.empty();
  if (has_bars_) append("$bars << EOD\n{}EOD\n", bars);
  if (has_dots_) append("$dots << EOD\n{}EOD\n", dots);
}

Legend RasterScript::legend() const {
  Legend entries;
  if (has_bars_) entries.add("slides", Legend::line(sliding_colour, 5, "solid"));
  if (has_dots_) entries.add("event", Legend::point(7, 0.5, event_colour));
  return entries;
}

void RasterScript::panel(const Frame& frame, int height) {
  place(frame);
  append("unset key\n{}", time_.commands('x'));
  append("set xlabel {} offset 0,0.3\nset format x {}\n", words_.name("t"), words_.number_format());
  const auto rows = static_cast<double>(std::max<std::size_t>(rows_.size(), 1));
  // The first row is at the top.
  append("set yrange [{}:-0.5]\n", rows - 0.5);
  const double pixels = (frame.top - frame.bottom) * height / rows;  // of a row
  std::size_t every = 1;
  while (static_cast<double>(every) * pixels < least_name_height)
    every += every == 1 ? 1 : every % 5 == 0 ? 5 : 5 - every % 5;
  append("set ytics out scale 0.4 (");
  constexpr std::size_t longest = 16;
  for (std::size_t k = 0; k < rows_.size(); k += every) {
    const std::string name = words_.verbatim(shortened(rows_[k].name, longest));
    append("{}{} {}", k == 0 ? "" : ", ", name.substr(0, name.rfind('\'') + 1), k);
  }
  append("){}\n", words_.verbatim("").substr(2));
  std::vector<std::string> parts;
  if (has_bars_)
    parts.push_back(
        fmt::format("$bars using (0.5*($1+$2)):3:1:2:($3-0.36):($3+0.36) with boxxyerror fillstyle solid 1 "
                    "noborder fillcolor rgb '{}'",
                    sliding_colour));
  if (has_dots_)
    parts.push_back(fmt::format("$dots using 1:2 with points pointtype 7 pointsize {:.2f} linecolor rgb '{}'",
                                std::clamp(0.04 * pixels, 0.12, 0.5), event_colour));
  if (parts.empty()) parts.emplace_back("1/0");
  append("plot {}\n", fmt::join(parts, ", \\\n  "));
}

}  // namespace slideway
