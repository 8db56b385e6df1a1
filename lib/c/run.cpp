#include "lib/c/run.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sstream>

#include <fmt/format.h>

#include "slideway/audit/called_functions.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/fmi/import.hpp"
#include "slideway/io/checkpoint_file.hpp"
#include "slideway/io/csv.hpp"
#include "slideway/io/html_report.hpp"
#include "slideway/io/json.hpp"

namespace slideway::door {
namespace {

// One list for the names of the statistics and their values.
struct Statistic {
  const char* name;
  double (*value)(const Statistics&);
};
constexpr Statistic kStatistics[] = {
    {"steps", [](const Statistics& all) { return static_cast<double>(all.steps); }},
    {"field_evaluations", [](const Statistics& all) { return static_cast<double>(all.field_evaluations); }},
    {"integrator_evaluations",
     [](const Statistics& all) { return static_cast<double>(all.integrator_evaluations); }},
    {"guard_evaluations", [](const Statistics& all) { return static_cast<double>(all.guard_evaluations); }},
    {"jacobian_evaluations",
     [](const Statistics& all) { return static_cast<double>(all.jacobian_evaluations); }},
    {"krylov_iterations", [](const Statistics& all) { return static_cast<double>(all.krylov_iterations); }},
    {"restarts", [](const Statistics& all) { return static_cast<double>(all.restarts); }},
    {"events", [](const Statistics& all) { return static_cast<double>(all.events); }},
    {"dop853_steps", [](const Statistics& all) { return static_cast<double>(all.dop853_steps); }},
    {"stiff_from", [](const Statistics& all) { return all.stiff_from; }},
    {"largest_drift", [](const Statistics& all) { return all.largest_drift; }},
    {"wall_seconds", [](const Statistics& all) { return all.wall_seconds; }},
};

std::string joined(const ShortList<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
  return text;
}

std::string words(const std::vector<Mode>& modes) {
  std::string text;
  for (const Mode& mode : modes) text += (text.empty() ? "" : " ") + mode.word();
  return text;
}

template <class List>
Vector vector_of(const List& list) {
  Vector values(static_cast<Index>(list.size()));
  Index k = 0;
  for (const auto& value : list) values[k++] = static_cast<double>(value);
  return values;
}

Vector flat(const Matrix& matrix) { return matrix.reshaped(); }

bool jumps_at(const EventRecord& event) {
  switch (event.kind) {
    case EventKind::reset:
    case EventKind::sample:
    case EventKind::transition:
    case EventKind::impact:
    case EventKind::zeno: return true;
    default: return false;
  }
}

// A time of the trajectory, and the segment that it is in.
struct StepPoint {
  double t = 0;
  std::size_t segment = 0;
};

// The steps, with two points where the state jumps.
std::vector<StepPoint> step_points(const Solution& solution) {
  std::vector<double> jumps;
  for (const EventRecord& event : solution.events)
    if (jumps_at(event)) jumps.push_back(event.t);
  std::vector<StepPoint> points;
  for (std::size_t k = 0; k < solution.trajectory.segments().size(); ++k) {
    const std::vector<double> steps = solution.trajectory.step_times(k);
    if (!points.empty() && points.back().t == steps.front() &&
        !std::binary_search(jumps.begin(), jumps.end(), steps.front()))
      points.pop_back();
    for (const double t : steps) points.push_back({t, k});
  }
  return points;
}

std::optional<Vector> derivative_values(const EventSensitivity& event, std::string_view what) {
  if (what == "time_derivative") return event.time;
  if (what == "derivative_before") return flat(event.before);
  if (what == "derivative_after") return flat(event.after);
  if (what == "time_below") return event.time_below;
  if (what == "time_above") return event.time_above;
  if (what == "derivative_below") return flat(event.after_below);
  if (what == "derivative_above") return flat(event.after_above);
  return std::nullopt;
}

void check_side(int side) {
  if (side != SW_BEFORE && side != SW_AFTER)
    refuse({.what = "there is no such side",
            .where = "side",
            .expected = "SW_BEFORE or SW_AFTER",
            .got = fmt::format("{}", side)});
}

// The buffer has room for `size` numbers at each of `count` times.
void check_buffer(const double* times, std::int64_t count, Index size, const double* buffer,
                  std::int64_t capacity) {
  if (count < 0)
    refuse({.what = "there is no such number of times",
            .where = "count",
            .expected = "0 or more",
            .got = fmt::format("{}", count)});
  if (count == 0) return;
  given(times, "t");
  given(buffer, "the buffer");
  // Divided, since a product may be too large for the type.
  if (size > 0 && capacity / size < count)
    throw Refused(
        SW_SPACE,
        fmt::format("the buffer is too small (expected room for {} numbers at each of {} times, got {})",
                    size, count, capacity));
}

// Throws Refused where nothing is observed.
Observation& observation_of(const sw_run& run) {
  run.made();
  if (!run.observation) throw Refused(SW_ABSENT, "nothing is observed; sw_observe() asks for quantities");
  return *run.observation;
}

}  // namespace

Answer Attendant::look() const { return !leaves_ && is_stop_asked() ? Answer::stop : Answer::go_on; }

void Attendant::attend(Options& options) {
  options.on_step = [this](const StepView& step) {
    if (input_.watcher.function != nullptr) {
      state_.resize(input_.instance.state.size());
      step.evaluate(step.end, state_);
      CallbackStop::take(
          std::abs(input_.watcher.function(step.end, state_.data(), state_.size(), input_.watcher.user)), "");
    }
    return look();
  };
  options.on_event = [this](const EventRecord&) { return look(); };
  tell_steps(input_.instance, options);
}

std::optional<std::string> event_text(const EventRecord& event, std::string_view what) {
  const auto word = [](const std::optional<Mode>& mode) {
    return mode ? std::optional(mode->word()) : std::nullopt;
  };
  if (what == "kind") return to_string(event.kind);
  if (what == "name") return event.name;
  if (what == "surfaces") return joined(event.surface_names);
  if (what == "reason") return event.reason;
  if (what == "before") return word(event.from);
  if (what == "after") return word(event.to);
  if (what == "location_before") return event.from_location;
  if (what == "location_after") return event.to_location;
  if (what == "codeword") return event.codeword;
  if (what == "continuations") return words(event.continuations);
  if (what == "in_convex_hull") return words(event.in_convex_hull);
  if (what == "line") {
    std::ostringstream text;
    text << event;
    return text.str();
  }
  refuse(
      {.what = fmt::format("an event has no text '{}'", what),
       .where = "what",
       .expected =
           "kind, name, surfaces, reason, before, after, location_before, location_after, codeword or line"});
}

std::optional<Vector> event_values(const EventRecord& event, std::string_view what) {
  if (what == "t") return Vector::Constant(1, event.t);
  if (what == "round") return Vector::Constant(1, event.round);
  if (what == "surfaces") return vector_of(event.surfaces);
  if (what == "before") return event.before;
  if (what == "after") return event.after;
  if (what == "w_minus") return vector_of(event.w_minus);
  if (what == "w_plus") return vector_of(event.w_plus);
  if (what == "lambda") return vector_of(event.lambda);
  return std::nullopt;
}

}  // namespace slideway::door

