#include "apps/model_check.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <Eigen/Eigenvalues>

#include "apps/advice.hpp"
#include "apps/layout.hpp"
#include "slideway/detail/model/evaluator.hpp"
#include "slideway/filippov/met_surfaces.hpp"
#include "slideway/model/steep_switches.hpp"
#include "slideway/model/tolerance_advice.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway::apps {

namespace {

// Derivatives are compared as dense matrices.
constexpr Index most_states_compared = 300;
constexpr Index most_states_for_rates = 100;
constexpr Index trial_steps = 4000;
constexpr Index trial_events = 2000;

struct Point {
  double t = 0;
  Vector x = {};
  Mode mode = {};
};

// λ of a mode; a sliding entry gets a value of no significance.
Vector relays(const Mode& mode, Index surfaces) {
  Vector lambda(surfaces);
  for (Index i = 0; i < surfaces; ++i) {
    switch (mode[i]) {
      case Side::minus: lambda[i] = -1; break;
      case Side::plus: lambda[i] = 1; break;
      case Side::sliding: lambda[i] = 0.213; break;
    }
  }
  return lambda;
}

class Checker {
 public:
  Checker(const std::string& name, const ModelInstance& instance, const Options& options)
      : instance_(instance), options_(options), problem_(instance.problem()) {
    answer_.model = name;
    answer_.states = system().states();
    answer_.surfaces = system().surfaces();
    answer_.start = instance.start;
  }

  ModelCheck run() && {
    for (const Location& location : problem_.locations())
      check_callable(location.system, instance_.start, instance_.state);
    try_run();
    start();
    time_events();
    guards_at_start();
    derivatives();
    multi_affine();
    scales();
    friction();
    method();
    return std::move(answer_);
  }

 private:
  const System& system() const { return problem_.system(); }

  void find(Severity severity, std::string text) { answer_.findings.push_back({severity, std::move(text)}); }

  // A while of the motion, from which typical states are taken.
  void try_run() {
    Options options = options_;
    options.recording = Recording::dense;
    // It tells by itself whether the model is stiff; another method would only get less far where it does not suit.
    options.method = Method::automatic;
    options.max_steps = std::min(options.max_steps, trial_steps);
    options.max_events = std::min(options.max_events, trial_events);
    solution_ = Simulator(problem_, options)
                    .run({.start = instance_.start, .end = instance_.end, .state = instance_.state});
    answer_.trial = solution_.outcome;
    answer_.trial_steps = static_cast<Index>(solution_.statistics.steps);
    answer_.trial_events = static_cast<Index>(solution_.events.size());
    points_.push_back({instance_.start, instance_.state, solution_.initial.mode});
    const Trajectory& trajectory = solution_.trajectory;
    if (trajectory.empty()) return;
    // The place where a run breaks off may be one where nothing is smooth.
    for (const double fraction : {0.37, trial_stopped_itself() ? 0.83 : 1.0}) {
      const double t = trajectory.start() + fraction * (trajectory.end() - trajectory.start());
      points_.push_back({t, trajectory(t), trajectory.mode(t)});
    }
  }

  bool trial_stopped_itself() const {
    const Status status = answer_.trial.status;
    return !answer_.trial.succeeded() && status != Status::step_limit;
  }

  void start() {
    answer_.mode = solution_.initial.mode.word();
    answer_.location = solution_.initial.location;
    const bool at_start = answer_.trial.t <= instance_.start;
    for (const EventRecord& event : solution_.events) {
      if (event.t > instance_.start || event.from) break;
      for (const Mode& mode : event.continuations) answer_.continuations.push_back(mode.word());
    }
    met_surfaces();
    if (trial_stopped_itself()) {
      find(
          at_start ? Severity::problem : Severity::warning,
          fmt::format("{} {} at t = {:.10g}: {}", at_start ? "no run gets beyond the start:" : "a run stops:",
                      to_string(answer_.trial.status), answer_.trial.t, told_to_user(answer_.trial.message)));
    } else if (answer_.continuations.size() > 1) {
      find(Severity::warning,
           fmt::format("the continuation at the start is not unique ({}); --on-ambiguity chose one",
                       fmt::join(answer_.continuations, ", ")));
    }
  }

