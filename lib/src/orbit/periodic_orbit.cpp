#include "slideway/orbit/periodic_orbit.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "core/factorise.hpp"
#include "core/number_text.hpp"
#include "model/numbered_states.hpp"
#include "model/refuse_cones.hpp"
#include "orbit/floquet.hpp"
#include "orbit/regular_times.hpp"
#include "orbit/schedule.hpp"
#include "orbit/shooting.hpp"
#include "orbit/time_dependence.hpp"
#include "simulate/plain_options.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

namespace {

constexpr double kPeriodTolerance =
    1e-6;                            // of the equations, within which they repeat themselves after the period
constexpr double kNeutral = 1e-6;    // around the unit circle
constexpr double kSamePoint = 1e-6;  // of the size of the orbit
constexpr double kWantedResidual = 2;  // in relative tolerances of the runs
constexpr double kAcceptedResidual =
    1000;  // likewise, where rounding or an event keeps Newton's method from less
// An orbit comes back within this part of the sizes of the states. One run round multiplies the residual where an
// orbit repels strongly.
constexpr double kComesBack = 1e-3;
constexpr Index kMostShots = 64;

void check_guess(const Automaton& problem, const OrbitGuess& guess, const OrbitOptions& options) {
  const char* const where = "find_periodic_orbit";
  refuse_cone_friction(problem, "periodic orbits");
  refuse_numbered_states(problem, "periodic orbits");
  const Index n = problem.system().states();
  if (!(guess.period > 0) || !std::isfinite(guess.period)) {
    refuse({.what = "the period makes no sense",
            .where = where,
            .expected = "a finite number above 0",
            .got = number_text(guess.period)});
  }
  if (guess.state.size() != n || !guess.state.allFinite()) {
    refuse({.what = "the state of the guess does not fit",
            .where = where,
            .expected = std::to_string(n) + " finite numbers",
            .got = std::to_string(guess.state.size()) + " numbers"});
  }
  if (options.shots < 0 || options.shots > kMostShots) {
    refuse({.what = "there is no such number of shots",
            .where = where,
            .expected = "1 to " + std::to_string(kMostShots) + ", or 0 to have it chosen",
            .got = std::to_string(options.shots)});
  }
  if (options.max_iterations < 1) {
    refuse({.what = "Newton's method needs an iteration",
            .where = where,
            .expected = "max_iterations of at least 1",
            .got = std::to_string(options.max_iterations)});
  }
  if (!std::isfinite(guess.start)) {
    refuse({.what = "the begin of the guess makes no sense",
            .where = where,
            .expected = "a finite time",
            .got = number_text(guess.start)});
  }
  check_schedule(problem, guess.start, guess.period, where);
}

// The sizes of the states on a solution; no less than where their relative tolerance ends. Clocks count from the time.
Vector sizes_on(const Solution& solution, const Options& options, const Vector& clocks) {
  const Index n = solution.initial.state.size();
  Vector sizes = options.atol.expand(n, options.rtol) / options.rtol;
  Vector x(n);
  for (std::size_t k = 0; k < solution.trajectory.segments().size(); ++k)
    for (const double t : solution.trajectory.step_times(k)) {
      solution.trajectory.evaluate(k, t, x);
      sizes = sizes.cwiseMax((x - t * clocks).cwiseAbs());
    }
  return sizes;
}

std::vector<ShotStart> shots_along(const Solution& round, double period, Index count) {
  std::vector<ShotStart> shots = {
      {.fraction = 0, .state = round.initial.state, .location = round.initial.location}};
  for (Index k = 1; k < count; ++k) {
    const double wanted = round.initial.t + period * static_cast<double>(k) / static_cast<double>(count);
    const auto t = regular_time_near(round, wanted);
    if (!t) continue;
    const double fraction = (*t - round.initial.t) / period;
    if (fraction <= shots.back().fraction + 1e-3 || fraction >= 1 - 1e-3) continue;
    shots.push_back(
        {.fraction = fraction, .state = round.trajectory(*t), .location = round.trajectory.location(*t)});
  }
  return shots;
}

// Finds the orbit, and looks at it.
class OrbitSearch {
 public:
  OrbitSearch(const Automaton& problem, const OrbitGuess& guess, const OrbitOptions& options)
      : problem_(problem),
        options_(options),
        plain_(problem, plain_options(options.run, Recording::dense)),
        guess_(guess),
        simulator_(problem, differentiated(problem, options.run)) {}