using namespace slideway;
using namespace slideway::door;

void sw_run::prepare(RunInput from) {
  input = std::move(from);
  options = input->options.run;
  if (!input->options.sensitivities.empty())
    options.sensitivities =
        sensitivities_by(*input->model, input->settings, input->instance, input->options.sensitivities);
  observe(input->observed);
}

void sw_run::observe(std::vector<std::string> wanted) {
  std::unique_ptr<Observation> seen;
  std::unique_ptr<ObservedSensitivity> seen_derivatives;
  const ModelInstance& instance = input->instance;
  if (!wanted.empty()) {
    seen =
        std::make_unique<Observation>(instance.problem(), instance.observables(wanted), options.sliding_rule);
    const SensitivityRequest& request = options.sensitivities;
    if (!request.empty() && request.observe)
      seen_derivatives =
          std::make_unique<ObservedSensitivity>(request.extended ? *request.extended : instance.problem(),
                                                request.observe(wanted), options.sliding_rule, request);
  }
  input->observed = std::move(wanted);
  observation = std::move(seen);
  observed_sensitivity = std::move(seen_derivatives);
}

int sw_run::finish(Solution found) {
  solution = std::move(found);
  is_over = true;
  tell(solution.outcome.message);
  return solution.outcome.succeeded() ? SW_OK : SW_STOPPED;
}

