// A diagram of a plane of two parameters (a, b): which attractor solutions come to at each place, and the curves of bifurcations between.
//
// The cells of a row are followed by continuation, forwards and then backwards: each cell starts at the attractor of the one before, moved a
// little, so that a solution does not stay where it is not stable. Where both ways end at different attractors, these coexist. Attractors are found and
// named as those of basins (slideway/basins/basins.hpp): by recurrences, shooting, or the largest Lyapunov exponent. The first and the
// last column are followed upwards before, from the initial values of the model; at their attractors rows begin in each direction.
//
// Two attractors are of one kind if they go round in as many periods of the drive with the same events in the same order. Where the kind changes
// from a cell to the next one, the orbit of one is followed to the other, and the bifurcation on the way is followed through the plane
// (slideway/orbit/orbit_curves.hpp, equilibrium_curves.hpp).
// It must not know file formats of documents.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "slideway/basins/basins.hpp"
#include "slideway/model/model.hpp"
#include "slideway/simulate/options.hpp"
#include "slideway/sweep/sweep_workers.hpp"

namespace slideway {

// A side of the plane: a parameter, and the interval of its values, which is cut into equal cells; the middle of each is followed.
struct DiagramAxis {
  std::string name = {};
  double low = 0;
  double high = 1;   // > low
  Index cells = 64;  // ≥ 1

  double width() const { return (high - low) / static_cast<double>(cells); }
  double middle(Index cell) const { return low + (static_cast<double>(cell) + 0.5) * width(); }
};

struct DiagramDesign {
  DiagramAxis across = {};
  DiagramAxis up = {};
  Settings fixed = {};  // other parameters, and the initial values
};

struct DiagramOptions {
  Options run = {};  // of every cell; its sensitivities, recording, callbacks and output times are not used
  // T of a model with these parameters, in units of t: the period of the drive, or the time between two looks at the solution where nothing
  // depends on t. Empty: the period of the time events, or a time in which solutions move by some parts of their range.
  std::function<double(const ModelInstance&)> step = {};
  Index most_steps = 5000;  // of a cell, ≥ 1: one that has not come to an attractor is `unsettled`
  // The iterates that must come back to where the solution has been, in a row, for an attractor that is not periodic.
  Index recurrences = 30;
  Index parts = 100;   // of the range of each state, ≥ 2: where a solution comes back to
  double reach = 100;  // a solution that stays outside of the ranges widened by this many of them has left
  bool find_exponents = true;                             // of attractors that are not periodic
  std::vector<std::pair<std::string, double>> wrap = {};  // as BasinOptions::wrap

  bool find_curves = true;
  Index most_rounds = 8;      // periods of orbits whose curves are followed, ≥ 1
  Index most_followed = 120;  // bifurcations that are looked for between cells, ≥ 0
  Index curve_points = 41;    // steps along curves are at most one of the parts between, of each side
  double curve_rtol = 1e-10;  // of the runs of curves

  Index jobs = 0;                             // threads of every process; 0: one per processor
  SweepWorkers* workers = nullptr;            // null: threads of this process
  const std::atomic<bool>* cancel = nullptr;  // set to true by anyone: what was done is returned
  // A table with two rows per cell, replaced as a whole every few seconds: absent, old or valid at any moment. "" is none.
  std::string table = {};
  bool resume = false;  // take over the rows of cells that are in the table
  std::string identity =
      {};  // decides, with model, design and options, whether a table belongs to this diagram
  std::function<void(Index done, Index total)> on_progress = {};
};

// All attractors that are alike: of one kind, and of orbits also of one number of rounds and one signature. Ends that are no attractors are
// kinds, too.
struct DiagramKind {
  std::string name = {};  // "orbit of 2 rounds: impact(stop)", "point", "left", …
  bool is_attractor = true;
  AttractorKind kind = AttractorKind::unresolved;
  bool slides = false;         // of points: a pseudo-equilibrium
  Index rounds = 0;            // of an orbit of equations that depend on t; 0 of others
  std::string signature = {};  // beginning at the event that makes it the first in alphabetical order
  Index cells = 0;             // forwards and backwards
};

// The events of a signature, one by one.
std::vector<std::string> events_in(const std::string& signature);

// A DiagramEnd tells what a cell comes to in one direction.
struct DiagramEnd {
  int kind = -1;  // the place in Diagram::kinds; −1: not followed
  BasinAttractor attractor =
      {};  // with one point, the iterate at which continuation goes on; of ends that are none its `message` alone
};

struct DiagramCurvePoint {
  double first = 0;   // the parameter across
  double second = 0;  // the parameter up
  // "SN", "GR", …; of equilibria also "BE persistence", "BE nonsmooth_fold" and "neutral saddle", where a curve HB has no Hopf bifurcation.
  std::string kind = {};
};

struct DiagramSpecialPoint {
  std::string name = {};  // "SN+GR"
  double first = 0;
  double second = 0;
  std::string reason = {};  // what vanishes there besides
};

struct DiagramCurve {
  bool of_equilibria = false;
  std::string kind = {};  // where it begins
  Index rounds = 0;       // of the orbits, 0 of equilibria and of equations that do not depend on t
  std::string before = {};
  std::string after = {};
  std::string reason = {};  // what vanishes along it
  std::vector<DiagramCurvePoint> points = {};
  std::vector<DiagramSpecialPoint> special = {};
  bool closed = false;
  std::string message = {};  // why it ends inside of the plane
};

// Two curves cross here, by the chords between their points.
struct DiagramMeeting {
  Index one = 0;  // places in Diagram::curves
  Index other = 0;
  double first = 0;
  double second = 0;
};

struct Diagram {
  bool is_writer = true;  // false in all processes of MPI but one, which have nothing else to tell
  bool complete = false;
  Index done = 0;  // cells in both directions
  Index total = 0;
  Index taken_over = 0;  // of them, from the table
  std::vector<std::string> states = {};
  bool autonomous = false;
  std::vector<DiagramKind> kinds = {};   // attractors first, then the most frequent first
  std::vector<DiagramEnd> forward = {};  // row by row from below: the cell (i, j) is entry j·across + i
  std::vector<DiagramEnd> backward = {};
  std::vector<char> coexisting = {};  // 1 where both directions end at different attractors
  std::vector<DiagramCurve> curves = {};
  std::vector<DiagramMeeting> meetings = {};
  Index borders =
      0;  // pairs of neighbours in one direction of different kinds, or of which one has two attractors
  Index explained = 0;  // of them, that a curve passes between
};

// Throws std::invalid_argument for what makes no sense, before the first run, and FileError where a file cannot be written. An
// error on the way of a cell is its end.
Diagram find_diagram(const Model& model, const DiagramDesign& design, const DiagramOptions& options = {});

}  // namespace slideway