  void time_events() {
    const double start = instance_.start, end = instance_.end;
    for (const TimeEvent& event : system().time_events()) {
      const std::string name = event.name.empty() ? "without a name" : event.name;
      const std::int64_t first = event.first_from(start);
      std::int64_t last = event.first_from(end);
      while (event.time(last) <= end + time_rounding(end)) ++last;
      if (event.is_periodic() && event.count > 0) last = std::min(last, event.count);
      const std::int64_t fires = std::max<std::int64_t>(0, last - first);
      answer_.time_events.push_back(
          event.is_periodic()
              ? fmt::format("{}: every {:.10g} from {:.10g}, {} until t = {:.10g}", name, event.period,
                            event.offset, counted(fires, "time"), end)
              : fmt::format("{}: {} of {} until t = {:.10g}", name, fires,
                            counted(static_cast<std::int64_t>(event.at.size()), "time"), end));
      if (fires > options_.max_events)
        find(Severity::warning,
             fmt::format(
                 "time event '{}' fires {} times until the end, and a run stops after {} events: raise "
                 "max_events, or end earlier",
                 name, fires, options_.max_events));
      if (fires == 0)
        find(Severity::warning,
             fmt::format("time event '{}' never fires between t = {:.10g} and {:.10g}", name, start, end));
    }
  }

  // A reset or a stop whose guard is beyond zero already does not fire before it has been back; an edge fires at once.
  void guards_at_start() {
    constexpr double rounding = 64 * std::numeric_limits<double>::epsilon();
    constexpr std::size_t most = 5;
    const auto& locations = problem_.locations();
    const auto is_named = [&](const Location& location) { return location.name == answer_.location; };
    const auto here = std::find_if(locations.begin(), locations.end(), is_named);
    const System& system = here == locations.end() ? this->system() : here->system;
    const Vector& x = instance_.state;
    Vector slopes(x.size());
    std::size_t beyond = 0;
    for (const Event& event : system.events()) {
      if (event.action == Action::record || event.direction == Direction::any ||
          event.initially != Initially::by_rule)
        continue;
      const double value = event.when.value(instance_.start, x);
      if (!(event.direction == Direction::rising ? value > 0 : value < 0)) continue;
      event.when.gradient(instance_.start, x, slopes);
      if (std::abs(value) <= rounding * slopes.cwiseAbs().dot(x.cwiseAbs())) continue;
      // A reset that sets nothing new is not missed: hysteresis() begins on the side that it is on.
      if (event.reset && state_after(event, x) == x) continue;
      if (++beyond > most) continue;
      const char* const kind = event.action == Action::stop ? "stop" : "reset";
      find(Severity::warning,
           fmt::format("{} is past zero ({}) at the start already: its guard is {:.6g} there, and it fires "
                       "only on a crossing",
                       event.name.empty() ? fmt::format("a {} without a name", kind)
                                          : fmt::format("{} '{}'", kind, event.name),
                       event.direction == Direction::rising ? "rising" : "falling", value));
    }
    if (beyond > most)
      find(Severity::warning, fmt::format("the same is true of {} more resets or stops", beyond - most));
  }

  Vector state_after(const Event& event, const Vector& x) const {
    Vector after = x;
    event.reset(instance_.start, x, after);
    return after;
  }

  void met_surfaces() {
    const System& system = this->system();
    if (system.surfaces() == 0) return;
    const Vector weights =
        (options_.rtol * instance_.state.cwiseAbs() + options_.atol.expand(system.states(), options_.rtol))
            .cwiseInverse();
    const Mode mode =
        solution_.initial.mode.size() >= system.surfaces() ? solution_.initial.mode : Mode(system.surfaces());
    constexpr std::size_t most = 50;
    for (const MetSurface& met : slideway::met_surfaces(system, instance_.start, instance_.state, mode,
                                                        weights, options_.rtol, most)) {
      answer_.met.push_back({system.surface_names()[static_cast<std::size_t>(met.surface)], met.w_minus,
                             met.w_plus, to_string(met.kind)});
    }
    Evaluator evaluator(system);
    gradients(evaluator);
  }

