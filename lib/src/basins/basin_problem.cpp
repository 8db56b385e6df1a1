#include "basins/basin_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "basins/map_drive.hpp"
#include "basins/plane_checks.hpp"
#include "core/number_text.hpp"
#include "model/numbered_states.hpp"
#include "simulate/plain_options.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/simulate/live_run.hpp"

namespace slideway {

namespace {

constexpr Index kMostCells = 100'000'000;
constexpr Index kPilots = 5;  // on each side of the plane
constexpr Index kPilotSteps = 50;
constexpr double kCellsPerStep = 8;
constexpr double kShortest = 1e-4;  // of the model's run: over it speeds are measured

Settings with(Settings settings, const BasinDesign& design, double across, double up) {
  settings.emplace_back(design.across.name, across);
  settings.emplace_back(design.up.name, up);
  return settings;
}

void check_options(const BasinOptions& options) {
  const auto check = [](bool is_right, const char* where, const char* expected, const std::string& got) {
    if (!is_right)
      refuse({.what = "the value makes no sense", .where = where, .expected = expected, .got = got});
  };
  check(!options.step || (std::isfinite(*options.step) && *options.step > 0), "BasinOptions::step",
        "a finite time above 0", number_text(options.step.value_or(0)));
  check(options.most_steps >= 1, "BasinOptions::most_steps", "at least 1",
        std::to_string(options.most_steps));
  check(options.recurrences >= 1, "BasinOptions::recurrences", "at least 1",
        std::to_string(options.recurrences));
  check(options.samples >= 0, "BasinOptions::samples", "0 or more", std::to_string(options.samples));
  check(options.reach > 0, "BasinOptions::reach", "a number above 0", number_text(options.reach));
}

}  // namespace

BasinProblem::BasinProblem(const Model& model, const BasinDesign& design, const BasinOptions& options)
    : AttractorMap({.run = plain_options(options.run, Recording::nothing),
                    .most_steps = options.most_steps,
                    .recurrences = options.recurrences,
                    .find_exponents = options.find_exponents}),
      model_(model),
      design_(design),
      options_(options) {
  check_side(design_.across.low, design_.across.high, design_.across.cells, "BasinDesign::across");
  check_side(design_.up.low, design_.up.high, design_.up.cells, "BasinDesign::up");
  check_options(options_);
  check_cells(design_.across.cells, design_.up.cells, kMostCells, "BasinDesign");
  const ModelInstance instance = model_.instantiate(design_.fixed);
  check_plane(instance);
  parts_.problem = [this] { return model_.instantiate(design_.fixed).problem(); };
  parts_.run.validate(instance.system.states());
  parts_.start = instance.start;
  initial_ = instance.state;
  const double left = design_.across.low, right = design_.across.high, low = design_.up.low,
               high = design_.up.high;
  is_start_direct_ = true;
  for (const auto& [across, up] : {std::pair{left, low}, std::pair{right, high}, std::pair{left, high}}) {
    const Vector state = model_.instantiate(with(design_.fixed, design_, across, up)).state;
    is_start_direct_ = is_start_direct_ && state == state_at(across, up);
  }
  find_step(instance);
  find_grid();
  const Automaton problem = instance.problem();
  bool has_delays = false;
  for (const Location& location : problem.locations())
    for (const Event& event : location.system.events()) has_delays = has_delays || event.delay.time > 0;
  parts_.acts_at_rounds = acts_at_iterates(problem, start(), step());
  is_plane_whole_ = instance.system.states() == 2 && !has_delays && !parts_.acts_at_rounds;
}

void BasinProblem::check_plane(const ModelInstance& instance) {
  refuse_numbered_states(instance.problem(), "basins");
  states_ = instance.system.state_names();
  const auto index_of = [&](const std::string& name, const char* where) {
    const auto found = std::find(states_.begin(), states_.end(), name);
    if (found != states_.end()) return static_cast<Index>(found - states_.begin());
    std::string known;
    for (const std::string& state : states_) known += (known.empty() ? "" : ", ") + state;
    const std::string near = nearest_name(name, states_);
    refuse({.what = "the plane is one of initial values",
            .where = where,
            .expected = "one of the states " + known,
            .got = "'" + name + "'",
            .advice = near.empty() ? "" : "did you mean '" + near + "'?"});
  };
  across_ = index_of(design_.across.name, "BasinDesign::across");
  up_ = index_of(design_.up.name, "BasinDesign::up");
  if (across_ == up_)
    refuse({.what = "the plane needs two states",
            .where = "BasinDesign",
            .expected = "two different ones",
            .got = "'" + design_.across.name + "' twice"});
  for (const auto& [name, period] : options_.wrap) {
    index_of(name, "BasinOptions::wrap");
    if (!(std::isfinite(period) && period > 0))
      refuse({.what = "the period of an angle makes no sense",
              .where = "BasinOptions::wrap",
              .expected = "a finite number above 0",
              .got = number_text(period)});
  }
}

void BasinProblem::find_step(const ModelInstance& instance) {
  std::vector<Vector> tried;
  // No three of them lie on a line, which may be a surface where no solution begins.
  constexpr std::pair<double, double> parts[] = {
      {0.5, 0.5}, {0.25, 0.6}, {0.75, 0.2}, {0.1, 0.35}, {0.9, 0.7}};
  for (const auto& [across, up] : parts)
    tried.push_back(state_at(design_.across.low + across * (design_.across.high - design_.across.low),
                             design_.up.low + up * (design_.up.high - design_.up.low)));
  const MapDrive drive = find_map_drive({.problem = instance.problem(),
                                         .run = parts_.run,
                                         .start = start(),
                                         .length = instance.end - instance.start,
                                         .tried = std::move(tried),
                                         .step = options_.step,
                                         .where = "BasinOptions::step"});
  parts_.is_autonomous = !drive.is_driven;
  parts_.step = drive.step;
  if (!(step() > 0)) {
    if (!(instance.end > instance.start))
      refuse({.what = "the model has no length of time",
              .where = "BasinOptions::step",
              .expected = "a step, or an end of the model after its start",
              .got = "none"});
    parts_.step = step_by_speed(instance.end - instance.start);
  }
}

// The median time in which starts of the plane move by some cells.
double BasinProblem::step_by_speed(double length) const {
  const Lent lent(*this);
  std::vector<double> times;
  const double moment = kShortest * length;
  for (Index i = 0; i < kPilots; ++i) {
    for (Index j = 0; j < kPilots; ++j) {
      const auto part = [](Index k) { return (static_cast<double>(k) + 0.5) / static_cast<double>(kPilots); };
      const Vector x = state_at(design_.across.low + part(i) * (design_.across.high - design_.across.low),
                                design_.up.low + part(j) * (design_.up.high - design_.up.low));
      try {
        const Solution moved = lent.simulator().run({.start = start(), .end = start() + moment, .state = x});
        const double cells =
            std::max(std::abs(moved.final.state[across_] - x[across_]) / design_.across.width(),
                     std::abs(moved.final.state[up_] - x[up_]) / design_.up.width());
        if (moved.outcome.reached_end() && cells > 0) times.push_back(kCellsPerStep * moment / cells);
      } catch (const std::invalid_argument&) {
        continue;
      }
    }
  }
  if (times.empty()) return length / 100;
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  return std::clamp(times[times.size() / 2], 1e-5 * length, 0.1 * length);
}

// States beside the plane have cells of the size that the plane's would have over the range in which pilots move.
void BasinProblem::find_grid() {
  const Index n = static_cast<Index>(states_.size());
  Vector low = Vector::Constant(n, std::numeric_limits<double>::infinity());
  Vector high = -low;
  if (n > 2) {
    const Lent lent(*this);
    for (Index i = 0; i < kPilots; ++i) {
      for (Index j = 0; j < kPilots; ++j) {
        const auto part = [](Index k) {
          return (static_cast<double>(k) + 0.5) / static_cast<double>(kPilots);
        };
        try {
          LiveRun live = lent.simulator().begin(run_from(
              start(), state_at(design_.across.low + part(i) * (design_.across.high - design_.across.low),
                                design_.up.low + part(j) * (design_.up.high - design_.up.low))));
          for (Index k = 1; k <= kPilotSteps; ++k) {
            if (!live.advance_to(start() + static_cast<double>(k) * step()).reached_end()) break;
            if (!live.state().allFinite()) break;
            low = low.cwiseMin(live.state());
            high = high.cwiseMax(live.state());
          }
        } catch (const std::invalid_argument&) {
          continue;
        }
      }
    }
  }
  const auto cells = static_cast<double>(std::max(design_.across.cells, design_.up.cells));
  Vector width(n), period = Vector::Zero(n);
  for (Index i = 0; i < n; ++i) {
    const double size = std::max({std::abs(low[i]), std::abs(high[i]), std::abs(initial_[i])});
    const bool moves = high[i] > low[i];
    width[i] = (moves ? high[i] - low[i] : std::isfinite(size) && size > 0 ? size : 1.0) / cells;
    if (!moves) low[i] = initial_[i];
  }
  low[across_] = design_.across.low;
  low[up_] = design_.up.low;
  width[across_] = design_.across.width();
  width[up_] = design_.up.width();
  for (const auto& [name, turn] : options_.wrap)
    period[std::find(states_.begin(), states_.end(), name) - states_.begin()] = turn;
  parts_.low = Vector::Constant(n, -std::numeric_limits<double>::infinity());
  parts_.high = -parts_.low;
  const auto limit = [this](const BasinAxis& axis, Index state) {
    const double reach = options_.reach * (axis.high - axis.low);
    parts_.low[state] = axis.low - reach;
    parts_.high[state] = axis.high + reach;
  };
  limit(design_.across, across_);
  limit(design_.up, up_);
  parts_.grid = StateGrid(std::move(low), std::move(width), std::move(period));
}

Vector BasinProblem::state_at(double across, double up) const {
  Vector state = initial_;
  if (!is_start_direct_) state = model_.instantiate(with(design_.fixed, design_, across, up)).state;
  state[across_] = across;
  state[up_] = up;
  return state;
}

Vector BasinProblem::state_of(Index cell) const {
  return state_at(design_.across.middle(cell % design_.across.cells),
                  design_.up.middle(cell / design_.across.cells));
}

}  // namespace slideway
