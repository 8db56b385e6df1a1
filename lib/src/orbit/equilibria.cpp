#include "slideway/orbit/equilibria.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <random>
#include <utility>

#include "core/factorise.hpp"
#include "core/number_text.hpp"
#include "filippov/p_matrix.hpp"
#include "model/refuse_cones.hpp"
#include "orbit/equilibrium_equations.hpp"
#include "orbit/parallel_surfaces.hpp"
#include "orbit/time_dependence.hpp"
#include "orbit/zero_dynamics.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

namespace {

// A damped step of Newton's method arrives from as far as kLongestNewtonStep·20 sizes. It then doubles its digits
// five times, or gains a digit in three steps at a zero that is not simple, of which rounding leaves eight.
constexpr int kMostIterations = 60;
constexpr double kLongestNewtonStep =
    3;  // of Newton's method: a step as long as a state and its negative are apart, and half as much
// Newton's method doubles the digits: after a step of this size rounding is left.
constexpr double kConverged = 1e-9;
// The iteration gains a digit in three steps at a zero that is not simple, and rounding leaves half of the digits.
constexpr double kConvergedSlowly = 1e-6;
// The largest accepted residual, as a part of the change over the sizes of the states: the step before is of
// kConverged at most, and changes equations by no more.
constexpr double kAcceptedEquations = 1e-9;
// Two zeros this close, in sizes, are the same: zeros that are not simple are known to kConvergedSlowly.
constexpr double kSameEquilibrium = 1e-6;
// A state this close to a surface, in sizes of the states or of λ, is on it: a zero is known to kConverged.
constexpr double kOnSurface = 1e-9;
// A pivot below this part of the largest entry is rounding: derivatives that are differences have errors of about
// 1e-10.
constexpr double kRankZero = 1e-9;
// A rate below this part of the size of A is neutral. A double eigenvalue of a matrix with rounding errors of
// 1e-16 is known to their square root.
constexpr double kNeutralRate = 1e-8;
constexpr double kNoEffect = 1e-9;  // of the size of A, a relay without effect: as kRankZero
// The sizes of a solution that turns a few times are seen to a few percent.
constexpr Index kRunSamples = 24;
// This many random begins in a box miss a zero whose part of the box is 5 % once in 170 searches.
constexpr Index kUsualStarts = 100;
// One begin costs as much as n³ with many states, and their fields are mostly affine, whose only zero any begin
// leads to.
constexpr Index kStartsOfMany = 5;
constexpr Index kManyStates = 50;
constexpr Index kLargestPMatrix = 12;  // that is_p_matrix takes

// A location, or two that a solution slides between as one system.
struct EquilibriumPlace {
  std::string name = {};
  System system;
  bool joined = false;  // the last surface is that between the two, and is slid along
};

std::vector<EquilibriumPlace> places_of(const Automaton& problem) {
  std::vector<EquilibriumPlace> places;
  for (const Location& location : problem.locations()) places.push_back({location.name, location.system});
  const std::vector<Edge>& edges = problem.edges();
  for (std::size_t a = 0; a < edges.size(); ++a) {
    if (edges[a].direction != Direction::rising) continue;
    for (std::size_t b = 0; b < edges.size(); ++b) {
      if (a == b || !undo_each_other(edges[a], edges[b])) continue;
      const Location& minus = problem.locations()[problem.location_index(edges[a].from)];
      const Location& plus = problem.locations()[problem.location_index(edges[a].to)];
      places.push_back(
          {joined_name(minus, plus), join_locations(minus, plus, edges[a].when, edges[a].name), true});
    }
  }
  return places;
}

class EquilibriumSearch {
 public:
  EquilibriumSearch(const Automaton& problem, const Run& run, const EquilibriumOptions& options)
      : problem_(problem), run_(run), options_(options), n_(run.state.size()), random_(1) {}

  Equilibria execute() {
    follow_run();
    for (const EquilibriumPlace& place : places_of(problem_)) look_at(place);
    std::stable_sort(
        result_.found.begin(), result_.found.end(),
        [](const Equilibrium& a, const Equilibrium& b) { return a.admissible && !b.admissible; });
    return result_;
  }

