#include "lib/python/src/run.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>
#include <utility>

#include <fmt/format.h>
#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include "apps/simulation.hpp"
#include "lib/python/src/callbacks.hpp"
#include "lib/python/src/live.hpp"
#include "slideway/audit/called_functions.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/fmi/import.hpp"
#include "slideway/io/html_report.hpp"
#include "slideway/io/json.hpp"
#include "slideway/simulate/branches.hpp"
#include "slideway/simulate/final_gradients.hpp"
#include "slideway/simulate/observation.hpp"

namespace slideway::python {

namespace py = pybind11;

namespace {

using Clock = std::chrono::steady_clock;

template <class Numbers>
py::capsule owner_of(Numbers* numbers) {
  return py::capsule(numbers, [](void* kept) { delete static_cast<Numbers*>(kept); });
}

// StepCollapse sees that steps have become so short that a run with unknown jumps will hardly end: the integrator then chatters along
// a jump, and shortens its steps as rtol asks.
class StepCollapse {
 public:
  // Tells whether the steps up to this one have collapsed; `left` is the time left of the run.
  bool has_collapsed_at(double step, double left) {
    longest_ = std::max(longest_, step);
    sum_ += step;
    if (++count_ % kWindow != 0) return false;
    const double mean = sum_ / kWindow;
    sum_ = 0;
    // A run that was once a hundred times faster, and has a hundred thousand such steps before it, or one that never had steps worth the name.
    const bool is_short = left > kMostSteps * mean && (mean < kDrop * longest_ || left > kNever * mean);
    windows_ = is_short ? windows_ + 1 : 0;
    return windows_ >= 3;
  }

 private:
  // A called function takes about 20 µs, and a step some ten calls: 10⁵ steps take 20 s, 10⁸ five hours.
  static constexpr int kWindow = 100;
  static constexpr double kMostSteps = 1e5, kNever = 1e8, kDrop = 0.01;
  double longest_ = 0, sum_ = 0;
  long count_ = 0;
  int windows_ = 0;
};

// Looks after a run on its way, and stops it early: on request, after a signal, where its steps collapse, or after the last event that
// counts.
class Attendant {
 public:
  Attendant(CallErrors& errors, const Cancellation* cancellation, std::map<std::string, int> stop_after)
      : errors_(errors), cancellation_(cancellation), stop_after_(std::move(stop_after)) {}

  // With an end, the time at which the run ends, collapsing steps end it.
  void attend(Options& options, std::optional<double> end) {
    options.on_step = [this, end](const StepView& step) {
      look();
      if (end && collapse_.has_collapsed_at(step.end - step.start, *end - step.end)) collapsed_ = true;
      return answer();
    };
    options.on_event = [this](const EventRecord& event) {
      look();
      count(event);
      return answer();
    };
  }
  bool cancelled() const { return cancelled_; }
  bool collapsed() const { return collapsed_; }
  // The last event that counts, where it has happened; the attendant then counts no more.
  std::optional<EventRecord> counted_out() {
    stop_after_.clear();  // the shorter run is not counted
    return std::exchange(counted_out_, std::nullopt);
  }

 private:
  void look() {
    if (cancellation_ != nullptr && cancellation_->requested) {
      cancelled_ = true;
      return;
    }
    // Signals are looked for every 30 ms, so that Ctrl-C ends a run within a tenth of a second.
    constexpr std::chrono::milliseconds pause(30);
    const Clock::time_point now = Clock::now();
    if (now - last_ < pause) return;
    last_ = now;
    const py::gil_scoped_acquire lock;
    if (PyErr_CheckSignals() == 0) return;
    py::error_already_set raised;
    errors_.keep(raised.value());
    cancelled_ = true;
  }
  void count(const EventRecord& event) {
    if (counted_out_ || stop_after_.empty() || !event.name || event.kind != EventKind::record) return;
    const auto counted = stop_after_.find(*event.name);
    if (counted == stop_after_.end() || --counted->second > 0) return;
    counted_out_ = event;
  }
  Answer answer() const { return cancelled_ || collapsed_ || counted_out_ ? Answer::stop : Answer::go_on; }

