#include "report/plot_script.hpp"

#include <limits>
#include <numeric>

#include "report/event_reach.hpp"
#include "report/plot_style.hpp"

namespace slideway {

namespace {

constexpr Index most_panels = 6;  // of states, and as many of observables
// No surfaces are drawn for more states than these: the picture would hold nothing else.
constexpr Index most_states_with_surfaces = 12;
constexpr Index most_surfaces = 12;
// The room for a mark over time, in pixels: marks cover nine of them, and the curve is to be seen in between.
constexpr double pixels_per_mark = 12;
// More lines along jumps would hide the curve.
constexpr std::size_t most_jumps = 150;

// The curves of the phase portrait; none without one.
std::vector<Index> portrait_curves(const RunReport& report, const PlotOptions& options) {
  check_phase(options, curve_names(report));
  std::vector<Index> curves;
  for (const std::string& name : options.phase) curves.push_back(curve_index(report, name));
  if (curves.empty() && report.instance.system.states() == 2) curves = {0, 1};
  return curves;
}

std::vector<Index> first_ones(Index count) {
  std::vector<Index> indices(static_cast<std::size_t>(count));
  std::iota(indices.begin(), indices.end(), Index{0});
  return indices;
}

// The states with a panel over time.
std::vector<Index> panel_states(const RunReport& report, const PlotOptions& options) {
  const System& system = report.instance.system;
  std::vector<Index> states;
  for (const std::string& name : options.states) states.push_back(system.state_index(name));
  if (!states.empty()) return states;
  if (!options.phase.empty()) {
    for (const Index curve : portrait_curves(report, options))
      if (curve < system.states()) states.push_back(curve);
  }
  return states.empty() ? first_ones(std::min(system.states(), most_panels)) : states;
}

std::vector<Index> with_observables(std::vector<Index> states, const RunReport& report) {
  const Index count = report.observation ? std::min(report.observation->size(), most_panels) : 0;
  for (Index k = 0; k < count; ++k) states.push_back(report.instance.system.states() + k);
  return states;
}

// A guard is a function of the whole state; without surfaces only what is drawn is kept.
std::vector<Index> curves_kept(const RunReport& report, const PlotOptions& options) {
  const Index states = report.instance.system.states();
  const bool has_surfaces = states <= most_states_with_surfaces;
  std::vector<Index> kept =
      with_observables(has_surfaces ? first_ones(states) : panel_states(report, options), report);
  for (const Index curve : portrait_curves(report, options))
    if (std::find(kept.begin(), kept.end(), curve) == kept.end()) kept.push_back(curve);
  return kept;
}

// The curves of a run, and of the further solutions of its tree over one another.
RunCurves sample_report(const RunReport& report, const std::vector<Index>& kept, const PlotOptions& options) {
  const bool logarithmic = is_among(options.log, "t");
  RunCurves curves = sample_run(report.solution, kept, report.observation, options.times, logarithmic);
  for (const Solution* further : report.further) {
    const RunCurves more = sample_run(*further, kept, report.observation, options.times, logarithmic);
    curves.whole.insert(curves.whole.end(), more.whole.begin(), more.whole.end());
    curves.jumps.insert(curves.jumps.end(), more.jumps.begin(), more.jumps.end());
    curves.sliding.insert(curves.sliding.end(), more.sliding.begin(), more.sliding.end());
    curves.time.low = std::min(curves.time.low, more.time.low);
    curves.time.high = std::max(curves.time.high, more.time.high);
    for (std::size_t j = 0; j < curves.states.size(); ++j) {
      curves.states[j].low = std::min(curves.states[j].low, more.states[j].low);
      curves.states[j].high = std::max(curves.states[j].high, more.states[j].high);
    }
  }
  std::stable_sort(curves.jumps.begin(), curves.jumps.end(),
                   [](const CurveJump& a, const CurveJump& b) { return a.before.t < b.before.t; });
  // Times at which only some of them slide are not shaded.
  if (!report.further.empty()) curves.intervals.clear();
  return curves;
}

}  // namespace

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

PlotScript::PlotScript(const RunReport& report, PictureFormat format, const PlotOptions& options)
    : report_(report),
      title_(options.title),
      words_(format, options.labels),
      system_(report.instance.system),
      solution_(report.solution),
      kept_(curves_kept(report, options)),
      markers_(options.markers),
      are_chosen_(!options.states.empty()),
      is_whole_(!options.times),
      curves_(sample_report(report, kept_, options)),
      panels_(with_observables(panel_states(report, options), report)),
      portrait_(portrait_curves(report, options)) {
  time_ = time_axis(curves_.time, is_among(options.log, "t"), curves_.first_step, notes_);
  for (const Index curve : kept_) {
    const bool is_drawn = std::find(panels_.begin(), panels_.end(), curve) != panels_.end();
    const std::string& named = curve_name(report, curve);
    axes_.push_back(
        value_axis({&curves_}, {place_of(curve)}, named, is_drawn && is_among(options.log, named), notes_));
  }
  const bool portrait = !portrait_.empty();
  const int width = options.size ? options.size->first : page_width(format, portrait ? 1000 : 860);
  const double middle = portrait_.size() == 3 ? 0.42 : 0.50;
  const double left = (portrait ? 75.0 : 81.7) / width;
  const double right = portrait ? 0.985 : 0.97;
  panel_width_ = ((portrait ? middle : right) - left) * width;
  data();
  Legend entries = legend();
  const double more_rows =
      Legend::row_height * (entries.arrange(words_, left * width, right * width, title()) - 1);
  const int all_panels = 190 + 150 * static_cast<int>(panels_.size());
  const int height = options.size ? options.size->second
                     : !portrait  ? all_panels + static_cast<int>(more_rows)
                                  : std::max(portrait_.size() == 3 ? 560 : 470, all_panels - 20);
  page_height_ = height;
  constexpr double first_row = 46;
  header_ = (first_row + more_rows) / height;
  footer_ = 58.0 / height;
  text_ = picture_settings(format, width, height, words_.is_enhanced()) + text_;
  append("set multiplot\n");
  const double y = 1 - 0.45 * first_row / height;
  text_ += entries.drawn(words_, right * width, width, height, y);
  append("set label {} at screen {:.4f},{:.4f} left\n", words_.bold(entries.fitting(title(), left * width)),
         left, y);
  time_panels({left, portrait ? middle : right, footer_, 1 - header_});
  if (portrait_.size() == 2) plane_portrait({0.50 + 75.0 / width, 0.985, footer_, 1 - header_});
  if (portrait_.size() == 3) space_portrait({0.44, 1.0, 0.0, 1 - header_});
  append("unset multiplot\n");
}

bool is_marked(Markers markers, EventKind kind) {
  const bool of_sliding = kind == EventKind::sliding_entry || kind == EventKind::sliding_exit;
  return markers == Markers::all || (markers == Markers::sliding && of_sliding);
}

void PlotScript::append_row(double t, const Vector& kept) { text_ += data_row(t, kept, curves_); }

// Events of large systems hold no states.
std::string PlotScript::event_row(const EventRecord& event, const Solution& solution) const {
  const Trajectory& trajectory = solution.trajectory;
  const Vector state = event.after.size() > 0 ? event.after : trajectory(event.t);
  return data_row(event.t,
                  keep(kept_, {event.t, trajectory.mode(event.t), state, trajectory.location(event.t)},
                       report_.observation),
                  curves_);
}

void PlotScript::append_curve(const char* name, const Curve& curve) {
  append("${} << EOD\n{}EOD\n", name, data_rows(curve, curves_));
}

void PlotScript::data() {
  append_curve("whole", curves_.whole);
  if (const std::string rows = jump_rows(curves_, most_jumps); !rows.empty()) {
    append("$jumps << EOD\n{}EOD\n", rows);
    draws_jumps_ = true;
  }
  if (!curves_.sliding.empty()) append_curve("sliding", curves_.sliding);
  if (!curves_.intervals.empty()) {
    append("$bands << EOD\n");
    for (const Range& interval : curves_.intervals) append("{:.9g} {:.9g}\n", interval.low, interval.high);
    append("EOD\n");
  }
  const EventReach reach(report_, panels_);
  const double least_distance = curves_.time.width() * pixels_per_mark / std::max(panel_width_, 1.0);
  for (std::size_t group = 0; group < marker_groups().size(); ++group) {
    const auto& kinds = marker_groups()[group].kinds;
    const auto is_wanted = [&](const EventRecord& event) {
      return event.t >= curves_.time.low && event.t <= curves_.time.high && is_marked(markers_, event.kind) &&
             std::find(kinds.begin(), kinds.end(), event.kind) != kinds.end();
    };
    Marked marked{.group = group};
    std::string rows;
    std::vector<std::string> rows_of_panels(panels_.size());
    const auto collect = [&](const Solution& solution) {
      // Few events are all marked, however close some of them are.
      std::vector<double> counts(panels_.size(), 0);
      for (const EventRecord& event : solution.events) {
        if (!is_wanted(event)) continue;
        for (std::size_t panel = 0; panel < panels_.size(); ++panel)
          if (reach.concerns(event, panel)) ++counts[panel];
      }
      std::vector<double> last(panels_.size(), -std::numeric_limits<double>::infinity());
      for (const EventRecord& event : solution.events) {
        if (!is_wanted(event)) continue;
        std::string row;
        bool has_panel = false;
        for (std::size_t panel = 0; panel < panels_.size(); ++panel) {
          if (!reach.concerns(event, panel)) continue;
          has_panel = true;
          const bool is_thinned = counts[panel] * pixels_per_mark > panel_width_;
          if (is_thinned && event.t < last[panel] + least_distance && event.t != last[panel]) continue;
          last[panel] = event.t;
          if (row.empty()) row = event_row(event, solution);
          rows_of_panels[panel] += row;
        }
        if (has_panel) ++marked.all;
        if (!row.empty()) ++marked.drawn;
        rows += row;
      }
    };
    collect(solution_);
    for (const Solution* further : report_.further) collect(*further);
    if (rows.empty()) continue;
    append("$events{} << EOD\n{}EOD\n", group, rows);
    for (std::size_t panel = 0; panel < panels_.size(); ++panel) {
      if (rows_of_panels[panel] == rows)
        marked.panels.push_back(fmt::format("$events{}", group));
      else if (rows_of_panels[panel].empty())
        marked.panels.emplace_back();
      else {
        marked.panels.push_back(fmt::format("$marks{}_{}", group, panel));
        append("{} << EOD\n{}EOD\n", marked.panels.back(), rows_of_panels[panel]);
      }
    }
    used_groups_.push_back(std::move(marked));
  }
  if (system_.states() > most_states_with_surfaces || system_.surfaces() > most_surfaces) return;
  for (Index surface = 0; surface < system_.surfaces(); ++surface) surface_data(surface);
}

// gnuplot finds the zero set of a guard on a grid; the result is the datablock `name`.
void PlotScript::append_contour(const std::string& name, const GuardGrid& grid) {
  append("$grid << EOD\n");
  for (Index row = 0; row < grid.values.rows(); ++row) {
    for (Index column = 0; column < grid.values.cols(); ++column) append("{:.6g} ", grid.values(row, column));
    append("\n");
  }
  append("EOD\nset contour base\nset cntrparam levels discrete 0\nunset surface\nset table ${}\n", name);
  append("splot $grid matrix using ({:.10g}+$1*{:.10g}):({:.10g}+$2*{:.10g}):3 with lines\n", grid.x.low,
         grid.x.width() / static_cast<double>(grid.values.cols() - 1), grid.y.low,
         grid.y.width() / static_cast<double>(grid.values.rows() - 1));
  append("unset table\nunset contour\nset surface\n");
}

void PlotScript::surface_data(Index surface) {
  for (const Index state : panels_) {
    if (!is_state(state)) continue;
    const auto grid = guard_over_time(system_, surface, state, curves_);
    if (!grid || !grid->has_zero()) continue;
    const std::string name = fmt::format("time_{}_{}", surface, state);
    append_contour(name, *grid);
    time_contours_.emplace_back(state, name);
  }
  // A surface has a place in the portrait where it depends on the states there alone.
  if (portrait_.empty() ||
      !std::all_of(portrait_.begin(), portrait_.end(), [this](Index curve) { return is_state(curve); }))
    return;
  if (!depends_only_on(system_, surface, portrait_, curves_)) return;
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
      append("{:.7g} {:.7g} {:.7g}\n{:.7g} {:.7g} {:.7g}\n\n\n", line.from.x(), line.from.y(), line.from.z(),
             line.to.x(), line.to.y(), line.to.z());
    append("EOD\n");
  }
  portrait_surfaces_.push_back(fmt::format("portrait_{}", surface));
  surfaces_move_ = surfaces_move_ || guard_moves(system_, surface, curves_);
}

}  // namespace slideway