void sw_run::take_audit(AuditResult audited) {
  // The quick one is made by default; a full one was asked for.
  if (!audited.reason.empty() && input->options.audit == AuditLevel::full)
    solution.warnings.push_back("audit: " + audit_line(audited));
  if (audited.verdict == AuditVerdict::not_made) return;
  for (const AuditFailure& failure : audited.failures) solution.warnings.push_back("audit: " + failure.text);
  audit = std::move(audited);
}

const RunInput& sw_run::made() const {
  if (!is_over) throw Refused(SW_ABSENT, "there is no run: it could not begin");
  return *input;
}

RunReport sw_run::report() const {
  RunReport report{.model = made().model->name, .instance = made().instance, .solution = solution};
  report.observation = observation.get();
  report.observed_sensitivity = observed_sensitivity.get();
  report.gradients = gradients ? &*gradients : nullptr;
  report.audit = audit ? &*audit : nullptr;
  return report;
}

const Trajectory& sw_run::trajectory() const {
  made();
  if (solution.trajectory.empty()) throw Refused(SW_ABSENT, "the run has no trajectory");
  return solution.trajectory;
}

double sw_run::time_within(double t) const {
  const double start = trajectory().start(), end = trajectory().end();
  // Times that were computed in another way may lie beyond the end by their rounding.
  const double slack = 16 * std::numeric_limits<double>::epsilon() * std::max(std::abs(start), std::abs(end));
  if (!(t >= start - slack && t <= end + slack))
    throw Refused(
        SW_ABSENT,
        fmt::format("the solution has no state at t = {:.10g} (expected a time from {:.10g} to {:.10g})", t,
                    start, end));
  return std::clamp(t, start, end);
}

const EventSensitivity* sw_run::event_derivative(std::int64_t index) const {
  if (!solution.sensitivities) return nullptr;
  const std::optional<EventSensitivity>& start = solution.sensitivities->start();
  if (index == SW_START) return start ? &*start : nullptr;
  const auto& events = solution.sensitivities->events();
  return static_cast<std::size_t>(index) < events.size() ? &events[static_cast<std::size_t>(index)] : nullptr;
}

std::optional<std::vector<std::string>> sw_run::names(std::string_view list) const {
  const System& system = made().instance.system;
  std::vector<std::string> found;
  if (list == "states") return system.state_names();
  if (list == "surfaces") return system.surface_names();
  if (list == "warnings") return solution.warnings;
  if (list == "observed") return observation ? observation->names() : found;
  if (list == "sensitivities") return options.sensitivities.names;
  if (list == "modes") return std::vector{solution.initial.mode.word(), solution.final.mode.word()};
  if (list == "locations") return std::vector{solution.initial.location, solution.final.location};
  if (list == "branches") {
    for (const Branch& branch : branches) found.push_back(branch.solution.initial.mode.word());
    return found;
  }
  if (list == "left_out") return gradients ? gradients->left_out : found;
  if (list == "gradients") return gradients ? gradients->by : found;
  const AuditResult audited = audit.value_or(AuditResult());
  if (list == "audit") return std::vector<std::string>{to_string(audited.verdict), audited.worst_state};
  if (list == "contradictions")
    for (const AuditFailure& failure : audited.failures) found.push_back(failure.text);
  else if (list == "contradicted")
    for (const AuditFailure& failure : audited.failures) found.push_back(failure.state);
  else if (list == "contacts")
    for (const Contact& contact : system.contacts()) found.push_back(contact.name);
  else if (list == "parameters")
    for (const auto& [name, value] : input->instance.parameters) found.push_back(name);
  else if (list == "events")
    for (const EventRecord& event : solution.events) found.emplace_back(to_string(event.kind));
  else if (list == "segments")
    for (const Segment& segment : solution.trajectory.segments()) found.push_back(segment.mode.word());
  else if (list == "segment_locations")
    for (const Segment& segment : solution.trajectory.segments()) found.push_back(segment.location);
  else if (list == "statistics")
    for (const Statistic& statistic : kStatistics) found.emplace_back(statistic.name);
  else
    return std::nullopt;
  return found;
}