 private:
  void follow_run() {
    Options options = options_.run;
    options.sensitivities = {};
    options.recording = Recording::dense;
    options.output_times.clear();
    options.on_step = {};
    options.on_event = {};
    const Solution solution = Simulator(problem_, options).run(run_);
    if (solution.trajectory.end() > solution.trajectory.start() && depends_on_time(problem_, solution)) {
      refuse({.what = "the equations depend on time, so that nothing is at rest",
              .where = "find_equilibria",
              .expected = "a problem that does not depend on time",
              .got = "one that does",
              .advice = "find its periodic orbits instead"});
    }
    const double begin = solution.trajectory.start(), length = solution.trajectory.end() - begin;
    Vector low = run_.state, high = run_.state;
    for (Index k = 0; k <= kRunSamples; ++k) {
      const double t = begin + length * static_cast<double>(k) / static_cast<double>(kRunSamples);
      const Vector x = solution.trajectory(t);
      if (!x.allFinite()) continue;
      samples_.push_back(x);
      low = low.cwiseMin(x);
      high = high.cwiseMax(x);
    }
    for (const EventRecord& event : solution.events)
      for (const std::optional<Mode>& mode : {event.from, event.to})
        if (mode && !event.listed_only) note_mode(*mode);
    note_mode(solution.initial.mode);
    sizes_ = low.cwiseAbs().cwiseMax(high.cwiseAbs());
    for (double& size : sizes_)
      if (!(size > 0)) size = 1;
    const Vector width = (high - low).cwiseMax(sizes_);
    lower_ = low - width;
    upper_ = high + width;
    for (Index i = 0; i < options_.lower.size(); ++i) {
      if (std::isnan(options_.lower[i])) continue;
      lower_[i] = options_.lower[i];
      upper_[i] = options_.upper[i];
    }
    sizes_ = sizes_.cwiseMax(lower_.cwiseAbs()).cwiseMax(upper_.cwiseAbs()).eval();
  }

  void note_mode(const Mode& mode) {
    if (std::find(seen_.begin(), seen_.end(), mode) == seen_.end()) seen_.push_back(mode);
  }

  Index starts() const {
    if (options_.starts > 0) return options_.starts;
    return n_ > kManyStates ? kStartsOfMany : kUsualStarts;
  }

  Vector start(Index k) {
    if (k < static_cast<Index>(samples_.size()) && 2 * k < starts())
      return samples_[samples_.size() - 1 - static_cast<std::size_t>(k)];
    return random_state();
  }

  Vector random_state() {
    Vector x(n_);
    for (Index i = 0; i < n_; ++i) {
      const double part = std::ldexp(static_cast<double>(random_() >> 11), -53);
      x[i] = lower_[i] + part * (upper_[i] - lower_[i]);
    }
    return x;
  }

  // All modes of a place that have a region, or those of the run where there are too many.
  std::vector<Mode> modes_of(const EquilibriumPlace& place) {
    const Index surfaces = place.system.surfaces();
    const auto contacts = static_cast<Index>(place.system.contacts().size());
    const ParallelSurfaces parallel(place.system, run_.start, probes());
    std::vector<Mode> modes;
    const auto most = static_cast<std::size_t>(options_.most_modes);
    Mode mode(surfaces + contacts, Side::minus);
    const auto fill = [&](const auto& self, Index i) -> void {
      if (modes.size() > most) return;
      if (i == mode.size()) {
        modes.push_back(mode);
        return;
      }
      for (const Side side : {Side::minus, Side::sliding, Side::plus}) {
        const bool is_contact = i >= surfaces;
        if (is_contact && side == Side::minus) continue;
        if (place.joined && i == surfaces - 1 && side != Side::sliding) continue;
        mode.set(i, side);
        if (is_contact || parallel.allow(mode, i)) self(self, i + 1);
      }
    };
    fill(fill, 0);
    if (modes.size() <= most) return modes;
    result_.all_modes = false;
    modes.clear();
    for (const Mode& seen : seen_)
      if (seen.size() == surfaces + contacts && (!place.joined || seen.slides_on(surfaces - 1)))
        modes.push_back(seen);
    return modes;
  }

