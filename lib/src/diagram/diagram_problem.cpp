#include "diagram/diagram_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "basins/map_drive.hpp"
#include "basins/plane_checks.hpp"
#include "core/number_text.hpp"
#include "model/numbered_states.hpp"
#include "simulate/plain_options.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/orbit/periodic_orbit.hpp"
#include "slideway/simulate/live_run.hpp"

namespace slideway {

namespace {

constexpr Index kMostCellsOfDiagram = 10'000'000;
constexpr Index kPilotsOfSide = 4;  // runs that show the ranges of states, on each side of the plane
constexpr Index kPilotRounds = 50;
constexpr Index kLooksPerRound = 8;
constexpr Index kLooksOfRun = 400;  // where nothing depends on t
constexpr double kPartsPerStep = 8;
constexpr Index kExponentRounds = 400;  // a plane has many cells

void check_axis(const DiagramAxis& axis, const Settings& parameters, const char* where) {
  std::vector<std::string> names;
  std::string known;
  for (const auto& [name, value] : parameters) {
    names.push_back(name);
    known += (known.empty() ? "" : ", ") + name;
  }
  if (std::find(names.begin(), names.end(), axis.name) == names.end()) {
    const std::string near = nearest_name(axis.name, names);
    refuse({.what = "the plane is one of parameters",
            .where = where,
            .expected = names.empty() ? "a model with parameters" : "one of the parameters " + known,
            .got = "'" + axis.name + "'",
            .advice = near.empty() ? "" : "did you mean '" + near + "'?"});
  }
  check_side(axis.low, axis.high, axis.cells, where);
}

void check_options(const DiagramOptions& options) {
  const auto check = [](bool is_right, const char* where, const char* expected, const std::string& got) {
    if (!is_right)
      refuse({.what = "the value makes no sense", .where = where, .expected = expected, .got = got});
  };
  const auto count = [&](Index value, Index least, const char* where) {
    const std::string expected = "at least " + std::to_string(least);
    check(value >= least, where, expected.c_str(), std::to_string(value));
  };
  count(options.most_steps, 1, "DiagramOptions::most_steps");
  count(options.recurrences, 1, "DiagramOptions::recurrences");
  count(options.parts, 2, "DiagramOptions::parts");
  count(options.most_rounds, 1, "DiagramOptions::most_rounds");
  count(options.most_followed, 0, "DiagramOptions::most_followed");
  count(options.curve_points, 2, "DiagramOptions::curve_points");
  check(options.reach > 0, "DiagramOptions::reach", "a number above 0", number_text(options.reach));
  check(options.curve_rtol > 0 && options.curve_rtol < 1, "DiagramOptions::curve_rtol",
        "a number between 0 and 1", number_text(options.curve_rtol));
}

// Pilot holds what one solution shows of its attractor in the second half of its time.
class Pilot {
 public:
  // The states at equal intervals, of which there are at least two.
  Pilot(double interval, std::vector<Vector> states) : interval_(interval), states_(std::move(states)) {
    const std::size_t count = states_.size(), half = count / 2, late = half + (count - half) / 2;
    const Vector before = range(half, late), after = range(late, count - 1);
    decays_ = after.array() < kShrinks * before.array();
    states_.erase(states_.begin(), states_.begin() + static_cast<std::ptrdiff_t>(half));
  }

  // A state that decays is on its way to rest: where it is last counts alone.
  void widen(Vector& low, Vector& high) const {
    for (Index i = 0; i < low.size(); ++i) {
      for (const Vector& state : states_) {
        const double value = decays_[i] ? states_.back()[i] : state[i];
        low[i] = std::min(low[i], value);
        high[i] = std::max(high[i], value);
      }
    }
  }
  // The time in which the solution moves by one cell of the grid; 0 where all states decay or rest.
  double time_of_cell(const StateGrid& grid) const {
    double way = 0;
    for (std::size_t k = 0; k + 1 < states_.size(); ++k) {
      Vector next = states_[k + 1];
      for (Index i = 0; i < next.size(); ++i)
        if (decays_[i]) next[i] = states_[k][i];
      way += grid.distance(states_[k], next);
    }
    return way > 0 ? interval_ * static_cast<double>(states_.size() - 1) / way : 0;
  }