  PeriodicOrbit execute() {
    const Solution round = once_round();
    if (!round.outcome.reached_end()) return result_;
    sizes_ = sizes_on(round, options_.run, clocks_);
    result_.clocks.clear();
    for (Index i = 0; i < clocks_.size(); ++i)
      if (clocks_[i] != 0) result_.clocks.push_back(i);
    held_ = held_states_of(problem_, round);
    const std::vector<Index> attempts =
        options_.shots > 0 ? std::vector<Index>{options_.shots} : std::vector<Index>{1, 4, 8, 16};
    std::size_t last_count = 0;
    for (const Index count : attempts) {
      std::vector<ShotStart> shots = shots_along(round, guess_.period, count);
      if (shots.size() == last_count) continue;
      last_count = shots.size();
      attempt(std::move(shots));
      if (result_.converged) break;
    }
    return result_;
  }

 private:
  static Options differentiated(const Automaton& problem, const Options& asked) {
    Options options = plain_options(asked, Recording::dense);
    options.recording = Recording::nothing;
    options.sensitivities = by_initial_values(problem.system(), problem.system().state_names());
    return options;
  }

  Solution follow_guess() const {
    return plain_.run({.start = guess_.start,
                       .end = guess_.start + guess_.period,
                       .state = guess_.state,
                       .location = guess_.location});
  }

  // once_round() follows the guess, from a begin where no event is near.
  Solution once_round() {
    Solution round = follow_guess();
    if (!tell_end(round)) return round;
    clocks_ = clocks_of(problem_, round);
    result_.autonomous =
        !acts_at_known_times(problem_, guess_.start) && !depends_on_time(problem_, round, clocks_);
    if (!result_.autonomous) check_drive(round);
    const bool is_regular = round.initial.mode.codimension() == 0 &&
                            !is_on_surface(problem_, round, guess_.start, guess_.state) &&
                            !is_near_known_time(problem_, guess_.start);
    if (is_regular) return round;
    const double t =
        regular_time(round, guess_.start, guess_.start + guess_.period, guess_.start + 0.5 * guess_.period);
    guess_.state = round.trajectory(t);
    guess_.location = round.trajectory.location(t);
    guess_.start = t;
    round = follow_guess();
    tell_end(round);
    return round;
  }

  bool tell_end(const Solution& round) {
    if (round.outcome.reached_end()) return true;
    result_.message =
        "the solution from the first approximation ends at t = " + number_text(round.outcome.t) + " as " +
        to_string(round.outcome.status) + (round.outcome.message.empty() ? "" : ": " + round.outcome.message);
    return false;
  }

  void check_drive(const Solution& round) const {
    const double change = change_by_shift(problem_, round, guess_.period, clocks_);
    if (change <= kPeriodTolerance) return;
    refuse({.what = "the equations depend on time and do not repeat themselves after the period",
            .where = "find_periodic_orbit",
            .expected = "the period of the drive, or a multiple of it",
            .got = number_text(guess_.period) + ", after which they differ by " + number_text(change) +
                   " of their size",
            .advice = "give the period to all its digits"});
  }

  EquationsResult zero_of(Shooting& shooting) const {
    const Equations equations = shooting.equations();
    const Vector start = shooting.unknowns();
    if (options_.taken_residual > 0) {
      Vector f(start.size());
      if (equations.value(start, f) && f.lpNorm<Eigen::Infinity>() <= options_.taken_residual)
        return {.converged = true, .u = start, .residual = f.lpNorm<Eigen::Infinity>()};
    }
    const double rtol = options_.run.rtol;
    return solve_equations(equations, start,
                           {.tolerance = kWantedResidual * rtol,
                            .accepted = std::max(kAcceptedResidual * rtol, 1e-12),
                            .max_iterations = options_.max_iterations,
                            .longest_step = 1});
  }