  CallErrors& errors_;
  const Cancellation* cancellation_;
  std::map<std::string, int> stop_after_;
  Clock::time_point last_ = Clock::now();
  bool cancelled_ = false;
  bool collapsed_ = false;
  StepCollapse collapse_;
  std::optional<EventRecord> counted_out_ = {};
};

std::shared_ptr<MadeRun> branch_of(Branch&& branch, const MadeRun& root) {
  auto made = std::make_shared<MadeRun>();
  made->problem = root.problem;
  made->options = root.options;
  made->end = root.end;
  made->solution = std::move(branch.solution);
  for (Branch& child : branch.branches) made->branches.push_back(branch_of(std::move(child), root));
  return made;
}

// The model of a problem, of which there are derivatives; refuses a problem that has no model, or calls Python functions.
const Model& differentiable_model(const Problem& problem) {
  if (problem.calls_python || !problem.model) {
    refuse({.what = "a model of Python functions that are called has no derivatives",
            .where = "sensitivities",
            .expected = "a model file, a model of the catalogue or traced functions"});
  }
  return *problem.model;
}

std::shared_ptr<MadeRun> run(const std::shared_ptr<Problem>& problem, const Run& where, const py::dict& given,
                             const Cancellation* cancellation, const std::map<std::string, int>& stop_after) {
  auto made = std::make_shared<MadeRun>();
  made->problem = problem;
  made->end = where.end;
  made->options = options_from(given, problem->model ? problem->model->defaults : ModelDefaults{});
  CallErrors errors;
  Attendant attendant(errors, cancellation, stop_after);
  if (given.contains("sensitivities")) {
    const auto names = given["sensitivities"].cast<std::vector<std::string>>();
    if (made->options.on_ambiguity == Ambiguity::branches) {
      refuse({.what = "derivatives belong to one solution",
              .where = "sensitivities with on_ambiguity",
              .expected = "stop, minus, plus or slide",
              .got = "branches"});
    }
    made->options.sensitivities =
        sensitivities_by(differentiable_model(*problem), problem->settings, problem->instance, names);
  }
  made->where = where;
  if (given.contains("audit") && !given["audit"].is_none())
    made->audit_level = audit_level_from(given["audit"].cast<std::string>());
  Options options = made->options;
  attendant.attend(options,
                   given.contains("unknown_jumps") ? std::optional<double>(where.end) : std::nullopt);
  tell_steps(problem->instance, options);
  try {
    const auto follow = [&] {
      const Simulator simulator(problem->instance.problem(), options);
      if (options.on_ambiguity != Ambiguity::branches) {
        made->solution = simulator.run(where);
        // A run that is stopped ends with the instant or the step: the same run to this time has nothing beyond it.
        if (const std::optional<EventRecord> last = attendant.counted_out()) {
          made->counted_out = true;
          Run shorter = where;
          shorter.end = last->t;
          made->solution = simulator.run(shorter);
          // Rounding decides whether the shorter run still contains the event at its end, so the event is added if it is missing.
          EventLog& events = made->solution.events;
          int count = 0;
          for (const EventRecord& event : events)
            if (event.name == last->name && event.kind == EventKind::record) ++count;
          if (count < stop_after.at(*last->name)) events.push_back(*last);
        }
        return;
      }
      BranchTree tree = follow_branches(simulator, where);
      made->complete = tree.complete;
      made->solution = std::move(tree.root.solution);
      for (Branch& child : tree.root.branches) made->branches.push_back(branch_of(std::move(child), *made));
    };
    if (problem->calls_python) {
      follow();
    } else {
      const py::gil_scoped_release unlocked;
      follow();
    }
  } catch (const std::exception&) {
    // The exception that Python raised before the first step is clearer than the one of the run, and takes its place.
    if (errors.error().is_none()) throw;
    made->error = errors.error();
    return made;
  }
  made->cancelled = attendant.cancelled();
  made->collapsed = attendant.collapsed();
  if (made->cancelled || made->solution.outcome.status == Status::user_function_failed)
    made->error = errors.error();
  return made;
}

// A run, and each of its branches, beside its model: the text of a model file or of functions that were traced, else the functions.
void audit_run(MadeRun& made, double start, const Vector& state, AuditLevel level) {
  const Problem& problem = *made.problem;
  std::shared_ptr<const WrittenModel> written;
  if (problem.model && !problem.calls_python) written = written_model(*problem.model, problem.settings);
  // A run that goes on from elsewhere has another start than its model.
  ModelInstance instance = problem.instance;
  instance.start = start;
  instance.state = state;
  const std::string reason = reason_without_audit(instance, AuditTime::after_run);
  made.audit = reason.empty() ? audit(written ? written : called_functions(), instance, made.solution,
                                      made.options, level)
                              : AuditResult{.reason = reason};
  // The quick one is made by default; a full one was asked for.
  if (made.audit.verdict == AuditVerdict::not_made && level == AuditLevel::full)
    made.solution.warnings.push_back("audit: " + audit_line(made.audit));
  for (const AuditFailure& failure : made.audit.failures)
    made.solution.warnings.push_back("audit: " + failure.text);
  // The events at the start of a branch have fired in the solution that it goes on from.
  for (const auto& branch : made.branches) audit_run(*branch, branch->solution.initial.t, Vector(), level);
}

// The audit calls functions whose runs are over, since they may remember their calls.
void make_audit(MadeRun& made) {
  if (made.audit_level == AuditLevel::off || made.solution.trajectory.empty()) return;
  if (!made.problem->calls_python) {
    const py::gil_scoped_release unlocked;
    audit_run(made, made.where.start, made.where.state, made.audit_level);
    return;
  }
  const CallErrors errors;
  audit_run(made, made.where.start, made.where.state, made.audit_level);
  // A state beside the run's may have no value, but whoever interrupts the audit means the whole run.
  if (made.error.is_none() && !errors.error().is_none() &&
      PyErr_GivenExceptionMatches(errors.error().ptr(), PyExc_Exception) == 0) {
    made.error = errors.error();
    made.cancelled = true;
  }
}

py::dict audit_of(const MadeRun& made) {
  py::list failures;
  for (const AuditFailure& failure : made.audit.failures)
    failures.append(py::make_tuple(failure.from, failure.to, failure.state, failure.text));
  py::dict found;
  found["verdict"] = to_string(made.audit.verdict);
  found["points"] = made.audit.points;
  found["undecided"] = made.audit.undecided;
  found["worst"] = made.audit.worst;
  found["worst_state"] = made.audit.worst_state;
  found["worst_t"] = made.audit.worst_t;
  found["failures"] = failures;
  return found;
}

// The instants at which the state jumps.
std::vector<double> jump_times(const Solution& solution) {
  std::vector<double> times;
  for (const EventRecord& event : solution.events) {
    if (event.kind == EventKind::reset || event.kind == EventKind::sample ||
        event.kind == EventKind::transition || event.kind == EventKind::impact ||
        event.kind == EventKind::zeno)
      times.push_back(event.t);
  }
  return times;
}

// While it lives other threads of Python run, unless Python is in the problem.
class Unlocked {
 public:
  explicit Unlocked(const MadeRun& made) {
    if (!made.problem->calls_python) released_.emplace();
  }