  // States of the run, and of the box.
  std::vector<Vector> probes() {
    constexpr int of_box = 8;
    std::vector<Vector> result = samples_;
    for (int k = 0; k < of_box; ++k) result.push_back(random_state());
    return result;
  }

  void look_at(const EquilibriumPlace& place) {
    Evaluator evaluator(place.system);
    evaluator.set_typical_sizes(sizes_);
    for (const Mode& mode : modes_of(place)) {
      ++result_.modes;
      EquilibriumEquations equations(evaluator, options_.run.sliding_rule, run_.start, mode, sizes_);
      for (Index k = 0; k < starts(); ++k) {
        try {
          if (const std::optional<Vector> zero = zero_from(equations, start(k)))
            add(place, evaluator, equations, *zero);
        } catch (const std::exception&) {
          // The field has no value there; another begin may lead elsewhere.
        }
      }
    }
  }

  // Newton's method, with the shortest step where the derivative is singular.
  std::optional<Vector> zero_from(EquilibriumEquations& equations, const Vector& x) const {
    Vector z = equations.start(x), value;
    Matrix jacobian;
    double last = 0;
    for (int iteration = 0; iteration < kMostIterations; ++iteration) {
      equations.evaluate(z, value, jacobian);
      if (!value.allFinite() || !jacobian.allFinite()) return std::nullopt;
      scale_rows(jacobian, value);
      Eigen::CompleteOrthogonalDecomposition<Matrix> solver;
      solver.setThreshold(kRankZero);
      solver.compute(jacobian);
      Vector step = solver.solve(value);
      const double length = step.lpNorm<Eigen::Infinity>();
      if (!std::isfinite(length)) return std::nullopt;
      if (length > kLongestNewtonStep) step *= kLongestNewtonStep / length;
      z -= step;
      const bool has_converged =
          length <= kConverged || (length <= kConvergedSlowly && iteration > 10 && length >= 0.9 * last);
      last = length;
      if (!has_converged) continue;
      if (residual_of(equations, z) <= kAcceptedEquations) return z;
      if (length <= 0.01 * kConverged) return std::nullopt;
    }
    return std::nullopt;
  }

  // Each equation in units of its change over the sizes of the states.
  static void scale_rows(Matrix& jacobian, Vector& value) {
    for (Index i = 0; i < value.size(); ++i) {
      const double size = jacobian.row(i).cwiseAbs().maxCoeff();
      if (!(size > 0)) continue;
      jacobian.row(i) /= size;
      value[i] /= size;
    }
  }

  static double residual_of(EquilibriumEquations& equations, const Vector& z) {
    Vector value;
    Matrix jacobian;
    equations.evaluate(z, value, jacobian);
    scale_rows(jacobian, value);
    return value.size() == 0 ? 0.0 : value.lpNorm<Eigen::Infinity>();
  }

  void add(const EquilibriumPlace& place, Evaluator& evaluator, EquilibriumEquations& equations,
           const Vector& z) {
    Equilibrium found;
    found.location = place.name;
    found.mode = equations.mode();
    found.state = equations.state(z);
    found.lambda = equations.lambda(z);
    found.forces = equations.forces(z);
    found.residual = residual_of(equations, z);
    found.kind = equations.sliding().empty() ? EquilibriumKind::regular : EquilibriumKind::pseudo;
    Vector value;
    Matrix jacobian;
    equations.evaluate(z, value, jacobian);
    if (!find_motion(jacobian, equations, found)) return;
    judge_place(place, evaluator, found);
    for (Equilibrium& other : result_.found) {
      if (!is_same(other, found)) continue;
      if (found.continuum > 0 && found.admissible && !other.admissible) other = std::move(found);
      return;
    }
    result_.found.push_back(std::move(found));
  }

  bool is_same(const Equilibrium& a, const Equilibrium& b) const {
    if (a.location != b.location || a.mode != b.mode || a.continuum != b.continuum) return false;
    if (a.continuum > 0) return true;
    const double apart = (a.state - b.state).cwiseQuotient(sizes_).lpNorm<Eigen::Infinity>();
    return apart <= kSameEquilibrium;
  }

