#include "slideway/orbit/equilibria.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <random>
#include <utility>

#include "model/refuse_cones.hpp"
#include "orbit/equilibrium_equations.hpp"
#include "orbit/equilibrium_judge.hpp"
#include "orbit/equilibrium_newton.hpp"
#include "orbit/equilibrium_place.hpp"
#include "orbit/equilibrium_search.hpp"
#include "orbit/parallel_surfaces.hpp"
#include "orbit/time_dependence.hpp"
#include "simulate/plain_options.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

namespace {

// The sizes of a solution that turns a few times are seen to a few percent.
constexpr Index kRunSamples = 24;
// This many random begins in a box miss a zero whose part of the box is 5 % once in 170 searches.
constexpr Index kUsualStarts = 100;
// A mode that keeps showing new equilibria is searched on, up to this many times as long.
constexpr Index kLongestSearch = 20;
// One begin costs as much as n³ with many states, and their fields are mostly affine, whose only zero any begin
// leads to.
constexpr Index kStartsOfMany = 5;
constexpr Index kManyStates = 50;

class EquilibriumSearch {
 public:
  EquilibriumSearch(const Automaton& problem, const Run& run, const EquilibriumOptions& options)
      : problem_(problem), run_(run), options_(options), n_(run.state.size()), random_(1) {}

  SearchedEquilibria execute() {
    follow_run();
    for (const EquilibriumPlace& place : places_of(problem_)) look_at(place);
    std::stable_sort(
        result_.found.begin(), result_.found.end(),
        [](const Equilibrium& a, const Equilibrium& b) { return a.admissible && !b.admissible; });
    return {.all = result_, .sizes = sizes_};
  }

 private:
  void follow_run() {
    const Solution solution = Simulator(problem_, plain_options(options_.run, Recording::dense)).run(run_);
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
      const double t = begin + length * (static_cast<double>(k) / static_cast<double>(kRunSamples));
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
    EquilibriumJudge judge(problem_, place, evaluator, run_.start, sizes_);
    for (const Mode& mode : modes_of(place)) {
      ++result_.modes;
      EquilibriumEquations equations(evaluator, options_.run.sliding_rule, run_.start, mode, sizes_);
      const ValueAndJacobian evaluate = [&](const Vector& z, Vector& value, Matrix& jacobian) {
        equations.evaluate(z, value, jacobian);
      };
      // Each equilibrium that is new starts the count anew: what has several may have more, whose parts of the box are smaller.
      Index fruitless = 0;
      for (Index k = 0; fruitless < starts() && k < kLongestSearch * starts(); ++k) {
        ++fruitless;
        try {
          const std::optional<Vector> zero = newton_zero(evaluate, equations.start(start(k)));
          if (!zero) continue;
          std::optional<Equilibrium> found = judge.describe(equations, *zero);
          if (found && found->continuum > 0 && !found->admissible)
            if (std::optional<Equilibrium> better = judge.admissible_beside(equations, evaluate, *zero))
              found = std::move(better);
          if (found && add(std::move(*found))) fruitless = 0;
        } catch (const std::exception&) {
          // The field has no value there; another begin may lead elsewhere.
        }
      }
    }
  }

  // Returns whether it is new.
  bool add(Equilibrium found) {
    for (Equilibrium& other : result_.found) {
      if (!is_same(other, found)) continue;
      if (found.continuum > 0 && found.admissible && !other.admissible) other = std::move(found);
      return false;
    }
    result_.found.push_back(std::move(found));
    return true;
  }

  bool is_same(const Equilibrium& a, const Equilibrium& b) const {
    if (a.location != b.location || a.mode != b.mode || a.continuum != b.continuum) return false;
    if (a.continuum > 0) return true;
    const double apart = (a.state - b.state).cwiseQuotient(sizes_).lpNorm<Eigen::Infinity>();
    return apart <= kConvergedSlowly;
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
    refuse({.what = "the problem acts at known times, or remembers events in discrete states, so that "
                    "nothing tells what is at rest",
            .where = where,
            .expected = "a problem without time events and discrete states, which an FMU always has",
            .got = "time events: " + std::to_string(problem.system().time_events().size()) +
                   ", discrete states: " + std::to_string(problem.system().discrete())});
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

SearchedEquilibria search_equilibria(const Automaton& problem, const Run& run,
                                     const EquilibriumOptions& options) {
  check_equilibrium_request(problem, run, options);
  return EquilibriumSearch(problem, run, options).execute();
}

Equilibria find_equilibria(const Automaton& problem, const Run& run, const EquilibriumOptions& options) {
  return search_equilibria(problem, run, options).all;
}

}  // namespace slideway