 private:
  std::optional<py::gil_scoped_release> released_ = {};
};

// t, x and the segment of every point: the steps, with two points where the state jumps.
py::tuple points(const MadeRun& made) {
  Vector t;
  Matrix x;
  std::vector<std::int32_t> segment_of;
  {
    const Unlocked unlocked(made);
    const Trajectory& trajectory = made.solution.trajectory;
    std::vector<double> times;
    const std::vector<double> jumps = jump_times(made.solution);
    const auto& segments = trajectory.segments();
    for (std::size_t k = 0; k < segments.size(); ++k) {
      const std::vector<double> steps = trajectory.step_times(k);
      if (!times.empty() && times.back() == steps.front() &&
          !std::binary_search(jumps.begin(), jumps.end(), steps.front())) {
        times.pop_back();
        segment_of.pop_back();
      }
      times.insert(times.end(), steps.begin(), steps.end());
      segment_of.insert(segment_of.end(), steps.size(), static_cast<std::int32_t>(k));
    }
    t = Eigen::Map<const Vector>(times.data(), static_cast<Index>(times.size()));
    x.resize(made.problem->instance.system.states(), t.size());
    for (Index i = 0; i < t.size(); ++i)
      trajectory.evaluate(static_cast<std::size_t>(segment_of[static_cast<std::size_t>(i)]), t[i], x.col(i));
  }
  const py::array_t<std::int32_t> segments(static_cast<py::ssize_t>(segment_of.size()), segment_of.data());
  return py::make_tuple(array_of(std::move(t)), array_of(std::move(x)), segments);
}

// The state at each of these times. With `before`, the limits from the left. Outside of the run it is NaN, or with `beyond` what the
// first and the last step go on with.
py::array_t<double> states_at(const MadeRun& made,
                              const py::array_t<double, py::array::c_style | py::array::forcecast>& times,
                              bool before, bool beyond) {
  const Trajectory& trajectory = made.solution.trajectory;
  const Index count = times.size();
  Matrix x = Matrix::Constant(made.problem->instance.system.states(), count,
                              std::numeric_limits<double>::quiet_NaN());
  const double* const asked = times.data();
  if (!trajectory.empty()) {
    const Unlocked unlocked(made);
    const double start = trajectory.start(), end = trajectory.end();
    // Times that were computed in another way may lie beyond the end by their rounding.
    const double slack =
        16 * std::numeric_limits<double>::epsilon() * std::max(std::abs(start), std::abs(end));
    for (Index i = 0; i < count; ++i) {
      double t = asked[i];
      if (!(t >= start - slack && t <= end + slack)) {
        if (beyond && std::isfinite(t))
          trajectory.evaluate(t < start ? 0 : trajectory.segments().size() - 1, t, x.col(i));
        continue;
      }
      t = std::clamp(t, start, end);
      x.col(i) = before ? trajectory.before(t) : trajectory(t);
    }
  }
  return array_of(std::move(x));
}

py::list modes_at(const MadeRun& made, const std::vector<double>& times) {
  py::list modes;
  const Trajectory& trajectory = made.solution.trajectory;
  for (const double t : times) {
    if (t >= trajectory.start() && t <= trajectory.end())
      modes.append(trajectory.mode(t).word());
    else
      modes.append(py::none());
  }
  return modes;
}

py::list segments(const MadeRun& made) {
  py::list list;
  for (const Segment& segment : made.solution.trajectory.segments())
    list.append(py::make_tuple(segment.start, segment.end, segment.mode.word(), segment.location));
  return list;
}

std::vector<std::string> words(const std::vector<Mode>& modes) {
  std::vector<std::string> list;
  for (const Mode& mode : modes) list.push_back(mode.word());
  return list;
}

py::object word(const std::optional<Mode>& mode) {
  return mode ? py::object(py::str(mode->word())) : py::none();
}

py::object state_or_none(const Vector& state) {
  return state.size() > 0 ? py::object(array_of(Vector(state))) : py::none();
}

py::tuple snapshot(const Snapshot& at) {
  return py::make_tuple(at.t, at.mode.word(), array_of(Vector(at.state)), at.location);
}

py::dict statistics(const Statistics& from) {
  py::dict made;
  made["steps"] = from.steps;
  made["field_evaluations"] = from.field_evaluations;
  made["integrator_evaluations"] = from.integrator_evaluations;
  made["guard_evaluations"] = from.guard_evaluations;
  made["jacobian_evaluations"] = from.jacobian_evaluations;
  made["krylov_iterations"] = from.krylov_iterations;
  made["restarts"] = from.restarts;
  made["events"] = from.events;
  made["dop853_steps"] = from.dop853_steps;
  made["stiff_from"] = std::isnan(from.stiff_from) ? py::object(py::none()) : py::float_(from.stiff_from);
  made["largest_drift"] = from.largest_drift;
  made["wall_seconds"] = from.wall_seconds;
  return made;
}

RunReport report_of(const MadeRun& made) {
  RunReport report{
      .model = made.problem->model ? made.problem->model->name : made.problem->instance.system.name(),
      .instance = made.problem->instance,
      .solution = made.solution};
  if (made.audit.verdict != AuditVerdict::not_made) report.audit = &made.audit;
  for (const auto& branch : made.branches) report.further.push_back(&branch->solution);
  return report;
}

std::unique_ptr<Observation> observation_of(const MadeRun& made, const std::vector<std::string>& wanted) {
  if (wanted.empty()) return nullptr;
  const ModelInstance& instance = made.problem->instance;
  return std::make_unique<Observation>(instance.problem(), instance.observables(wanted),
                                       made.options.sliding_rule);
}

std::string json(const MadeRun& made, const std::vector<std::string>& wanted, bool full_events) {
  const auto observation = observation_of(made, wanted);
  RunReport report = report_of(made);
  report.observation = observation.get();
  std::ostringstream out;
  write_json(report, out, {.full_events = full_events});
  return out.str();
}

std::string html(const MadeRun& made, const std::vector<std::string>& wanted,
                 const std::vector<std::string>& phase, const std::string& how) {
  const auto observation = observation_of(made, wanted);
  RunReport report = report_of(made);
  report.observation = observation.get();
  Model unnamed;
  unnamed.name = report.model;
  std::ostringstream out;
  write_html(report, made.problem->model ? *made.problem->model : unnamed, out,
             {.picture = {.phase = phase}, .how = how});
  return out.str();
}

// The observables at the points that points() lists, or at other times: names × times.
py::tuple observed(const MadeRun& made, const std::vector<std::string>& wanted,
                   const std::vector<double>& times, const std::vector<std::int32_t>& segment_of) {
  const auto observation = observation_of(made, wanted);
  const Trajectory& trajectory = made.solution.trajectory;
  const Index size = observation ? observation->size() : 0;
  const auto count = static_cast<Index>(times.size());
  Matrix values = Matrix::Constant(size, count, std::numeric_limits<double>::quiet_NaN());
  Vector x(made.problem->instance.system.states());
  for (Index i = 0; i < count && observation; ++i) {
    const double t = times[static_cast<std::size_t>(i)];
    if (trajectory.empty() || !(t >= trajectory.start() && t <= trajectory.end())) continue;
    if (segment_of.empty()) {
      values.col(i) = observation->at(t, trajectory(t), trajectory.mode(t), trajectory.location(t));
    } else {
      const auto k = static_cast<std::size_t>(segment_of[static_cast<std::size_t>(i)]);
      const Segment& segment = trajectory.segments()[k];
      trajectory.evaluate(k, t, x);
      values.col(i) = observation->at(t, x, segment.mode, segment.location);
    }
  }
  return py::make_tuple(observation ? observation->names() : std::vector<std::string>{},
                        array_of(std::move(values)));
}

// S at each of these times, n × q × times; NaN where the run does not come to them.
py::array_t<double> derivatives_at(const MadeRun& made, const std::vector<double>& times, bool before) {
  const Sensitivities& found = *made.solution.sensitivities;
  const Index n = found.states();
  const auto q = static_cast<Index>(found.names().size());
  Matrix all =
      Matrix::Constant(n * q, static_cast<Index>(times.size()), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t k = 0; k < times.size(); ++k) {
    const double t = times[k];
    if (!(t >= made.where.start && t <= made.solution.outcome.t)) continue;
    const Matrix s = found.pieces() == 0 ? found.final() : before ? found.before(t) : found(t);
    all.col(static_cast<Index>(k)) = s.reshaped();
  }
  py::array_t<double> flat = array_of(std::move(all));
  const auto size = static_cast<py::ssize_t>(sizeof(double));
  return {{static_cast<py::ssize_t>(n), static_cast<py::ssize_t>(q), static_cast<py::ssize_t>(times.size())},
          {size, size * n, size * n * q},
          flat.data(),
          flat};
}

// One EventDerivative; None for one-sided derivatives that are not told.
py::tuple event_derivative(const EventSensitivity& event) {
  const auto vector = [](const Vector& values) -> py::object {
    return values.size() > 0 ? py::object(array_of(Vector(values))) : py::none();
  };
  const auto matrix = [](const Matrix& values) -> py::object {
    return values.size() > 0 ? py::object(array_of(Matrix(values))) : py::none();
  };
  return py::make_tuple(array_of(Vector(event.time)), array_of(Matrix(event.before)),
                        array_of(Matrix(event.after)), event.exists, event.reason, vector(event.time_below),
                        vector(event.time_above), matrix(event.after_below), matrix(event.after_above));
}

py::object sensitivities(const MadeRun& made) {
  if (!made.solution.sensitivities) return py::none();
  const Sensitivities& found = *made.solution.sensitivities;
  py::list events;
  for (const EventSensitivity& event : found.events()) events.append(event_derivative(event));
  const py::object start = found.start() ? py::object(event_derivative(*found.start())) : py::none();
  return py::make_tuple(found.names(), array_of(Matrix(found.final())), events, found.exists_until(),
                        found.reason(), start);
}

// The gradients of these quantities at the end by all parameters and initial values.
py::tuple gradients(const MadeRun& made, const std::vector<std::string>& quantities) {
  const Problem& problem = *made.problem;
  const Model& model = differentiable_model(problem);
  FinalGradients found;
  {
    const Unlocked unlocked(made);
    const FinalGradientQuestion question(model, problem.settings, problem.instance, quantities);
    found = question.answer(made.options, made.where, made.solution);
  }
  return py::make_tuple(found.quantities, found.by, array_of(std::move(found.gradients)), found.left_out,
                        found.exists_until, found.reason);
}

// Throws py::cast_error for a value of the wrong kind, std::invalid_argument for an unknown word.
void set_option(Options& options, const std::string& name, py::handle value) {
  if (name == "rtol") options.rtol = py::cast<double>(value);
  if (name == "atol") {
    if (py::isinstance<py::float_>(value) || py::isinstance<py::int_>(value))
      options.atol = py::cast<double>(value);
    else
      options.atol = Tolerance(py::cast<Vector>(value));
  }
  if (name == "method") options.method = method_from(py::cast<std::string>(value));
  if (name == "linear_solver") options.linear_solver = linear_solver_from(py::cast<std::string>(value));
  if (name == "on_ambiguity") options.on_ambiguity = ambiguity_from(py::cast<std::string>(value));
  if (name == "sliding_rule") options.sliding_rule = sliding_rule_from(py::cast<std::string>(value));
  if (name == "selection") options.selection = selection_from(py::cast<std::string>(value));
  if (name == "max_step") options.max_step = py::cast<double>(value);
  if (name == "max_events") options.max_events = py::cast<Index>(value);
  if (name == "max_steps") options.max_steps = py::cast<Index>(value);
  if (name == "local_events") options.local_events = local_events_from(py::cast<std::string>(value));
  if (name == "full_events") options.full_events = py::cast<bool>(value);
}

}  // namespace

std::function<bool()> stop_question(std::shared_ptr<const Cancellation> cancellation) {
  return [asked = std::move(cancellation)] { return asked != nullptr && asked->requested; };
}

py::tuple event_tuple(const EventRecord& record) {
  const auto list = [](const auto& values) {
    py::list made;
    for (const auto& value : values) made.append(value);
    return made;
  };
  return py::make_tuple(
      record.t, to_string(record.kind), list(record.surface_names), record.name, word(record.from),
      word(record.to), record.from_location, record.to_location, list(record.w_minus), list(record.w_plus),
      list(record.lambda), record.codeword, words(record.continuations), words(record.in_convex_hull),
      state_or_none(record.before), state_or_none(record.after), record.round, record.reason);
}

py::array_t<double> array_of(Vector values) {
  auto* const kept = new Vector(std::move(values));
  return {{static_cast<py::ssize_t>(kept->size())}, {sizeof(double)}, kept->data(), owner_of(kept)};
}

py::array_t<double> array_of(Matrix values) {
  auto* const kept = new Matrix(std::move(values));
  const auto rows = static_cast<py::ssize_t>(kept->rows()), columns = static_cast<py::ssize_t>(kept->cols());
  return {{rows, columns},
          {static_cast<py::ssize_t>(sizeof(double)), static_cast<py::ssize_t>(sizeof(double)) * rows},
          kept->data(),
          owner_of(kept)};
}

Options options_from(const py::dict& given, const ModelDefaults& defaults) {
  Options options = apps::make_options({}, defaults);
  for (const auto& [key, value] : given) {
    if (value.is_none()) continue;
    const auto name = py::cast<std::string>(key);
    try {
      set_option(options, name, value);
    } catch (const py::cast_error&) {
      throw py::type_error(
          fmt::format("the option {} cannot be {}", name, py::cast<std::string>(py::repr(value))));
    }
  }
  return options;
}

void bind_runs(py::module_& module) {
  py::class_<Cancellation, std::shared_ptr<Cancellation>>(module, "Cancellation")
      .def(py::init<>())
      .def("request", [](Cancellation& self) { self.requested = true; });

  py::class_<MadeRun, std::shared_ptr<MadeRun>>(module, "Run")
      .def("points", &points)
      .def("states_at", &states_at, py::arg("times"), py::arg("before") = false, py::arg("beyond") = false)
      .def("modes_at", &modes_at)
      .def("segments", &segments)
      .def("observed", &observed)
      .def("derivatives_at", &derivatives_at, py::arg("times"), py::arg("before") = false)
      .def("sensitivities", &sensitivities)
      .def("gradients", &gradients)
      .def("make_audit", &make_audit)
      .def("audit", &audit_of)
      .def("event_count", [](const MadeRun& self) { return self.solution.events.size(); })
      .def("event",
           [](const MadeRun& self, std::size_t index) {
             if (index >= self.solution.events.size()) throw py::index_error("no such event");
             return event_tuple(self.solution.events[index]);
           })
      .def("json", &json)
      .def("html", &html)
      .def_property_readonly("status",
                             [](const MadeRun& self) { return to_string(self.solution.outcome.status); })
      .def_property_readonly("t_reached", [](const MadeRun& self) { return self.solution.outcome.t; })
      .def_property_readonly("message", [](const MadeRun& self) { return self.solution.outcome.message; })
      .def_property_readonly("initial", [](const MadeRun& self) { return snapshot(self.solution.initial); })
      .def_property_readonly("final", [](const MadeRun& self) { return snapshot(self.solution.final); })
      .def_property_readonly("statistics",
                             [](const MadeRun& self) { return statistics(self.solution.statistics); })
      .def_property_readonly("warnings", [](const MadeRun& self) { return self.solution.warnings; })
      .def_property_readonly(
          "problem", [](const MadeRun& self) { return std::const_pointer_cast<Problem>(self.problem); })
      .def_readonly("branches", &MadeRun::branches)
      .def_readonly("complete", &MadeRun::complete)
      .def_readonly("cancelled", &MadeRun::cancelled)
      .def_readonly("collapsed", &MadeRun::collapsed)
      .def_readonly("counted_out", &MadeRun::counted_out)
      .def_readonly("error", &MadeRun::error);

  module.def(
      "run",
      [](const std::shared_ptr<Problem>& problem, double start, double end, const Vector& state,
         const std::string& location, const std::optional<std::string>& mode, const py::dict& options,
         const Cancellation* cancellation, const std::map<std::string, int>& stop_after) {
        Run where{.start = start, .end = end, .state = state, .location = location};
        if (mode) where.mode = Mode(*mode);
        return run(problem, where, options, cancellation, stop_after);
      },
      py::arg("problem"), py::arg("start"), py::arg("end"), py::arg("state"), py::arg("location") = "",
      py::arg("mode") = py::none(), py::arg("options") = py::dict(), py::arg("cancellation") = nullptr,
      py::arg("stop_after") = std::map<std::string, int>{});
}

}  // namespace slideway::python