  bool find_motion(const Matrix& jacobian, const EquilibriumEquations& equations, Equilibrium& found) const {
    const Index constraints = equations.constraints();
    const auto sliding = static_cast<Index>(equations.sliding().size());
    // The Jacobian is that of states divided by their sizes.
    const Matrix a = sizes_.cwiseInverse().asDiagonal() * jacobian.topLeftCorner(n_, n_);
    const Matrix l = sizes_.cwiseInverse().asDiagonal() * jacobian.topRightCorner(n_, constraints);
    Matrix n = jacobian.bottomLeftCorner(constraints, n_);
    // A surface beside which the field is the same is none to be slid along.
    for (Index k = 0; k < sliding; ++k)
      if (!(l.col(k).norm() > kNoEffect * a.norm())) return false;
    for (Index k = 0; k < constraints; ++k)
      if (n.row(k).norm() > 0) n.row(k).normalize();
    found.eigenvalues = zero_dynamics(a, l, n);
    Matrix scaled = jacobian;
    Vector unused = Vector::Zero(jacobian.rows());
    scale_rows(scaled, unused);
    Eigen::CompleteOrthogonalDecomposition<Matrix> solver;
    solver.setThreshold(kRankZero);
    solver.compute(scaled);
    found.continuum = jacobian.cols() - solver.rank();
    if (sliding > 0) find_attraction(n.topRows(sliding) * l.leftCols(sliding), found);
    judge_stability(a.norm(), found);
    return true;
  }

  static void find_attraction(const Matrix& effects, Equilibrium& found) {
    found.stability_known = false;
    if (effects.rows() > kLargestPMatrix) return;
    if (is_p_matrix(-effects)) {
      found.attracting = true;
    } else if (effects.rows() == 1 && effects(0, 0) > 0) {
      found.attracting = false;
    } else {
      return;
    }
    found.stability_known = true;
  }

  static void judge_stability(double size, Equilibrium& found) {
    found.stability = OrbitStability::stable;
    for (const std::complex<double>& value : found.eigenvalues) {
      if (value.real() > kNeutralRate * size) {
        found.stability = OrbitStability::unstable;
        found.stability_known = true;
        return;
      }
      if (value.real() >= -kNeutralRate * size) found.stability = OrbitStability::neutral;
    }
    if (found.attracting == false) found.stability = OrbitStability::unstable;
  }

  // distance() tells how far x is from where a function is zero, in sizes of the states; the function itself
  // where it does not change.
  double distance(double value, const Vector& gradient) const {
    const double change = gradient.cwiseAbs().dot(sizes_);
    return change > 0 ? value / change : value;
  }

  void judge_place(const EquilibriumPlace& place, Evaluator& evaluator, Equilibrium& found) const {
    const System& system = place.system;
    const Index surfaces = system.surfaces();
    const double t = run_.start;
    const auto limit = [&](double margin, const std::string& why) {
      found.margin = std::min(found.margin, margin);
      if (std::abs(margin) <= kOnSurface) {
        found.kind = EquilibriumKind::boundary;
      } else if (margin < 0 && found.admissible) {
        found.admissible = false;
        found.reason = why;
      }
    };
    Vector guards = Vector::Zero(surfaces), gradient(n_);
    Vector above = Vector::Ones(surfaces), below = Vector::Ones(surfaces);
    if (surfaces > 0) evaluator.guards(t, found.state, guards);
    if (evaluator.breaks_away()) evaluator.break_away(t, found.state, above, below);
    for (Index i = 0; i < surfaces; ++i) {
      const std::string& name = system.surface_names()[static_cast<std::size_t>(i)];
      if (found.mode.slides_on(i)) {
        limit(std::min(above[i] - found.lambda[i], below[i] + found.lambda[i]),
              "the relay of '" + name + "' would have to be " + number_text(found.lambda[i]));
        continue;
      }
      gradient.setZero();
      evaluator.guard_gradient(t, found.state, i, gradient);
      const double side = found.mode[i] == Side::plus ? 1 : -1;
      limit(side * distance(guards[i], gradient), "it is on the other side of '" + name + "'");
    }
    double largest_force = 0;
    for (const double force : found.forces) largest_force = std::max(largest_force, std::abs(force));
    for (std::size_t c = 0; c < system.contacts().size(); ++c) {
      const Contact& contact = system.contacts()[c];
      const auto at = static_cast<Index>(c);
      if (found.mode.slides_on(surfaces + at)) {
        limit(largest_force > 0 ? found.forces[at] / largest_force : 0,
              "the contact '" + contact.name + "' would have to pull");
        continue;
      }
      gradient.setZero();
      contact.gap.gradient(t, found.state, gradient);
      limit(distance(contact.gap.value(t, found.state), gradient),
            "the gap of '" + contact.name + "' is negative");
    }
    const auto fires = [&](const Guard& guard, Direction direction, const std::string& what) {
      if (direction == Direction::any) return;
      gradient.setZero();
      guard.gradient(t, found.state, gradient);
      const double beyond = distance(guard.value(t, found.state), gradient);
      limit(direction == Direction::rising ? -beyond : beyond, what);
    };
    for (const Event& event : system.events())
      if (event.action != Action::record)
        fires(event.when, event.direction, "the event '" + event.name + "' fires before it");
    if (place.joined) return;
    for (const Edge& edge : problem_.edges())
      if (edge.from == place.name)
        fires(edge.when, edge.direction,
              "the edge " + (edge.name.empty() ? "" : "'" + edge.name + "' ") + "to '" + edge.to +
                  "' fires there");
  }