  // A guard whose gradient vanishes has no surface to slide on there. One of time alone is not meant to have one.
  void gradients(Evaluator& evaluator) {
    std::vector<Index> of_time, flat;
    Vector slopes(system().states());
    for (Index i = 0; i < system().surfaces(); ++i) {
      const bool always = std::all_of(points_.begin(), points_.end(), [&](const Point& point) {
        evaluator.guard_gradient(point.t, point.x, i, slopes);
        return slopes.isZero(0);
      });
      if (always) (is_of_time_alone(i) ? of_time : flat).push_back(i);
    }
    const auto named = [&](const std::vector<Index>& surfaces) {
      return fmt::format("surface '{}'{}",
                         system().surface_names()[static_cast<std::size_t>(surfaces.front())],
                         surfaces.size() > 1 ? fmt::format(" (and {} more)", surfaces.size() - 1) : "");
    };
    if (!of_time.empty())
      find(Severity::hint, named(of_time) + " is a switch in time alone, which nothing slides along");
    if (!flat.empty())
      find(Severity::warning, named(flat) +
                                  " does not change with the state where the model was tried: it "
                                  "cannot be slid along there");
  }

  // The guard keeps every bit of its value while all states move. A guard that has no value there depends on them.
  bool is_of_time_alone(Index surface) const {
    constexpr double far = 0.37;
    Vector here(system().surfaces()), there(system().surfaces());
    return std::all_of(points_.begin(), points_.end(), [&](const Point& point) {
      const Vector moved = point.x + far * (point.x.cwiseAbs().array() + 1).matrix();
      system().guards(point.t, point.x, here);
      try {
        system().guards(point.t, moved, there);
      } catch (const std::exception&) {
        return false;
      }
      return here[surface] == there[surface];
    });
  }

  template <class Check>
  static void keep_worse(std::optional<Check>& worst, const Check& check) {
    const bool fails = !check.passed && worst && worst->passed;
    if (!worst || check.relative_error > worst->relative_error || fails) worst = check;
  }

  void derivatives() {
    if (system().states() > most_states_compared) {
      find(Severity::hint, fmt::format("derivatives are compared for up to {} states, and this model has {}",
                                       most_states_compared, system().states()));
      return;
    }
    for (const Location& location : problem_.locations()) {
      for (const Point& point : points_) {
        const Vector lambda = relays(point.mode, location.system.surfaces());
        const DerivativeCheck check = check_derivatives(location.system, point.t, point.x, lambda);
        if (infinite_.empty()) infinite_ = check.infinite;
        keep_worse(answer_.derivatives, check);
      }
    }
    if (!answer_.derivatives->passed) find(Severity::problem, answer_.derivatives->message);
    if (!infinite_.empty()) find(Severity::warning, infinite_);
  }

  void multi_affine() {
    if (system().surfaces() == 0) return;
    for (const Location& location : problem_.locations()) {
      for (const Point& point : points_) {
        keep_worse(answer_.multi_affine, check_multi_affine(location.system, point.t, point.x));
      }
    }
    if (!answer_.multi_affine->passed) find(Severity::problem, answer_.multi_affine->message);
  }