std::optional<Vector> sw_run::values(std::string_view list) const {
  if (list == "initial") return made().instance.state;
  if (list == "final") return solution.final.state;
  if (list == "complete") return Vector::Constant(1, is_complete ? 1 : 0);
  if (list == "span") return Vector{{made().instance.start, solution.outcome.t}};
  const AuditResult audited = audit.value_or(AuditResult());
  if (list == "audit")
    return Vector{{static_cast<double>(audited.points), static_cast<double>(audited.undecided), audited.worst,
                   audited.worst_t}};
  std::vector<double> found;
  if (list == "contradictions") {
    for (const AuditFailure& failure : audited.failures) {
      found.push_back(failure.from);
      found.push_back(failure.to);
    }
  } else if (list == "parameters") {
    for (const auto& [name, value] : made().instance.parameters) found.push_back(value);
  } else if (list == "events") {
    for (const EventRecord& event : solution.events) found.push_back(event.t);
  } else if (list == "segments") {
    for (const Segment& segment : solution.trajectory.segments()) found.push_back(segment.start);
    if (!solution.trajectory.empty()) found.push_back(solution.trajectory.end());
  } else if (list == "step_segments") {
    for (const StepPoint& point : step_points(solution)) found.push_back(static_cast<double>(point.segment));
  } else if (list == "steps") {
    for (const StepPoint& point : step_points(solution)) found.push_back(point.t);
  } else if (list == "statistics") {
    for (const Statistic& statistic : kStatistics) found.push_back(statistic.value(solution.statistics));
  } else if (list == "exists_until") {
    if (!solution.sensitivities)
      throw Refused(SW_ABSENT, "the run has no derivatives; the option `sensitivities` asks for them");
    found.push_back(solution.sensitivities->exists_until());
  } else {
    return std::nullopt;
  }
  return vector_of(found);
}

std::string sw_run::document(std::string_view format) {
  std::ostringstream text;
  const RunReport of = report();
  if (format == "json") {
    write_json(of, text, {.full_events = options.full_events});
  } else if (format == "page") {
    write_html(of, *input->model, text,
               {.how = fmt::format("{}, rtol {:.3g}", to_string(options.method), options.rtol)});
  } else if (format == "picture") {
    write_picture_data(of, text);
  } else if (format == "csv") {
    write_csv(of, text, {.start = input->instance.start, .end = input->instance.end});
  } else {
    refuse({.what = fmt::format("a run has no document '{}'", format),
            .where = "format",
            .expected = "json, page, picture or csv"});
  }
  return text.str();
}

