// The parts of a picture of a run: the sampled trajectory, its sliding pieces, the events and the surfaces.
//
// It must not know gnuplot.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "slideway/io/report.hpp"

namespace slideway {

struct Range {
  double low = 0;
  double high = 0;
  double width() const { return high - low; }
};

// The union with a margin on both sides, so that a curve never runs along the frame.
// A range that is narrower than least_resolved_part of its values is rounding, and becomes wide enough to show a constant.
Range padded(Range range);

// Tolerances of a run are seldom below this part of a value, and what varies less is a constant that is not quite computed as one.
constexpr double least_resolved_part = 1e-8;
// The largest absolute value in a range.
double size_of(const Range& range);

// A curve is that of a state, or of an observable: indices from the number of states on are those of observables.
const std::string& curve_name(const RunReport& report, Index curve);
// The names of all curves, in the order of their indices.
std::vector<std::string> curve_names(const RunReport& report);
// The index of a curve that check_phase() or check_states() has found.
Index curve_index(const RunReport& report, const std::string& name);

struct Sample {
  double t = 0;
  Vector state = {};  // those kept
};

// Pieces are drawn without a line between them.
using Curve = std::vector<std::vector<Sample>>;

struct CurveJump {
  Sample before = {};
  Sample after = {};
};

struct RunCurves {
  Curve whole = {};                   // broken only where an event makes something kept jump
  std::vector<CurveJump> jumps = {};  // at these breaks
  Curve sliding = {};                 // the pieces that slide
  std::vector<Range> intervals = {};  // of time, while sliding; touching ones merged
  Range time = {};
  double first_step = 0;           // the least time of a step that is above 0
  std::vector<Range> states = {};  // per state kept, padded
};

// jumps() tells whether a value kept jumps, by more than rounding.
bool jumps(const CurveJump& jump, Index kept);
// The events that may make states jump.
bool may_jump(EventKind kind);

// The pieces of a curve as data of gnuplot; one that is broken in some of its values only has a line for the others.
std::string data_rows(const Curve& curve, const RunCurves& of);
// A line from before to after each jump, and none where there are more than `most`.
std::string jump_rows(const RunCurves& of, std::size_t most);

// A line of data: the time and what is kept, with the digits that the ranges of the curves need.
std::string data_row(double t, const Vector& kept, const RunCurves& curves);

// The kept entries of a state, in this order; the observation, which may be null, is used where observables are kept.
Vector keep(const std::vector<Index>& kept, const Snapshot& at, Observation* observation);

// Samples hold the states and observables `kept`, the states first. Times outside the window are left out; a window in which the
// solution has no time leaves out nothing. Samples are dense enough for a logarithmic axis of time if that is asked for.
RunCurves sample_run(const Solution& solution, const std::vector<Index>& kept, Observation* observation,
                     const std::optional<std::pair<double, double>>& window = {},
                     bool logarithmic_time = false);

// Values of one guard on a grid: `values(row, column)` at (x(column), y(row)).
struct GuardGrid {
  Range x = {};
  Range y = {};
  Matrix values = {};
  bool has_zero() const;
};

// The guards below are functions of the whole state: every state must have been kept, in their order.
// h over time and one state, when it depends on no other state; empty otherwise.
std::optional<GuardGrid> guard_over_time(const System& system, Index surface, Index state,
                                         const RunCurves& curves);
// depends_only_on() tells whether h depends on no states but these.
bool depends_only_on(const System& system, Index surface, const std::vector<Index>& states,
                     const RunCurves& curves);
// h over two states at time t, the others as in `state`.
GuardGrid guard_over_plane(const System& system, Index surface, double t, const Vector& state, Index across,
                           Index up, const RunCurves& curves);

// A line in the space of three states.
struct Segment3 {
  Eigen::Vector3d from;
  Eigen::Vector3d to;
};
// Lines on the surface h = 0 at time t, where planes of one constant state cut it; the states that are not among the
// three are as in `state`.
std::vector<Segment3> guard_wireframe(const System& system, Index surface, double t, const Vector& state,
                                      const std::vector<Index>& axes, const RunCurves& curves);
// guard_moves() tells whether the guard's zero set moves during the run.
bool guard_moves(const System& system, Index surface, const RunCurves& curves);

}  // namespace slideway