  void scales() {
    const Index n = system().states();
    Vector greatest = instance_.state.cwiseAbs();
    const Trajectory& trajectory = solution_.trajectory;
    Vector x(n);
    for (std::size_t segment = 0; segment < trajectory.segments().size(); ++segment) {
      for (const double t : trajectory.step_times(segment)) {
        trajectory.evaluate(segment, t, x);
        greatest = greatest.cwiseMax(x.cwiseAbs());
      }
    }
    greatest = greatest.cwiseMax(solution_.final.state.cwiseAbs());
    const Vector atol = options_.atol.expand(n, options_.rtol);
    const Vector rounding = rounding_of_states(atol);
    Index largest = -1, smallest = -1;
    // Discrete states have no tolerance.
    for (Index i = 0; i < n - system().discrete(); ++i) {
      answer_.scales.push_back({state_name(i), instance_.state[i], greatest[i], atol[i]});
      if (!(greatest[i] > rounding[i]) || !std::isfinite(greatest[i])) continue;
      if (largest < 0 || greatest[i] > greatest[largest]) largest = i;
      if (smallest < 0 || greatest[i] < greatest[smallest]) smallest = i;
      // Below that, an error of the size of the tolerance is an error of a percent of the state.
      if (atol[i] > 0.01 * greatest[i])
        find(Severity::warning, fmt::format("state '{}' stays below {:.3g}, and its absolute tolerance is "
                                            "{:.3g}: it is hardly controlled; "
                                            "give a smaller --atol, or one per state in [options]",
                                            state_name(i), greatest[i], atol[i]));
    }
    Evaluator evaluator(system());
    constexpr std::size_t most_guards = 5;
    std::vector<std::string> below = guards_below_tolerance(evaluator, instance_.state, atol);
    if (below.size() > most_guards) below.resize(most_guards);
    for (std::string& text : below) find(Severity::warning, std::move(text));
    for (std::string& text : steep_switches(problem_, step_ends(), atol, options_.rtol))
      find(Severity::warning, std::move(text));
    constexpr double wildly = 1e6;
    if (largest >= 0 && greatest[largest] > wildly * greatest[smallest])
      find(
          Severity::warning,
          fmt::format(
              "states of wildly different scale: '{}' reaches {:.3g}, '{}' no more than {:.3g}; one absolute "
              "tolerance does not fit both: choose other units, or a tolerance per state in [options]",
              state_name(largest), greatest[largest], state_name(smallest), greatest[smallest]));
  }

  StepEnds step_ends() const {
    const Trajectory& trajectory = solution_.trajectory;
    StepEnds ends(instance_.start, solution_.final.t, system().states() - system().discrete());
    Vector x(system().states());
    for (std::size_t k = 0; k < trajectory.segments().size(); ++k) {
      const Segment& segment = trajectory.segments()[k];
      if (segment.mode.size() < system().surfaces()) continue;
      const Vector lambda = relays(segment.mode, system().surfaces());
      for (const double t : trajectory.step_times(k)) {
        trajectory.evaluate(k, t, x);
        ends.note(t, x, lambda, segment.location);
      }
    }
    return ends;
  }

  // Friction whose level is negative pushes along the velocity. Friction that stores energy may do so for a while.
  void friction() {
    const Trajectory& trajectory = solution_.trajectory;
    Vector x(system().states());
    for (const FrictionElement& element : instance_.friction) {
      if (element.stored) continue;
      double largest = 0, least = 0, at = 0, force_there = 0, velocity_there = 0;
      for (std::size_t k = 0; k < trajectory.segments().size(); ++k) {
        const Mode& mode = trajectory.segments()[k].mode;
        if (mode.size() < system().surfaces()) continue;
        const Vector lambda = relays(mode, system().surfaces());
        for (const double t : trajectory.step_times(k)) {
          trajectory.evaluate(k, t, x);
          const double force = element.force(t, x, lambda), velocity = element.velocity(t, x);
          const double power = force * velocity;
          largest = std::max(largest, std::abs(power));
          if (!(power < least)) continue;
          least = power;
          at = t;
          force_there = force;
          velocity_there = velocity;
        }
      }
      // Where the motion stops the velocity is rounding, of either sign.
      constexpr double rounding = 1e-6;
      if (!(least < -rounding * largest)) continue;
      find(
          Severity::warning,
          fmt::format(
              "friction '{}' drives the motion that it should resist: at t = {:.6g} its force is {:.3g} at a "
              "velocity of {:.3g}, so its level is negative there; cut the load off where it pulls, as by "
              "max(N, 0)",
              element.name, at, force_there, velocity_there));
    }
  }