  void attempt(std::vector<ShotStart> shots) {
    Shooting shooting(simulator_,
                      {.start = guess_.start,
                       .period = guess_.period,
                       .period_is_unknown = result_.autonomous,
                       .clocks = clocks_,
                       .held = held_},
                      sizes_, std::move(shots));
    const EquationsResult found = zero_of(shooting);
    result_.iterations += found.iterations;
    result_.residual = found.residual;
    const std::string failure = shooting.failure();
    if (!found.converged || shooting.runs(found.u).empty()) {
      result_.message = "Newton's method found no orbit: " + found.message +
                        (failure.empty() ? "" : "; " + failure) +
                        (is_singular(shooting, found.u)
                             ? "; a multiplier is 1 there, as at a fold, or where orbits form a family"
                             : "") +
                        "; make the transient longer, begin nearer to an orbit, or take more shots";
      return;
    }
    result_.shots = static_cast<Index>(shooting.runs(found.u).size());
    result_.start = guess_.start;
    result_.period = shooting.period(found.u);
    result_.state = shooting.state(found.u, 0);
    result_.location = guess_.location;
    result_.monodromy = shooting.monodromy(found.u);
    const Vector field = result_.autonomous ? shooting.field_at_start(found.u) : Vector();
    if (field.size() > 0) result_.trivial_error = (result_.monodromy * field - field).norm() / field.norm();
    result_.multipliers = multipliers(shooting.runs(found.u), field);
    judge();
    look_at();
  }

  // is_singular() tells whether the equations have a direction in which they hardly change.
  static bool is_singular(Shooting& shooting, const Vector& u) {
    Matrix jacobian(u.size(), u.size());
    if (!u.allFinite() || !shooting.equations().jacobian(u, jacobian) || !jacobian.allFinite()) return false;
    const Eigen::JacobiSVD<Matrix> svd(jacobian);
    return svd.singularValues().minCoeff() <= kNeutral * svd.singularValues().maxCoeff();
  }

  // multipliers() uses states divided by their sizes, which does not change the multipliers, but makes zeros
  // comparable.
  std::vector<FloquetMultiplier> multipliers(const std::vector<Solution>& runs, const Vector& field) const {
    const auto scaled = [&](const Matrix& derivative) -> Matrix {
      return sizes_.cwiseInverse().asDiagonal() * derivative * sizes_.asDiagonal();
    };
    std::vector<Passage> passages;
    Matrix whole = Matrix::Identity(sizes_.size(), sizes_.size());
    for (const Solution& run : runs) {
      const auto& events = run.sensitivities->events();
      const Matrix final = scaled(run.sensitivities->final());
      // A run that begins on surfaces or closed contacts is taken onto them without an event.
      const Index taken = wiped_out_in(run.initial.mode);
      if (taken > 0)
        passages.push_back({.before = whole,
                            .after = (events.empty() ? final : scaled(events.front().before)) * whole,
                            .most = taken});
      for (const EventSensitivity& event : events)
        passages.push_back({scaled(event.before) * whole, scaled(event.after) * whole, sizes_.size()});
      whole = (final * whole).eval();
    }
    return floquet_multipliers(whole, passages, held_,
                               field.size() > 0 ? Vector(field.cwiseQuotient(sizes_)) : Vector());
  }

  Index wiped_out_in(const Mode& mode) const {
    const Index surfaces = problem_.system().surfaces();
    Index directions = 0;
    for (Index i = 0; i < mode.size(); ++i)
      if (mode[i] == Side::sliding) directions += i < surfaces ? 1 : 2;
    return directions;
  }

  void judge() {
    result_.stability = OrbitStability::stable;
    for (const FloquetMultiplier& multiplier : result_.multipliers) {
      if (multiplier.kind != MultiplierKind::ordinary) continue;
      const double size = std::abs(multiplier.value);
      if (size > 1 + kNeutral) {
        result_.stability = OrbitStability::unstable;
        return;
      }
      if (size >= 1 - kNeutral) result_.stability = OrbitStability::neutral;
    }
  }