namespace {

// The equations as they are shown, and the numbers in them: what a checkpoint compares.
std::string model_text(const RunInput& input) {
  std::ostringstream text;
  text << input.model->name << '\n';
  for (const std::string& line : input.model->equations) text << line << '\n';
  for (const auto& [name, value] : input.instance.parameters) text << fmt::format("{} = {:a}\n", name, value);
  for (const std::string& name : input.instance.system.state_names()) text << name << '\n';
  for (const std::string& name : input.instance.system.surface_names()) text << name << '\n';
  return text.str();
}

// Callbacks may remember their calls, so that they are called for the audit when the run is over.
AuditResult audit_of_functions(const RunInput& input, const ModelInstance& instance, const Options& options,
                               const Solution& solution) {
  const std::string reason = reason_without_audit(instance, AuditTime::after_run);
  if (!reason.empty()) return {.reason = reason};
  return audit(called_functions(), instance, solution, options, input.options.audit);
}

// Follows the run; `follow` gets its simulator.
template <class Follow>
int follow_run(sw_run& run, const Follow& follow) {
  const RunInput& input = *run.input;
  Attendant attendant(input);
  Options options = run.options;
  attendant.attend(options);
  const std::shared_ptr<const WrittenModel> written = written_model(*input.model, input.settings);
  Auditor auditor(written, input.instance, run.options, input.options.audit);
  const Simulator simulator(input.instance.problem(), auditor.listening(options));
  std::optional<Solution> found = follow(simulator, attendant);
  if (!found)
    throw Refused(SW_STOPPED, "the run was asked to end; sw_resume() goes on from its checkpoint " +
                                  input.options.checkpoint);
  AuditResult audited = auditor.result();
  if (!written) audited = audit_of_functions(input, input.instance, run.options, *found);
  const int code = run.finish(std::move(*found));
  run.take_audit(std::move(audited));
  return code;
}

// A run of the tree beside its model, the text of a model file, else the functions. The instance has no state where the run goes on from
// another solution.
void audit_branch(sw_run& run, const ModelInstance& instance) {
  const RunInput& input = *run.input;
  const std::shared_ptr<const WrittenModel> written = written_model(*input.model, input.settings);
  run.take_audit(written ? audit(written, instance, run.solution, run.options, input.options.audit)
                         : audit_of_functions(input, instance, run.options, run.solution));
}

// Follows all motions, where several go on.
int follow_tree(sw_run& run) {
  const RunInput& input = *run.input;
  if (!input.options.checkpoint.empty())
    refuse({.what = "a checkpoint is that of one solution",
            .where = "checkpoint with on_ambiguity",
            .expected = "stop, minus, plus or slide",
            .got = "branches"});
  if (!input.options.sensitivities.empty())
    refuse({.what = "derivatives belong to one solution",
            .where = "sensitivities with on_ambiguity",
            .expected = "stop, minus, plus or slide",
            .got = "branches"});
  Attendant attendant(input);
  Options options = run.options;
  attendant.attend(options);
  BranchTree tree = follow_branches(Simulator(input.instance.problem(), options), input.where());
  run.branches = std::move(tree.root.branches);
  run.is_complete = tree.complete;
  const int code = run.finish(std::move(tree.root.solution));
  audit_branch(run, input.instance);
  return code;
}

Checkpointing checkpoints_of(const RunInput& input, CheckpointFile& file, const Attendant& attendant) {
  Checkpointing checkpointing;
  checkpointing.steps = input.options.checkpoint_steps;
  checkpointing.seconds = input.options.checkpoint_seconds;
  checkpointing.model = model_text(input);
  checkpointing.write = [&file](const Checkpoint& checkpoint) { file.write(checkpoint); };
  checkpointing.stop = [&attendant] { return attendant.is_stop_asked(); };
  return checkpointing;
}

const EventRecord& event_of(const void* handle, std::int64_t index) {
  const EventLog& events = static_cast<const Handle*>(handle)->events();
  return events[index_in(index, events.size(), "event")];
}

}  // namespace

int sw_solve(const sw_model* model, sw_run** run) {
  return make(run, [&](sw_run& made) {
    made.prepare(given(model, "model")->input());
    const RunInput& input = *made.input;
    if (made.options.on_ambiguity == Ambiguity::branches) return follow_tree(made);
    return follow_run(made, [&](const Simulator& simulator, Attendant& attendant) -> std::optional<Solution> {
      if (input.options.checkpoint.empty()) return simulator.run(input.where());
      CheckpointFile file(input.options.checkpoint);
      attendant.leave_to_checkpoints();
      return run_with_checkpoints(simulator, input.where(), checkpoints_of(input, file, attendant));
    });
  });
}

int sw_branch(const sw_run* run, int64_t index, sw_run** branch) {
  return make(branch, [&](sw_run& made) {
    const sw_run& from = *given(run, "run");
    RunInput input = from.made();
    const Branch& followed = from.branches[index_in(index, from.branches.size(), "branch")];
    const Snapshot& start = followed.solution.initial;
    input.instance.start = start.t;
    input.instance.state = start.state;
    input.options.location = start.location;
    input.options.mode = start.mode;
    made.prepare(std::move(input));
    made.branches = followed.branches;
    made.is_complete = from.is_complete;
    const int code = made.finish(followed.solution);
    ModelInstance instance = made.input->instance;
    instance.state = Vector();
    audit_branch(made, instance);
    return code;
  });
}