 private:
  static constexpr double kShrinks = 0.5;

  // Between two places, both included.
  Vector range(std::size_t first, std::size_t last) const {
    Vector low = states_[first], high = low;
    for (std::size_t k = first; k <= last; ++k) {
      low = low.cwiseMin(states_[k]);
      high = high.cwiseMax(states_[k]);
    }
    return high - low;
  }

  double interval_;
  std::vector<Vector> states_;
  Eigen::Array<bool, Eigen::Dynamic, 1> decays_;
};

}  // namespace

DiagramProblem::DiagramProblem(const Model& model, const DiagramDesign& design, const DiagramOptions& options)
    : model_(model), design_(design), options_(options) {
  check_options(options_);
  const ModelInstance given = model_.instantiate(design_.fixed);
  refuse_numbered_states(given.problem(), "diagrams");
  check_plane(given);
  const ModelInstance middle =
      instance_at(0.5 * (design_.across.low + design_.across.high), 0.5 * (design_.up.low + design_.up.high));
  states_ = middle.system.state_names();
  discrete_ = middle.system.discrete();
  const Options run = plain_options(options_.run, Recording::nothing);
  run.validate(middle.system.states());
  std::optional<double> asked;
  if (options_.step) asked = options_.step(middle);
  if (asked && !(std::isfinite(*asked) && *asked > 0))
    refuse({.what = "the step makes no sense",
            .where = "DiagramOptions::step",
            .expected = "a finite time above 0",
            .got = number_text(*asked)});
  const MapDrive drive = find_map_drive({.problem = middle.problem(),
                                         .run = run,
                                         .start = middle.start,
                                         .length = middle.end - middle.start,
                                         .tried = {middle.state},
                                         .step = asked,
                                         .where = "DiagramOptions::step"});
  is_autonomous_ = !drive.is_driven;
  step_ = drive.step;
  if (is_autonomous_ && !(middle.end > middle.start))
    refuse({.what = "the model has no length of time",
            .where = "DiagramDesign",
            .expected = "an end of the model after its start",
            .got = "none"});
  find_ranges(middle);
}

void DiagramProblem::check_plane(const ModelInstance& instance) const {
  check_axis(design_.across, instance.parameters, "DiagramDesign::across");
  check_axis(design_.up, instance.parameters, "DiagramDesign::up");
  if (design_.across.name == design_.up.name)
    refuse({.what = "the plane needs two parameters",
            .where = "DiagramDesign",
            .expected = "two different ones",
            .got = "'" + design_.across.name + "' twice"});
  check_cells(design_.across.cells, design_.up.cells, kMostCellsOfDiagram, "DiagramDesign");
  for (const auto& [name, period] : options_.wrap) {
    const std::vector<std::string>& names = instance.system.state_names();
    if (std::find(names.begin(), names.end(), name) == names.end())
      refuse({.what = "there is no such state",
              .where = "DiagramOptions::wrap",
              .expected = "a state of the model",
              .got = "'" + name + "'"});
    if (!(std::isfinite(period) && period > 0))
      refuse({.what = "the period of an angle makes no sense",
              .where = "DiagramOptions::wrap",
              .expected = "a finite number above 0",
              .got = number_text(period)});
  }
}

// Pilot runs over the plane show in which ranges states move, and how fast.
void DiagramProblem::find_ranges(const ModelInstance& middle) {
  const Index n = middle.system.states();
  const double infinity = std::numeric_limits<double>::infinity();
  Vector low = Vector::Constant(n, infinity), high = -low;
  std::vector<Pilot> pilots;
  const Options run = plain_options(options_.run, Recording::nothing);
  for (Index i = 0; i < kPilotsOfSide; ++i) {
    for (Index j = 0; j < kPilotsOfSide; ++j) {
      const auto part = [](const DiagramAxis& axis, Index k) {
        return axis.low + (static_cast<double>(k) + 0.5) / kPilotsOfSide * (axis.high - axis.low);
      };
      try {
        const ModelInstance instance = instance_at(part(design_.across, i), part(design_.up, j));
        const double interval = is_autonomous_ ? (instance.end - instance.start) / kLooksOfRun
                                               : step_of(instance) / kLooksPerRound;
        const Index looks = is_autonomous_ ? kLooksOfRun : kPilotRounds * kLooksPerRound;
        const double length = interval * static_cast<double>(looks);
        LiveRun live =
            Simulator(instance.problem(), run)
                .begin({.start = instance.start, .end = instance.start + length, .state = instance.state});
        std::vector<Vector> states;
        for (Index k = 0; k <= looks; ++k) {
          const double t = instance.start + static_cast<double>(k) * interval;
          if (!live.advance_to(t).reached_end() || !live.state().allFinite()) break;
          states.push_back(live.state());
        }
        if (std::ssize(states) <= looks / 2) continue;
        pilots.emplace_back(interval, std::move(states));
        pilots.back().widen(low, high);
      } catch (const std::invalid_argument&) {
        continue;  // No solution begins there.
      }
    }
  }
  const Vector& begin = middle.state;
  low_ = Vector::Constant(n, -infinity);
  high_ = -low_;
  Vector width(n), period = Vector::Zero(n);
  const auto parts = static_cast<double>(options_.parts);
  // States that hardly move have the size of those that move most.
  double widest = 0;
  for (Index i = 0; i < n; ++i)
    if (high[i] > low[i]) widest = std::max(widest, high[i] - low[i]);
  constexpr double errors = 20;  // of the tolerances: a range within them is that of a state that rests
  const Vector atol = run.atol.expand(n, run.rtol);
  for (Index i = 0; i < n; ++i) {
    if (!(high[i] >= low[i])) low[i] = high[i] = begin[i];
    double range = high[i] - low[i];
    const double farthest = std::max(std::abs(low[i]), std::abs(high[i]));
    if (!(range > errors * (run.rtol * farthest + atol[i]))) {
      const double size = std::max(farthest, std::abs(begin[i]));
      range = size > 0 ? size : widest > 0 ? widest : 1.0;
    }
    width[i] = range / parts;
    low_[i] = std::min(low[i], begin[i]) - options_.reach * range;
    high_[i] = std::max(high[i], begin[i]) + options_.reach * range;
  }
  for (const auto& [name, turn] : options_.wrap)
    period[std::find(states_.begin(), states_.end(), name) - states_.begin()] = turn;
  grid_ = StateGrid(std::move(low), std::move(width), std::move(period));
  if (!is_autonomous_ || step_ > 0) return;
  std::vector<double> steps;
  for (const Pilot& pilot : pilots) {
    const double time = pilot.time_of_cell(grid_);
    if (time > 0) steps.push_back(kPartsPerStep * time);
  }
  const double length = middle.end - middle.start;
  constexpr double shortest = 1e-5, longest = 0.1;
  step_ = length / 100;
  if (steps.empty()) return;
  std::nth_element(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2), steps.end());
  step_ = std::clamp(steps[steps.size() / 2], shortest * length, longest * length);
}

ModelInstance DiagramProblem::instance_at(double across, double up) const {
  Settings settings = design_.fixed;
  settings.emplace_back(design_.across.name, across);
  settings.emplace_back(design_.up.name, up);
  return model_.instantiate(settings);
}

double DiagramProblem::step_of(const ModelInstance& instance) const {
  if (options_.step) return options_.step(instance);
  if (is_autonomous_) return step_;
  return schedule_period(instance.problem()).value_or(step_);
}

std::unique_ptr<AttractorMap> DiagramProblem::map_of(const ModelInstance& instance) const {
  const double step = step_of(instance);
  const Automaton problem = instance.problem();
  return std::make_unique<AttractorMap>(
      MapParts{.problem = [problem] { return problem; },
               .run = plain_options(options_.run, Recording::nothing),
               .start = instance.start,
               .step = step,
               .is_autonomous = is_autonomous_,
               .acts_at_rounds = acts_at_iterates(problem, instance.start, step),
               .grid = grid_,
               .low = low_,
               .high = high_,
               .most_steps = options_.most_steps,
               .recurrences = options_.recurrences,
               .more_iterates = 0,
               .find_exponents = options_.find_exponents,
               .exponent_rounds = kExponentRounds});
}

}  // namespace slideway