  // rounding_of_states() tells how large rounding makes states in the trial run that begin at zero and stay there by symmetry.
  Vector rounding_of_states(const Vector& atol) {
    constexpr double roundings = 16 * std::numeric_limits<double>::epsilon();
    const Index n = system().states();
    Vector terms = Vector::Zero(n);
    Evaluator evaluator(system());
    Matrix jacobian(n, n);
    for (const Point& point : points_) {
      if (n > most_states_for_rates) break;
      evaluator.field_dx(point.t, point.x, relays(point.mode, system().surfaces()), jacobian);
      const Vector sizes = jacobian.cwiseAbs() * point.x.cwiseAbs();
      for (Index i = 0; i < n; ++i)
        if (std::isfinite(sizes[i])) terms[i] = std::max(terms[i], sizes[i]);
    }
    const Vector made = roundings * (solution_.final.t - instance_.start) * terms;
    Vector result = Vector::Zero(n);
    for (Index i = 0; i < n; ++i)
      if (instance_.state[i] == 0) result[i] = std::max(made[i], kRoundingPart * atol[i]);
    return result;
  }

  const std::string& state_name(Index i) const { return system().state_names()[static_cast<std::size_t>(i)]; }

  // The largest rate of decay at the points of the trial run.
  double fastest_decay() const {
    Evaluator evaluator(system());
    double fastest = 0;
    Matrix jacobian(system().states(), system().states());
    for (const Point& point : points_) {
      evaluator.field_dx(point.t, point.x, relays(point.mode, system().surfaces()), jacobian);
      if (!jacobian.allFinite()) continue;
      for (const auto& value : jacobian.eigenvalues()) fastest = std::max(fastest, -value.real());
    }
    return fastest;
  }

  // Stiff is where stability, not accuracy, bounds the steps of an explicit method: the trial run has gone over to BDF.
  void method() {
    const double span = solution_.final.t - instance_.start;
    if (!(span > 0) || answer_.trial_steps < 1) return;
    const double step = span / static_cast<double>(answer_.trial_steps);
    const double events_per_step =
        static_cast<double>(answer_.trial_events) / static_cast<double>(answer_.trial_steps);
    if (system().states() > most_states_for_rates) return;
    const bool stiff = !std::isnan(solution_.statistics.stiff_from);
    const bool is_implicit = options_.method == Method::bdf || options_.method == Method::rodas;
    if (stiff && options_.method != Method::automatic) {
      find(
          is_implicit ? Severity::hint : Severity::warning,
          fmt::format("stiff: the fastest motion decays in {:.2g} of the steps' {:.2g}; --method {} suits it",
                      1 / fastest_decay(), step, events_per_step > many_events_per_step ? "rodas" : "bdf"));
    } else if (!stiff && events_per_step > many_events_per_step && is_implicit) {
      find(Severity::hint,
           fmt::format("not stiff, with an event in every {:.0f} steps: --method auto is likely to be faster",
                       1 / events_per_step));
    } else if (!stiff && is_implicit) {
      find(Severity::hint, "not stiff where it was tried: --method auto or adams is likely to be faster");
    }
  }

  const ModelInstance& instance_;
  const Options& options_;
  Automaton problem_;
  Solution solution_;
  std::vector<Point> points_;
  std::string infinite_ = {};  // a derivative that is infinite, and rightly so
  ModelCheck answer_;
};

}  // namespace

bool ModelCheck::has_problem() const {
  return std::any_of(findings.begin(), findings.end(),
                     [](const Finding& finding) { return finding.severity == Severity::problem; });
}

ModelCheck check_model(const std::string& name, const ModelInstance& instance, const Options& options) {
  return Checker(name, instance, options).run();
}

}  // namespace slideway::apps