  // Once round in one run.
  void look_at() {
    Options options = differentiated(problem_, options_.run);
    options.recording = Recording::dense;
    result_.solution = Simulator(problem_, options)
                           .run({.start = result_.start,
                                 .end = result_.start + result_.period,
                                 .state = result_.state,
                                 .location = result_.location});
    const Solution& round = result_.solution;
    result_.signature = signature_of(round);
    result_.converged = true;
    result_.message.clear();
    if (!round.outcome.reached_end()) {
      result_.admissibility = "one run round ends at t = " + number_text(round.outcome.t) + " as " +
                              to_string(round.outcome.status);
      return;
    }
    if (is_at_rest(round)) {
      result_.converged = false;
      result_.message =
          "Newton's method came to an equilibrium, not to an orbit; begin further away from it, or on the "
          "orbit's other side";
      return;
    }
    find_repeats(round);
    if (round.final.location != round.initial.location) {
      result_.admissibility = "the round ends in the location '" + round.final.location + "'";
    } else if (round.final.mode != round.initial.mode) {
      result_.admissibility = "the round ends in mode \"" + round.final.mode.word() + "\" and not in \"" +
                              round.initial.mode.word() + "\"";
    } else if (round.sensitivities->exists_until() < round.outcome.t) {
      result_.admissibility =
          "the derivative does not exist at t = " + number_text(round.sensitivities->exists_until()) + ": " +
          round.sensitivities->reason();
    } else if (!round.pending.empty()) {
      result_.admissibility = "a delayed action is due after the end of the round";
    } else if (distance_from_begin(round.final.state, round.final.t) > kComesBack) {
      result_.admissibility = "one run round does not come back";
    } else if (!result_.monodromy.allFinite()) {
      result_.admissibility = "the derivative is not finite";
    }
    result_.admissible = result_.admissibility.empty();
  }

  bool is_at_rest(const Solution& round) const {
    const Trajectory& trajectory = round.trajectory;
    Vector x(sizes_.size());
    for (std::size_t k = 0; k < trajectory.segments().size(); ++k)
      for (const double t : trajectory.step_times(k)) {
        trajectory.evaluate(k, t, x);
        if (distance_from_begin(x, t) > kSamePoint) return false;
      }
    return result_.autonomous;
  }

  // Clocks count from the time.
  double distance_from_begin(const Vector& x, double t) const {
    return (x - result_.state - (t - result_.start) * clocks_)
        .cwiseQuotient(sizes_)
        .lpNorm<Eigen::Infinity>();
  }

  bool repeats_after(const Solution& round, double time) const {
    const std::optional<double> schedule = schedule_period(problem_);
    if (schedule && !is_multiple(time, *schedule, kPeriodTolerance)) return false;
    return change_by_shift(problem_, round, time, clocks_) <= kPeriodTolerance;
  }

  void find_repeats(const Solution& round) {
    constexpr Index most = 64;
    result_.repeats = 1;
    const double allowed = std::max(kSamePoint, 10 * result_.residual);
    for (Index k = most; k >= 2; --k) {
      bool is_same = true;
      for (Index j = 1; j < k && is_same; ++j) {
        const double part = static_cast<double>(j) / static_cast<double>(k);
        const double t = result_.start + part * result_.period;
        is_same = distance_from_begin(round.trajectory(t), t) <= allowed;
      }
      const double fraction = result_.period / static_cast<double>(k);
      if (!is_same) continue;
      if (!result_.autonomous && !repeats_after(round, fraction)) continue;
      result_.repeats = k;
      return;
    }
  }

  const Automaton& problem_;
  OrbitOptions options_;
  Simulator plain_;
  OrbitGuess guess_;
  Simulator simulator_;
  Vector sizes_ = {};
  Vector clocks_ = {};            // 1 at discrete states that hold times
  std::vector<Index> held_ = {};  // discrete states that nothing sets
  PeriodicOrbit result_ = {};
};

}  // namespace

const char* to_string(MultiplierKind kind) {
  switch (kind) {
    case MultiplierKind::ordinary: return "ordinary";
    case MultiplierKind::trivial: return "trivial";
    case MultiplierKind::exact_zero: return "exact_zero";
    case MultiplierKind::held: return "held";
  }
  return "";
}

const char* to_string(OrbitStability stability) {
  switch (stability) {
    case OrbitStability::stable: return "stable";
    case OrbitStability::unstable: return "unstable";
    case OrbitStability::neutral: return "neutral";
  }
  return "";
}

std::string signature_of(const Solution& solution) {
  std::string result;
  for (const EventRecord& event : solution.events) {
    if (!event.from) continue;
    std::string names;
    for (const std::string& name : event.surface_names) names += (names.empty() ? "" : ",") + name;
    if (names.empty() && event.name) names = *event.name;
    result += (result.empty() ? "" : " ") + std::string(to_string(event.kind)) + "(" + names + ")";
  }
  return result;
}

PeriodicOrbit find_periodic_orbit(const Automaton& problem, const OrbitGuess& guess,
                                  const OrbitOptions& options) {
  check_guess(problem, guess, options);
  return OrbitSearch(problem, guess, options).execute();
}

}  // namespace slideway
