#include "report/plot_curves.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace slideway {

namespace {

// Enough for a smooth curve across the page, and no more than a picture can show.
constexpr std::size_t least_samples = 900;
constexpr std::size_t most_samples = 20000;
constexpr Index grid_points = 161;

double guard_value(const System& system, Index surface, double t, const Vector& x, Vector& h) {
  // A guard may be undefined far from the solution; the picture then has a hole there.
  try {
    system.guards(t, x.head(system.states()), h);
    return h(surface);
  } catch (...) {
    return std::numeric_limits<double>::quiet_NaN();
  }
}

double position(const Range& range, Index index) {
  return range.low + range.width() * static_cast<double>(index) / static_cast<double>(grid_points - 1);
}

// States of the solution to probe a guard at.
std::vector<Sample> probes(const RunCurves& curves) {
  std::vector<Sample> chosen;
  for (const auto& piece : curves.whole) {
    const std::size_t stride = std::max<std::size_t>(1, piece.size() / 8);
    for (std::size_t i = 0; i < piece.size(); i += stride) chosen.push_back(piece[i]);
    if (chosen.size() > 64) break;
  }
  return chosen;
}

// depends_on_state() tells whether h changes when one state of the probes moves.
bool depends_on_state(const System& system, Index surface, Index state, const RunCurves& curves) {
  Vector h(system.surfaces());
  const double shift = 0.3 * curves.states[static_cast<std::size_t>(state)].width();
  for (Sample probe : probes(curves)) {
    const double here = guard_value(system, surface, probe.t, probe.state, h);
    probe.state(state) += shift;
    if (guard_value(system, surface, probe.t, probe.state, h) != here) return true;
  }
  return false;
}

// Within the part [piece.start, piece.end] of a segment.
std::vector<double> sample_times(const Trajectory& trajectory, std::size_t segment, const Segment& piece,
                                 double spacing, bool with_steps) {
  std::vector<double> times;
  if (with_steps) times = trajectory.step_times(segment);
  std::erase_if(times, [&](double t) { return t < piece.start || t > piece.end; });
  const auto count = static_cast<Index>(std::ceil((piece.end - piece.start) / spacing));
  for (Index i = 1; i < count; ++i) {
    times.push_back(piece.start +
                    (piece.end - piece.start) * static_cast<double>(i) / static_cast<double>(count));
  }
  times.push_back(piece.start);
  times.push_back(piece.end);
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

// Adds times between the first and the last that lie evenly on a logarithmic axis of six decades up to `end`.
void add_in_ratio(std::vector<double>& times, double end) {
  constexpr double decades = 6;
  const double step = std::pow(10.0, decades / static_cast<double>(least_samples));
  const double low = times.front();
  const double high = times.back();
  for (double t = end; t > std::max(low, 0.0) && t > std::pow(10.0, -decades) * end; t /= step)
    if (t < high) times.push_back(t);
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
}

}  // namespace

double size_of(const Range& range) { return std::max(std::abs(range.low), std::abs(range.high)); }

Range padded(Range range) {
  const double size = size_of(range);
  if (range.width() <= least_resolved_part * size || range.width() == 0) {
    const double half = size > 0 ? 0.1 * size : 1.0;
    return {range.low - half, range.high + half};
  }
  const double margin = 0.07 * range.width();
  return {range.low - margin, range.high + margin};
}

bool may_jump(EventKind kind) {
  using enum EventKind;
  return kind == reset || kind == transition || kind == impact || kind == contact || kind == release ||
         kind == zeno;
}

bool jumps(const CurveJump& jump, Index kept) {
  const double before = jump.before.state(kept);
  const double after = jump.after.state(kept);
  constexpr double rounding = 1e-13;
  return std::abs(after - before) > rounding * std::max(std::abs(before), std::abs(after));
}

std::string data_rows(const Curve& curve, const RunCurves& of) {
  std::string rows;
  const auto is_later = [](const CurveJump& jump, double t) { return jump.before.t < t; };
  for (std::size_t k = 0; k < curve.size(); ++k) {
    for (const Sample& sample : curve[k]) rows += data_row(sample.t, sample.state, of);
    const double end = curve[k].back().t;
    const auto jump = std::lower_bound(of.jumps.begin(), of.jumps.end(), end, is_later);
    if (k + 1 < curve.size() && curve[k + 1].front().t == end && jump != of.jumps.end() &&
        jump->before.t == end) {
      const CurveJump here{curve[k].back(), curve[k + 1].front()};
      Vector broken = here.before.state;
      for (Index j = 0; j < broken.size(); ++j)
        if (jumps(here, j)) broken(j) = std::numeric_limits<double>::quiet_NaN();
      std::string row = data_row(end, broken, of);
      // gnuplot joins across 'nan', which all pictures declare missing, and breaks a line at any other number that is none.
      for (std::size_t at = 0; (at = row.find("nan", at)) != std::string::npos;) row.replace(at, 3, "NaN");
      rows += row;
    } else {
      // One empty line would make neighbouring pieces of equal length a mesh in space.
      rows += "\n\n";
    }
  }
  return rows;
}

std::string jump_rows(const RunCurves& of, std::size_t most) {
  std::string rows;
  if (of.jumps.size() > most) return rows;
  for (const CurveJump& jump : of.jumps) {
    rows += data_row(jump.before.t, jump.before.state, of);
    rows += data_row(jump.after.t, jump.after.state, of) + "\n\n";
  }
  return rows;
}

std::string data_row(double t, const Vector& kept, const RunCurves& curves) {
  // Small variations of a large value need more digits than a page has pixels.
  const auto digits = [](const Range& range, int least) {
    const double parts = size_of(range) / range.width();
    if (!std::isfinite(parts)) return least;
    return std::clamp(static_cast<int>(std::ceil(std::log10(std::max(parts, 1.0)))) + 6, least, 17);
  };
  std::string row = fmt::format("{:.{}g}", t, digits(curves.time, 9));
  for (Index j = 0; j < kept.size(); ++j)
    row += fmt::format(" {:.{}g}", kept(j), digits(curves.states[static_cast<std::size_t>(j)], 8));
  return row + "\n";
}

const std::string& curve_name(const RunReport& report, Index curve) {
  const System& system = report.instance.system;
  return curve < system.states()
             ? system.state_names()[static_cast<std::size_t>(curve)]
             : report.observation->names()[static_cast<std::size_t>(curve - system.states())];
}

std::vector<std::string> curve_names(const RunReport& report) {
  std::vector<std::string> names = report.instance.system.state_names();
  if (report.observation)
    names.insert(names.end(), report.observation->names().begin(), report.observation->names().end());
  return names;
}

Index curve_index(const RunReport& report, const std::string& name) {
  const std::vector<std::string> names = curve_names(report);
  return std::find(names.begin(), names.end(), name) - names.begin();
}

Vector keep(const std::vector<Index>& kept, const Snapshot& at, Observation* observation) {
  const Index states = at.state.size();
  const bool observes = std::any_of(kept.begin(), kept.end(), [&](Index index) { return index >= states; });
  const Vector* observed = observes ? &observation->at(at.t, at.state, at.mode, at.location) : nullptr;
  Vector chosen(static_cast<Index>(kept.size()));
  Index place = 0;
  for (const Index index : kept)
    chosen(place++) = index < states ? at.state(index) : (*observed)(index - states);
  return chosen;
}

RunCurves sample_run(const Solution& solution, const std::vector<Index>& kept, Observation* observation,
                     const std::optional<std::pair<double, double>>& window, bool logarithmic_time) {
  const Trajectory& trajectory = solution.trajectory;
  RunCurves curves;
  curves.time = {solution.initial.t, solution.final.t};
  const bool cuts = window && window->first < curves.time.high && window->second > curves.time.low;
  if (cuts)
    curves.time = {std::max(window->first, curves.time.low), std::min(window->second, curves.time.high)};

  std::size_t steps = 0;
  curves.first_step = std::max(curves.time.high, 0.0);
  for (std::size_t i = 0; i < trajectory.segments().size(); ++i) {
    const std::vector<double> times = trajectory.step_times(i);
    steps += times.size();
    const auto positive = std::upper_bound(times.begin(), times.end(), 0.0);
    if (positive != times.end()) curves.first_step = std::min(curves.first_step, *positive);
  }
  const bool with_steps = steps <= most_samples;
  const double spacing = std::max(curves.time.width(), std::numeric_limits<double>::min()) /
                         static_cast<double>(with_steps ? least_samples : most_samples);

  std::vector<double> times_of_jumps;
  for (const EventRecord& event : solution.events)
    if (may_jump(event.kind)) times_of_jumps.push_back(event.t);
  for (std::size_t i = 0; i < trajectory.segments().size(); ++i) {
    Segment segment = trajectory.segments()[i];
    if (segment.end < curves.time.low || segment.start > curves.time.high) continue;
    segment.start = std::max(segment.start, curves.time.low);
    segment.end = std::min(segment.end, curves.time.high);
    std::vector<Sample> samples;
    Snapshot at{0, segment.mode, Vector(trajectory.states()), segment.location};
    std::vector<double> times = sample_times(trajectory, i, segment, spacing, with_steps);
    if (logarithmic_time) add_in_ratio(times, curves.time.high);
    for (const double t : times) {
      at.t = t;
      trajectory.evaluate(i, t, at.state);
      samples.push_back({t, keep(kept, at, observation)});
    }
    if (segment.mode.codimension() > 0) {
      if (!curves.intervals.empty() && curves.intervals.back().high == segment.start) {
        curves.intervals.back().high = segment.end;
      } else {
        curves.intervals.push_back({segment.start, segment.end});
      }
      curves.sliding.push_back(samples);
    }
    if (!curves.whole.empty() &&
        std::binary_search(times_of_jumps.begin(), times_of_jumps.end(), segment.start)) {
      const CurveJump jump{curves.whole.back().back(), samples.front()};
      bool any = false;
      for (Index j = 0; j < jump.after.state.size(); ++j) any = any || jumps(jump, j);
      if (any) {
        curves.jumps.push_back(jump);
        curves.whole.push_back(std::move(samples));
        continue;
      }
    }
    if (!curves.whole.empty()) {
      curves.whole.back().insert(curves.whole.back().end(), samples.begin(), samples.end());
    } else {
      curves.whole.push_back(std::move(samples));
    }
  }

  // A run that never moved has no pieces.
  const Vector initial = cuts && !curves.whole.empty() ? curves.whole.front().front().state
                                                       : keep(kept, solution.initial, observation);
  for (Index j = 0; j < static_cast<Index>(kept.size()); ++j) {
    const double first = std::isfinite(initial(j)) ? initial(j) : 0;
    Range range{first, first};
    for (const auto& piece : curves.whole) {
      for (const Sample& sample : piece) {
        if (!std::isfinite(sample.state(j))) continue;
        range.low = std::min(range.low, sample.state(j));
        range.high = std::max(range.high, sample.state(j));
      }
    }
    curves.states.push_back(padded(range));
  }
  return curves;
}

bool GuardGrid::has_zero() const {
  bool negative = false;
  bool positive = false;
  for (Index i = 0; i < values.size(); ++i) {
    negative = negative || values.data()[i] <= 0;
    positive = positive || values.data()[i] >= 0;
  }
  return negative && positive;
}

std::optional<GuardGrid> guard_over_time(const System& system, Index surface, Index state,
                                         const RunCurves& curves) {
  for (Index j = 0; j < system.states(); ++j) {
    if (depends_on_state(system, surface, j, curves) != (j == state)) return std::nullopt;
  }
  GuardGrid grid{curves.time, curves.states[static_cast<std::size_t>(state)],
                 Matrix(grid_points, grid_points)};
  Vector x = curves.whole.front().front().state;
  Vector h(system.surfaces());
  for (Index row = 0; row < grid_points; ++row) {
    x(state) = position(grid.y, row);
    for (Index column = 0; column < grid_points; ++column) {
      grid.values(row, column) = guard_value(system, surface, position(grid.x, column), x, h);
    }
  }
  return grid;
}

bool depends_only_on(const System& system, Index surface, const std::vector<Index>& states,
                     const RunCurves& curves) {
  for (Index j = 0; j < system.states(); ++j) {
    if (std::find(states.begin(), states.end(), j) == states.end() &&
        depends_on_state(system, surface, j, curves))
      return false;
  }
  return true;
}

GuardGrid guard_over_plane(const System& system, Index surface, double t, const Vector& state, Index across,
                           Index up, const RunCurves& curves) {
  GuardGrid grid{curves.states[static_cast<std::size_t>(across)], curves.states[static_cast<std::size_t>(up)],
                 Matrix(grid_points, grid_points)};
  Vector x = state;
  Vector h(system.surfaces());
  for (Index row = 0; row < grid_points; ++row) {
    for (Index column = 0; column < grid_points; ++column) {
      x(across) = position(grid.x, column);
      x(up) = position(grid.y, row);
      grid.values(row, column) = guard_value(system, surface, t, x, h);
    }
  }
  return grid;
}

namespace {

// between() returns where h vanishes between two corners of a cell.
Eigen::Vector3d between(const Eigen::Vector3d& a, double h_a, const Eigen::Vector3d& b, double h_b) {
  return a + (h_a / (h_a - h_b)) * (b - a);
}

}  // namespace

std::vector<Segment3> guard_wireframe(const System& system, Index surface, double t, const Vector& state,
                                      const std::vector<Index>& axes, const RunCurves& curves) {
  constexpr int slices = 7;
  constexpr int cells = 40;
  Vector x = state;
  Vector h(system.surfaces());
  std::vector<Segment3> lines;
  const auto place = [&](std::size_t axis, double fraction) {
    const Range& range = curves.states[static_cast<std::size_t>(axes[axis])];
    return range.low + fraction * range.width();
  };
  for (const std::size_t fixed : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
    const std::size_t first = fixed == 0 ? 1 : 0;
    const std::size_t second = fixed == 2 ? 1 : 2;
    for (int slice = 0; slice < slices; ++slice) {
      std::vector<Eigen::Vector3d> corners;
      std::vector<double> values;
      for (int row = 0; row <= cells; ++row) {
        for (int column = 0; column <= cells; ++column) {
          Eigen::Vector3d corner;
          corner(static_cast<Index>(fixed)) = place(fixed, static_cast<double>(slice) / (slices - 1));
          corner(static_cast<Index>(first)) = place(first, static_cast<double>(column) / cells);
          corner(static_cast<Index>(second)) = place(second, static_cast<double>(row) / cells);
          for (std::size_t k = 0; k < 3; ++k) x(axes[k]) = corner(static_cast<Index>(k));
          corners.push_back(corner);
          values.push_back(guard_value(system, surface, t, x, h));
        }
      }
      for (int row = 0; row < cells; ++row) {
        for (int column = 0; column < cells; ++column) {
          const auto at = static_cast<std::size_t>(row * (cells + 1) + column);
          const std::array<std::size_t, 5> round = {at, at + 1, at + cells + 2, at + cells + 1, at};
          std::vector<Eigen::Vector3d> zeros;
          for (std::size_t k = 0; k + 1 < round.size(); ++k) {
            const double a = values[round[k]];
            const double b = values[round[k + 1]];
            if ((a < 0) != (b < 0) && std::isfinite(a) && std::isfinite(b))
              zeros.push_back(between(corners[round[k]], a, corners[round[k + 1]], b));
          }
          for (std::size_t k = 0; k + 1 < zeros.size(); k += 2) lines.push_back({zeros[k], zeros[k + 1]});
        }
      }
    }
  }
  return lines;
}

bool guard_moves(const System& system, Index surface, const RunCurves& curves) {
  Vector h(system.surfaces());
  for (const Sample& probe : probes(curves)) {
    const double here = guard_value(system, surface, probe.t, probe.state, h);
    for (const double fraction : {0.0, 0.31, 0.62, 1.0}) {
      const double t = curves.time.low + fraction * curves.time.width();
      if (guard_value(system, surface, t, probe.state, h) != here) return true;
    }
  }
  return false;
}

}  // namespace slideway