  const Automaton& problem_;
  const Run& run_;
  const EquilibriumOptions& options_;
  Index n_;
  std::mt19937_64 random_;
  std::vector<Vector> samples_ = {};
  std::vector<Mode> seen_ = {};
  Vector sizes_ = {}, lower_ = {}, upper_ = {};
  Equilibria result_ = {};
};

void check_equilibrium_request(const Automaton& problem, const Run& run, const EquilibriumOptions& options) {
  const char* const where = "find_equilibria";
  refuse_cone_friction(problem, "equilibria");
  const Index n = problem.system().states();
  bool box_fits = options.lower.size() == options.upper.size() &&
                  (options.lower.size() == 0 || options.lower.size() == n);
  for (Index i = 0; box_fits && i < options.lower.size(); ++i) {
    const bool is_open = std::isnan(options.lower[i]) && std::isnan(options.upper[i]);
    box_fits = is_open || (std::isfinite(options.lower[i]) && std::isfinite(options.upper[i]) &&
                           options.lower[i] <= options.upper[i]);
  }
  if (!box_fits) {
    refuse({.what = "the box does not fit",
            .where = where,
            .expected = std::to_string(n) + " finite lower ends that are not above the upper ones",
            .got = std::to_string(options.lower.size()) + " and " + std::to_string(options.upper.size()) +
                   " numbers"});
  }
  if (options.starts < 0 || options.most_modes < 1) {
    refuse({.what = "the numbers of begins and modes make no sense",
            .where = where,
            .expected = "starts of 0 or more, and most_modes of 1 or more",
            .got = std::to_string(options.starts) + " and " + std::to_string(options.most_modes)});
  }
  if (options.run.sliding_rule == SlidingRule::moments && problem.system().surfaces() > 1) {
    refuse({.what = "equilibria of the rule of moments are not looked for",
            .where = where,
            .expected = "the rule filippov or equivalent_control",
            .got = "moments"});
  }
  if (!problem.system().time_events().empty() || problem.system().discrete() > 0) {
    refuse({.what = "the problem acts at known times, so that nothing is at rest",
            .where = where,
            .expected = "a problem without time events and discrete states",
            .got = std::to_string(problem.system().time_events().size()) + " time events"});
  }
  if (run.state.size() != n || !run.state.allFinite()) {
    refuse({.what = "the state of the run does not fit",
            .where = where,
            .expected = std::to_string(n) + " finite numbers",
            .got = std::to_string(run.state.size()) + " numbers"});
  }
}

}  // namespace

const char* to_string(EquilibriumKind kind) {
  switch (kind) {
    case EquilibriumKind::regular: return "regular";
    case EquilibriumKind::pseudo: return "pseudo";
    case EquilibriumKind::boundary: return "boundary";
  }
  return "";
}

Equilibria find_equilibria(const Automaton& problem, const Run& run, const EquilibriumOptions& options) {
  check_equilibrium_request(problem, run, options);
  return EquilibriumSearch(problem, run, options).execute();
}

}  // namespace slideway
