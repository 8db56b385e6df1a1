#include "basins/identify_attractor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "core/number_text.hpp"
#include "slideway/orbit/lyapunov.hpp"
#include "slideway/orbit/periodic_orbit.hpp"
#include "slideway/simulate/live_run.hpp"

namespace slideway {

namespace {

constexpr double kNotKnown = std::numeric_limits<double>::quiet_NaN();
constexpr double kPush = 0.01;  // of a cell: neighbours that show whether an attractor is stable
constexpr Index kPushedRounds = 300;
constexpr double kOrbitRtol = 1e-9;
constexpr double kMatched = 0.2;  // of a cell: between the orbit of a run and that of shooting
constexpr Index kFewestRounds = 100;
constexpr Index kRoundsBefore = 50;
constexpr double kSure = 4;              // of standard errors
constexpr double kDistance = 1e-3;       // of a cell: the neighbour by which an exponent is found
constexpr double kLeastDistance = 1e-7;  // of a cell: rounding and tolerances are as large
constexpr int kBatches = 20;
constexpr Index kPointsOfOrbit = 4000;
constexpr Index kRoundsOfReturn = 1000;
constexpr double kOddPart = 0.381966;  // of a step, that no orbit is likely to divide

// is_stable() follows neighbours of a periodic attractor and tells whether all of them stay. Neighbours that cannot be starts, as
// those inside a wall, are left out.
bool is_stable(const AttractorMap& map, const Simulator& simulator, const Iterate& at, Index rounds) {
  for (Index i = 0; i < at.state.size(); ++i) {
    for (const double sign : {-1.0, 1.0}) {
      Vector pushed = at.state;
      pushed[i] += sign * kPush * map.grid().width()[i];
      try {
        LiveRun live = simulator.begin(map.run_on(at, pushed));
        for (Index k = 1; k <= kPushedRounds; ++k) {
          const double t = at.t + static_cast<double>(k * rounds) * map.step();
          if (!live.advance_to(t).reached_end() || !live.state().allFinite()) break;
          const double distance = map.grid().distance(live.state(), at.state);
          if (distance > 1) return false;
          if (distance < 0.1 * kPush) break;
        }
      } catch (const std::invalid_argument&) {
        continue;
      }
    }
  }
  return true;
}

// The size of the largest multiplier that is neither along the orbit nor of a state that nothing sets.
double largest_multiplier(const PeriodicOrbit& orbit) {
  for (const FloquetMultiplier& multiplier : orbit.multipliers)
    if (multiplier.kind != MultiplierKind::trivial && multiplier.kind != MultiplierKind::held)
      return std::abs(multiplier.value);
  return 0;
}

OrbitOptions orbit_options(const AttractorMap& map) {
  OrbitOptions options{.run = map.parts().run};
  options.run.rtol = std::min(options.run.rtol, kOrbitRtol);
  options.run.atol = {};
  options.run.on_step = {};
  options.run.on_event = {};
  return options;
}

std::optional<PeriodicOrbit> one_shot(const AttractorMap& map, const Simulator& simulator,
                                      const OrbitGuess& guess, BasinAttractor& attractor) {
  try {
    PeriodicOrbit orbit = find_periodic_orbit(simulator.automaton(), guess, orbit_options(map));
    if (orbit.converged) return orbit;
    attractor.message = orbit.message;
  } catch (const std::invalid_argument& error) {
    attractor.message = error.what();
  }
  return std::nullopt;
}

// The orbit near the guess, once round: multipliers of several rounds are powers.
std::optional<PeriodicOrbit> shot(const AttractorMap& map, const Simulator& simulator, OrbitGuess guess,
                                  BasinAttractor& attractor) {
  std::optional<PeriodicOrbit> orbit = one_shot(map, simulator, guess, attractor);
  if (!orbit || orbit->repeats <= 1) return orbit;
  guess.period /= static_cast<double>(orbit->repeats);
  std::optional<PeriodicOrbit> once = one_shot(map, simulator, guess, attractor);
  return once && once->repeats == 1 ? once : orbit;
}

bool repels(const PeriodicOrbit& orbit) {
  return orbit.admissible && orbit.stability == OrbitStability::unstable;
}

void describe(const PeriodicOrbit& orbit, BasinAttractor& attractor) {
  attractor.matched = true;
  attractor.kind = AttractorKind::orbit;
  attractor.period = orbit.period / static_cast<double>(std::max<Index>(orbit.repeats, 1));
  attractor.signature = orbit.signature;
  attractor.multiplier = largest_multiplier(orbit);
  if (orbit.admissible && orbit.stability == OrbitStability::stable) attractor.stable = true;
}

// The points of an orbit at the times of the map.
std::vector<Vector> points_of_map(const AttractorMap& map, const PeriodicOrbit& orbit, Index rounds) {
  std::vector<Vector> points;
  const double first = std::ceil((orbit.start - map.start()) / map.step() - 1e-9);
  const double begin = orbit.solution.trajectory.start(), end = orbit.solution.trajectory.end();
  for (Index k = 0; k < rounds; ++k) {
    const double t = map.start() + (first + static_cast<double>(k)) * map.step();
    points.push_back(orbit.solution.trajectory(std::clamp(t, begin, end)));
  }
  return points;
}

bool turns_round(const AttractorMap& map, const FoundAttractor& found, const Simulator& simulator) {
  if (!map.has_angles()) return false;
  const Iterate& first = found.iterates.front();
  LiveRun live = simulator.begin(map.run_on(first, first.state));
  live.advance_to(first.t + static_cast<double>(found.rounds) * map.step());
  for (Index i = 0; i < first.state.size(); ++i) {
    const double period = map.grid().period()[i];
    if (period > 0 && std::abs(live.state()[i] - first.state[i]) > 0.5 * period) return true;
  }
  return false;
}

void match_driven_orbit(const AttractorMap& map, const Simulator& simulator, const FoundAttractor& found,
                        BasinAttractor& attractor) {
  const Iterate& first = found.iterates.front();
  attractor.period = static_cast<double>(found.rounds) * map.step();
  if (turns_round(map, found, simulator)) {
    attractor.message = "an angle turns round in a period, and shooting closes no orbit that turns round";
    return;
  }
  const std::optional<PeriodicOrbit> orbit =
      shot(map, simulator,
           {.start = first.t, .period = attractor.period, .state = first.state, .location = first.location},
           attractor);
  if (!orbit) return;
  std::vector<Vector> points = points_of_map(map, *orbit, found.rounds);
  double least = std::numeric_limits<double>::infinity();
  for (const Vector& point : points) least = std::min(least, map.grid().distance(point, first.state));
  if (least > kMatched) {
    attractor.message = "shooting found another orbit, " + number_text(least) + " cells away";
    return;
  }
  if (attractor.stable && repels(*orbit)) {
    attractor.rounds = 0;
    return;
  }
  describe(*orbit, attractor);
  attractor.rounds = std::clamp<Index>(std::llround(attractor.period / map.step()), 1, found.rounds);
  points.resize(static_cast<std::size_t>(attractor.rounds));
  attractor.points = std::move(points);
}

// The time after which a solution that goes round comes back to its start, nearest among the first returns.
std::optional<double> return_time(const AttractorMap& map, const Solution& solution) {
  constexpr double near = 0.25;           // of the size of the orbit
  constexpr double near_enough = 0.1;     // of a cell
  constexpr double clearly_nearer = 0.1;  // than returns before
  constexpr int most_returns = 64;
  constexpr int parts = 4;
  constexpr int bisections = 50;
  const Trajectory& trajectory = solution.trajectory;
  const double begin = trajectory.start(), end = trajectory.end();
  const Vector x = trajectory(begin);
  const Vector scale = map.grid().width();
  const Vector along = (trajectory(begin + 0.05 * std::min(map.step(), end - begin)) - x)
                           .cwiseQuotient(scale.cwiseProduct(scale));
  const auto height = [&](double t) { return along.dot(trajectory(t) - x); };
  double size = 0;
  std::optional<double> best;
  double least = std::numeric_limits<double>::infinity();
  int returns = 0;
  double before = begin;
  double height_before = 0;
  for (std::size_t k = 0; k < trajectory.segments().size() && returns < most_returns; ++k) {
    const std::vector<double> times = trajectory.step_times(k);
    for (std::size_t i = 0; i + 1 < times.size() && returns < most_returns; ++i) {
      for (int part = 1; part <= parts; ++part) {
        const double t = times[i] + (times[i + 1] - times[i]) * part / parts;
        const double now = height(t);
        size = std::max(size, map.grid().distance(trajectory(t), x));
        if (height_before < 0 && now >= 0 && map.grid().distance(trajectory(t), x) <= near * size) {
          double low = before, high = t;
          for (int k2 = 0; k2 < bisections; ++k2)
            (height(0.5 * (low + high)) < 0 ? low : high) = 0.5 * (low + high);
          const double distance = map.grid().distance(trajectory(high), x);
          ++returns;
          if (distance < clearly_nearer * least) {
            least = distance;
            best = high - begin;
          }
          if (least <= near_enough) return best;
        }
        before = t;
        height_before = now;
      }
    }
  }
  return best;
}

void match_closed_orbit(const AttractorMap& map, const Simulator& simulator, const Iterate& at,
                        BasinAttractor& attractor) {
  Options options = simulator.options();
  options.recording = Recording::dense;
  Run run = map.run_on(at, at.state);
  run.end = run.start + static_cast<double>(kRoundsOfReturn) * map.step();
  const Solution solution = Simulator(simulator.automaton(), options).run(run);
  const std::optional<double> period = return_time(map, solution);
  if (!period) return;
  const std::optional<PeriodicOrbit> orbit =
      shot(map, simulator, {.start = at.t, .period = *period, .state = at.state, .location = at.location},
           attractor);
  // An attractor that is not periodic has orbits that repel within it.
  if (!orbit || repels(*orbit)) return;
  std::vector<Vector> points;
  const Trajectory& round = orbit->solution.trajectory;
  double least = std::numeric_limits<double>::infinity();
  for (Index k = 0; k < kPointsOfOrbit; ++k) {
    points.push_back(round(round.start() + (round.end() - round.start()) * static_cast<double>(k) /
                                               static_cast<double>(kPointsOfOrbit)));
    least = std::min(least, map.grid().distance(points.back(), at.state));
  }
  if (least > kMatched) return;
  attractor.message.clear();
  describe(*orbit, attractor);
  attractor.points = std::move(points);
}

// follow_further() adds iterates to the points of an attractor, so that nearly all cells that it visits are known.
void follow_further(const AttractorMap& map, const Simulator& simulator, const Iterate& last,
                    BasinAttractor& attractor) {
  std::unordered_set<CellKey> cells;
  for (const Vector& point : attractor.points) cells.insert(map.grid().key(point, attractor.location));
  LiveRun live = simulator.begin(map.run_on(last, last.state));
  for (Index k = 1; k <= map.parts().more_iterates; ++k) {
    if (!live.advance_to(last.t + static_cast<double>(k) * map.step()).reached_end()) return;
    if (live.location() != attractor.location) continue;
    if (cells.insert(map.grid().key(live.state(), attractor.location)).second)
      attractor.points.push_back(live.state());
  }
}

// exact_options() returns the options of runs that are as accurate as exponents need.
Options exact_options(const AttractorMap& map) {
  Options options = map.parts().run;
  options.rtol = std::min(options.rtol, kOrbitRtol);
  options.atol = {};
  return options;
}

void name_by_exponent(double exponent, double error, BasinAttractor& attractor) {
  attractor.exponent = exponent;
  attractor.exponent_error = error;
  const double doubt = kSure * error;
  if (exponent > doubt) attractor.kind = AttractorKind::chaotic;
  if (std::abs(exponent) <= doubt) attractor.kind = AttractorKind::quasiperiodic;
}

// The largest exponent by the distance of a neighbour that is brought back after every round (G. Benettin, L. Galgani, J.-M. Strelcyn, Phys.
// Rev. A 14, 1976): it needs no derivatives, which do not exist where a solution touches a surface. False where a run ends.
bool find_exponent_by_neighbour(const AttractorMap& map, const Simulator& simulator, const Iterate& last,
                                BasinAttractor& attractor) {
  const Simulator exact(simulator.automaton(), exact_options(map));
  const Vector& width = map.grid().width();
  LiveRun live = exact.begin(map.run_on(last, last.state));
  Iterate place = last;
  const Vector even = Vector::Constant(width.size(), 1 / std::sqrt(static_cast<double>(width.size())));
  Vector direction = even;
  std::vector<double> growths;
  for (Index k = 1; k <= map.parts().exponent_rounds + kRoundsBefore; ++k) {
    const double t = last.t + static_cast<double>(k) * map.step();
    if (!live.advance_to(t).reached_end()) return false;
    double distance = kLeastDistance;
    for (const double side : {1.0, -1.0}) {
      try {
        const Vector moved = place.state + side * kDistance * width.cwiseProduct(direction);
        LiveRun neighbour = exact.begin(map.run_on(place, moved));
        if (!neighbour.advance_to(t).reached_end()) return false;
        const Vector between = (neighbour.state() - live.state()).cwiseQuotient(width);
        distance = std::max(between.norm(), kLeastDistance);
        direction = between.norm() > kLeastDistance ? Vector(side * between.normalized()) : even;
        break;
      } catch (const std::invalid_argument&) {
        continue;  // The neighbour is within a wall, and the one opposite is not.
      }
    }
    if (k > kRoundsBefore) growths.push_back(std::log(distance / kDistance) / map.step());
    place = {t, live.state(), live.location(), live.mode().word()};
  }
  const auto size = static_cast<std::size_t>(map.parts().exponent_rounds / kBatches);
  double mean = 0, squares = 0;
  for (std::size_t batch = 0; batch < static_cast<std::size_t>(kBatches); ++batch) {
    double sum = 0;
    for (std::size_t k = batch * size; k < (batch + 1) * size; ++k) sum += growths[k];
    mean += sum / static_cast<double>(size) / kBatches;
    squares += sum * sum / static_cast<double>(size * size) / kBatches;
  }
  name_by_exponent(mean, std::sqrt(std::max(squares - mean * mean, 0.0) / (kBatches - 1)), attractor);
  return true;
}

void find_exponent(const AttractorMap& map, const Simulator& simulator, const Iterate& last,
                   BasinAttractor& attractor) {
  const LyapunovOptions options{.run = exact_options(map),
                                .block = map.step(),
                                .transient = static_cast<double>(kRoundsBefore) * map.step()};
  try {
    Run run = map.run_on(last, last.state);
    run.end = run.start + static_cast<double>(map.parts().exponent_rounds + kRoundsBefore) * map.step();
    const LyapunovExponents found = lyapunov_exponents(simulator.automaton(), run, options);
    // A touch may shrink one direction by more than can be followed; the largest exponent is known from the rounds before.
    if (!found.complete) {
      attractor.message = found.message;
      if (std::ssize(found.times) < kFewestRounds) {
        if (find_exponent_by_neighbour(map, simulator, last, attractor))
          attractor.message = "the exponent is that of the distance to a neighbour: " + found.message;
        return;
      }
      attractor.message = "of " + std::to_string(found.times.size()) + " rounds: " + found.message;
    }
    name_by_exponent(found.values[0], found.errors[0], attractor);
  } catch (const std::invalid_argument& error) {
    attractor.message = error.what();
  }
}

}  // namespace

bool is_at_rest(const AttractorMap& map, const Simulator& simulator, const Iterate& place,
                const Vector& state, Index rounds) {
  try {
    LiveRun live = simulator.begin(map.run_on(place, state));
    return live.advance_to(place.t + static_cast<double>(rounds) * map.step()).reached_end() &&
           map.grid().distance(live.state(), state) <= map.settled(state);
  } catch (const std::invalid_argument&) {
    return false;
  }
}

BasinAttractor identify_attractor(const AttractorMap& map, const Simulator& simulator,
                                  const FoundAttractor& found) {
  const Iterate& first = found.iterates.front();
  BasinAttractor attractor{.location = first.location,
                           .mode = first.mode,
                           .rounds = found.rounds,
                           .multiplier = kNotKnown,
                           .exponent = kNotKnown,
                           .exponent_error = kNotKnown};
  for (const Iterate& iterate : found.iterates)
    if (iterate.location == attractor.location) attractor.points.push_back(iterate.state);
  if (found.rounds > 0) {
    attractor.stable = is_stable(map, simulator, first, found.rounds);
    attractor.kind = AttractorKind::orbit;
    if (!map.is_autonomous()) match_driven_orbit(map, simulator, found, attractor);
    // Neighbours stay within a cell of an orbit that repels: an attractor of narrow bands is around it.
    const bool is_band = attractor.rounds == 0;
    if (is_band) attractor.kind = AttractorKind::unresolved;
    if (!map.is_autonomous() && !is_band) return attractor;
  }
  if (found.rounds > 0 && map.is_autonomous()) {
    LiveRun live = simulator.begin(map.run_on(first, first.state));
    live.advance_to(first.t + kOddPart * map.step());
    if (map.grid().distance(live.state(), first.state) <= 10 * map.settled(first.state)) {
      attractor.kind = AttractorKind::point;
      return attractor;
    }
  }
  const Iterate& last = found.iterates.back();
  if (map.is_autonomous()) match_closed_orbit(map, simulator, last, attractor);
  if (attractor.matched) {
    attractor.rounds = 0;
    return attractor;
  }
  if (attractor.rounds > 0) return attractor;
  follow_further(map, simulator, last, attractor);
  if (map.parts().find_exponents) find_exponent(map, simulator, last, attractor);
  return attractor;
}

}  // namespace slideway
