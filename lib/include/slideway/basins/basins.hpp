// Basins of attraction in a plane of initial values: where the solution from each cell of a grid ends.
//
// A start is followed by the map x ↦ φ(T; x), φ the flow through all events: T is the period of the drive, or a time step where the equations
// do not depend on t. Iterates that come back to cells of the grid where they have been mark an attractor (G. Datseris, A. Wagemakers,
// Effortless estimation of basins of attraction, Chaos 32, 2022), which is then found exactly by shooting, and named by its Floquet
// multipliers or its Lyapunov exponent. Cells are followed from coarse to fine. A run ends where it is at a known attractor or, in a plane of
// both states, deep in a region whose coarser cells all end alike; random samples, which are followed to their end, check that.
// It must not know file formats of documents.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "slideway/basins/boundary.hpp"
#include "slideway/model/model.hpp"
#include "slideway/simulate/options.hpp"
#include "slideway/sweep/sweep_workers.hpp"

namespace slideway {

// A side of the plane: a state, and the interval of its initial values, which is cut into equal cells.
struct BasinAxis {
  std::string name = {};
  double low = 0;
  double high = 1;    // > low
  Index cells = 256;  // ≥ 1

  double width() const { return (high - low) / static_cast<double>(cells); }
  // The middle of a cell, which starts begin at.
  double middle(Index cell) const { return low + (static_cast<double>(cell) + 0.5) * width(); }
};

struct BasinDesign {
  BasinAxis across = {};
  BasinAxis up = {};
  Settings fixed = {};  // parameters, and the initial values of the other states
};

struct BasinOptions {
  Options run = {};  // of every start; its sensitivities, recording, callbacks and output times are not used
  // T, in units of t: the period of the drive or a multiple of it, where the equations depend on t. Empty: the period of the time
  // events, or, where nothing depends on t, a step in which most starts move by about eight cells.
  std::optional<double> step = {};
  Index most_steps = 5000;  // of a start, ≥ 1: one that has not come to an attractor is `unsettled`
  Index recurrences =
      100;  // iterates in a row that must come back to cells, for an attractor that is not periodic
  // A start that is outside of the plane widened by this many widths on each side for 20 iterates has left.
  double reach = 10;
  bool thorough = false;       // follow every cell to an attractor, whatever its neighbours do
  Index samples = 4000;        // random starts, ≥ 0, by which parts and their errors are told
  std::uint64_t seed = 1;      // of the samples
  bool find_exponents = true;  // of attractors that are not periodic
  // States that are angles, and their period: "theta", 2π. The equations must be the same after it.
  std::vector<std::pair<std::string, double>> wrap = {};

  Index jobs = 0;                             // threads of every process; 0: one per processor
  SweepWorkers* workers = nullptr;            // null: threads of this process
  const std::atomic<bool>* cancel = nullptr;  // set to true by anyone: what was done is returned
  // A table with a row per cell, replaced as a whole every few seconds: absent, old or valid at any moment. "" is none.
  std::string table = {};
  bool resume = false;  // take over what is in the table
  std::string identity =
      {};  // decides, with model, design and options, whether a table belongs to these basins
  std::function<void(Index done, Index total)> on_progress = {};
};

enum class AttractorKind {
  point,          // of equations that do not depend on t
  orbit,          // periodic
  set,            // a connected set of points or orbits, as where a block sticks
  quasiperiodic,  // neither periodic nor chaotic: the largest Lyapunov exponent is 0 within its error
  chaotic,        // the largest Lyapunov exponent is above 0
  unresolved,     // it comes back to its cells, and nothing more could be found
};

// "point", "orbit", "set", "quasiperiodic", "chaotic", "unresolved".
const char* to_string(AttractorKind kind);

struct BasinAttractor {
  AttractorKind kind = AttractorKind::unresolved;
  // False: neighbours leave it, so that only starts exactly on the boundary between basins come to it.
  bool stable = true;
  std::vector<Vector> points = {};  // n each: iterates on it, or points along a closed orbit
  std::string location = {};        // at the first point
  std::string mode = {};            // likewise, a word of `-`, `0` and `+`
  Index rounds = 0;                 // the iterations after which it repeats itself; 0: it does not
  double period = 0;                // of an orbit, in units of t; 0 of others
  bool matched = false;             // found by shooting, too
  std::string signature = {};       // the events in one period, in order
  double multiplier =
      0;  // size of the largest Floquet multiplier that is not along the orbit; NaN: not known
  double exponent =
      0;  // the largest Lyapunov exponent, per unit of t, and its standard error; NaN: not known
  double exponent_error = 0;
  std::string message = {};  // what could not be found, and why
};

// All the starts that end alike: at an attractor, or as the name says: "left", "unsettled", "refused", the word of an outcome
// ("ambiguous", "zeno", …), or "stop: NAME" for a stop event.
struct BasinEnd {
  std::string name = {};                // "1", "2", … of attractors
  std::optional<Index> attractor = {};  // its place in Basins::attractors
  std::string message = {};             // of the first start, for ends that are no attractors
  Index cells = 0;
  double fraction = 0;  // of the cells
  Index samples = 0;
  double sampled = 0;  // the part of the random samples, and its standard error
  double error = 0;
};

struct Basins {
  bool is_writer = true;  // false in all processes of MPI but one, which have nothing else to tell
  bool complete = false;
  Index done = 0;  // cells and samples
  Index total = 0;
  Index taken_over = 0;  // of them, from the table
  std::vector<std::string> states = {};
  double start = 0;
  double step = 0;
  bool autonomous = false;
  std::vector<BasinAttractor> attractors = {};
  std::vector<BasinEnd> ends = {};
  ColouredPlane plane = {};       // places in `ends`, −1 where a cell was not followed
  std::vector<Index> steps = {};  // the iterates of each cell
  ScalingLaw dimension = {};      // of the boundary between all ends
  ScalingLaw uncertainty = {};
  Index compared = 0;   // samples whose cell was followed
  Index differing = 0;  // of them, that end elsewhere than the middle of their cell
};

// Throws std::invalid_argument for what makes no sense, before the first run, and FileError where a file cannot be written. An
// error on the way of a start is the end of its cell.
Basins find_basins(const Model& model, const BasinDesign& design, const BasinOptions& options = {});

}  // namespace slideway