int sw_resume(const sw_model* model, const char* path, sw_run** run) {
  return make(run, [&](sw_run& made) {
    RunInput from = given(model, "model")->input();
    if (from.options.checkpoint.empty()) from.options.checkpoint = given(path, "path");
    made.prepare(std::move(from));
    const RunInput& input = *made.input;
    CheckpointFile source(given(path, "path"));
    const Checkpoint checkpoint = source.read();
    if (made.options.recording == Recording::dense && !checkpoint.records_trajectory())
      throw CheckpointError(
          "the checkpoint is of a run that kept no trajectory; go on with the option recording=nothing");
    if (checkpoint.run().start != input.instance.start || checkpoint.run().end != input.instance.end ||
        checkpoint.run().state != input.instance.state)
      throw CheckpointError(
          "the checkpoint is of a run with another start, end or initial state; go on with those of the "
          "checkpoint, or begin the run again");
    return follow_run(made, [&](const Simulator& simulator, Attendant& attendant) {
      CheckpointFile other(input.options.checkpoint);
      attendant.leave_to_checkpoints();
      return resume(simulator, checkpoint,
                    checkpoints_of(input, input.options.checkpoint == path ? source : other, attendant));
    });
  });
}

int sw_observe(void* handle, const char* quantity) {
  auto* const of = static_cast<Handle*>(handle);
  return answer(of, [&] {
    std::vector<std::string> all;
    if (auto* const model = dynamic_cast<sw_model*>(of)) {
      model->usable();
      if (quantity != nullptr) {
        all = model->observed;
        all.emplace_back(quantity);
        check_observable_names(model->instance()->system, model->instance()->observables(all).names);
      }
      model->observed = std::move(all);
    } else if (auto* const run = dynamic_cast<sw_run*>(of)) {
      run->made();
      if (quantity != nullptr) {
        all = run->input->observed;
        all.emplace_back(quantity);
      }
      run->observe(std::move(all));
    } else {
      throw Refused(SW_MISUSE, "a handle of this kind observes nothing (expected a model or a run)");
    }
    of->changed();
    return SW_OK;
  });
}

const char* sw_status(const sw_run* run, double* t) {
  if (run == nullptr || !run->is_over) return nullptr;
  if (t != nullptr) *t = run->solution.outcome.t;
  return to_string(run->solution.outcome.status);
}

const char* sw_event_text(const void* handle, int64_t index, const char* what) {
  const char* text = nullptr;
  const auto* const of = static_cast<const Handle*>(handle);
  answer(of, [&] {
    const std::string_view wanted = given(what, "what");
    std::optional<std::string> found;
    if (wanted == "derivative_reason") {
      const EventSensitivity* const derivative = of->event_derivative(index);
      if (derivative != nullptr && !derivative->exists) found = derivative->reason;
    } else {
      found = event_text(event_of(handle, index), wanted);
    }
    if (found) text = of->keep(std::move(*found));
    return SW_OK;
  });
  return text;
}

int sw_event_values(const void* handle, int64_t index, const char* what, double* values, int64_t capacity,
                    int64_t* count) {
  const auto* const of = static_cast<const Handle*>(handle);
  return answer(of, [&]() -> int {
    given(what, "what");
    std::optional<Vector> found;
    if (index != SW_START) found = event_values(event_of(handle, index), what);
    if (!found) {
      if (const EventSensitivity* derivative = of->event_derivative(index))
        found = derivative_values(*derivative, what);
    }
    if (!found && index == SW_START)
      throw Refused(SW_ABSENT,
                    "the derivatives are the same on both sides of the start, or were not asked for");
    if (!found)
      refuse({.what = fmt::format("an event has no numbers '{}'", what),
              .where = "what",
              .expected = "t, round, surfaces, before, after, w_minus, w_plus or lambda; with the option "
                          "`sensitivities` also time_derivative, "
                          "derivative_before, derivative_after, time_below, time_above, derivative_below or "
                          "derivative_above"});
    if (count != nullptr) *count = found->size();
    if (values == nullptr && (count != nullptr || found->size() == 0)) return SW_OK;
    return hand_out(found->data(), found->size(), values, capacity);
  });
}

int sw_states(const sw_run* run, const double* t, int64_t count, int side, double* x, int64_t capacity) {
  return answer(run, [&] {
    const Index n = run->made().instance.system.states();
    if (side != SW_BEYOND) check_side(side);
    check_buffer(t, count, n, x, capacity);
    for (int64_t k = 0; k < count; ++k) {
      const Trajectory& trajectory = run->trajectory();
      const bool is_outside = t[k] < trajectory.start() || t[k] > trajectory.end();
      if (side == SW_BEYOND && is_outside && std::isfinite(t[k])) {
        const std::size_t segment = t[k] < trajectory.start() ? 0 : trajectory.segments().size() - 1;
        trajectory.evaluate(segment, t[k], Eigen::Map<Vector>(x + n * k, n));
        continue;
      }
      const double time = run->time_within(t[k]);
      Eigen::Map<Vector>(x + n * k, n) =
          side == SW_BEFORE ? run->trajectory().before(time) : run->trajectory()(time);
    }
    return SW_OK;
  });
}

int sw_step_states(const sw_run* run, double* x, int64_t capacity) {
  return answer(run, [&] {
    const Index n = run->made().instance.system.states();
    const std::vector<StepPoint> points = step_points(run->solution);
    const double first = 0;
    check_buffer(&first, static_cast<int64_t>(points.size()), n, x, capacity);
    for (std::size_t k = 0; k < points.size(); ++k)
      run->trajectory().evaluate(points[k].segment, points[k].t,
                                 Eigen::Map<Vector>(x + n * static_cast<Index>(k), n));
    return SW_OK;
  });
}

const char* sw_mode(const sw_run* run, double t, const char** location) {
  const char* word = nullptr;
  answer(run, [&] {
    const double time = run->time_within(t);
    if (location != nullptr) {
      const std::string& name = run->trajectory().location(time);
      *location = name.empty() ? nullptr : name.c_str();
    }
    word = run->keep(run->trajectory().mode(time).word());
    return SW_OK;
  });
  return word;
}

int sw_observed(const sw_run* run, const double* t, int64_t count, double* y, int64_t capacity) {
  return answer(run, [&] {
    const Index size = observation_of(*run).size();
    check_buffer(t, count, size, y, capacity);
    for (int64_t k = 0; k < count; ++k) {
      const double time = run->time_within(t[k]);
      const Trajectory& along = run->trajectory();
      Eigen::Map<Vector>(y + size * k, size) =
          run->observation->at(time, along(time), along.mode(time), along.location(time));
    }
    return SW_OK;
  });
}

int sw_step_observed(const sw_run* run, double* y, int64_t capacity) {
  return answer(run, [&] {
    Observation& observation = observation_of(*run);
    const Index size = observation.size();
    const std::vector<StepPoint> points = step_points(run->solution);
    const double first = 0;
    check_buffer(&first, static_cast<int64_t>(points.size()), size, y, capacity);
    Vector x(run->made().instance.system.states());
    for (const StepPoint& point : points) {
      const Segment& segment = run->trajectory().segments()[point.segment];
      run->trajectory().evaluate(point.segment, point.t, x);
      Eigen::Map<Vector>(y, size) = observation.at(point.t, x, segment.mode, segment.location);
      y += size;
    }
    return SW_OK;
  });
}

int sw_derivatives(const sw_run* run, const double* t, int64_t count, int side, double* derivatives,
                   int64_t capacity) {
  return answer(run, [&] {
    run->made();
    if (!run->solution.sensitivities)
      throw Refused(SW_ABSENT, "the run has no derivatives; the option `sensitivities` asks for them");
    const Sensitivities& found = *run->solution.sensitivities;
    const Index n = found.states(), q = static_cast<Index>(found.names().size());
    check_side(side);
    check_buffer(t, count, n * q, derivatives, capacity);
    for (int64_t k = 0; k < count; ++k) {
      const double time = run->time_within(t[k]);
      const Matrix s = found.pieces() == 0 ? found.final()
                       : side == SW_BEFORE ? found.before(time)
                                           : found(time);
      Eigen::Map<Matrix>(derivatives + n * q * k, n, q) = s;
    }
    return SW_OK;
  });
}

int sw_gradients(sw_run* run, const char* const* quantities, int64_t count, double* gradients,
                 int64_t capacity) {
  return answer(run, [&]() -> int {
    const RunInput& input = run->made();
    given(quantities, "quantities");
    std::vector<std::string> names;
    for (int64_t k = 0; k < count; ++k) names.emplace_back(given(quantities[k], "quantities"));
    const FinalGradientQuestion question(*input.model, input.settings, input.instance, names);
    Options options = run->options;
    options.sensitivities = {};
    run->gradients = question.answer(options, input.where(), run->solution);
    run->changed();
    if (gradients == nullptr) return SW_OK;
    return hand_out(run->gradients->gradients.data(), run->gradients->gradients.size(), gradients, capacity);
  });
}
