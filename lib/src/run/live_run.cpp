// A run that its caller drives: an engine that is followed up to where the caller asks, and made anew where something else begins.
#include "slideway/simulate/live_run.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/number_text.hpp"
#include "local/local_run.hpp"
#include "run/check_run.hpp"
#include "run/engine_fields.hpp"
#include "run/field_reader.hpp"
#include "run/field_writer.hpp"
#include "slideway/core/errors.hpp"

namespace slideway {

namespace {

// A run that ended so goes on when it is asked again.
bool goes_on_when_asked(Status status) {
  return status == Status::reached_end || status == Status::stopped_by_event ||
         status == Status::stopped_by_caller || status == Status::step_limit;
}

Simulator followed_with_all_states(const Simulator& simulator) {
  Options options = simulator.options();
  if (!options.sensitivities.empty()) {
    refuse({.what = "a run that the caller drives has no sensitivities",
            .where = "Options::sensitivities",
            .expected = "none",
            .advice = "use Simulator::run"});
  }
  if (!wants_local(options)) return simulator;
  options.local_events = LocalEvents::off;
  return Simulator(simulator.automaton(), std::move(options));
}

}  // namespace

struct SavedRun::Content {
  Run run;
  double span = 0;
  std::vector<std::byte> fields;
  std::vector<AccumulationLimit> limits;
  std::vector<std::vector<Index>> guards_of_limits;  // by their numbers
  Snapshot place;
  Outcome outcome;
  bool is_over = false;
  // ---- the record, of the run that saved
  std::uint64_t id = 0;
  std::size_t events = 0, segments = 0, steps = 0;
  // ---- what the problem is known by
  std::vector<std::string> state_names, locations;
  Method method = Method::automatic;
};

double SavedRun::t() const { return content_->place.t; }

struct LiveRun::Content {
  Content(const Simulator& of, const Run& from)
      : simulator(followed_with_all_states(of)), run(from), span(from.end - from.start), t(from.start) {
    check_run(simulator.automaton(), simulator.options(), run);
    make_engine();
    if (wants_local(of.options())) {
      engine->solution().warnings.push_back(
          "events were not followed locally, since the caller drives the run");
    }
    advance(t, false);
    initial = engine->solution().initial;
  }

  void make_engine() {
    engine =
        std::make_unique<RunEngine>(simulator.automaton(), simulator.structures_, simulator.options(), run);
    engine->stop_where(is_cancelled);
    is_over = false;
  }

  // Another engine goes on, from where the run says. The record goes on, and so does what is due at known times: it does not happen
  // again at t. Nor does an event that has fired and has not been on its side since.
  void begin_anew(Run from) {
    const GuardNumbers numbers(simulator.automaton());
    std::vector<Watched> spent;
    for (const Index e : engine->now().here->guards.spent_events())
      spent.push_back(engine->now().here->watch[e]);
    FieldWriter write(numbers);
    write("schedule", engine->now().agenda.schedule);
    const Statistics work = engine->now().tools.work();
    Solution so_far = std::move(engine->solution());
    engine.reset();
    run = std::move(from);
    make_engine();
    engine->solution() = std::move(so_far);
    FieldReader read(write.bytes(), numbers);
    read("schedule", engine->now().agenda.schedule);
    engine->now().tools.add_work(work);
    LocationTools& here = *engine->now().here;
    for (Index e = 0; e < here.watch.size(); ++e) {
      const auto is_this = [&](const Watched& one) { return is_same(one, here.watch[e]); };
      if (std::any_of(spent.begin(), spent.end(), is_this)) here.guards.spend(e);
    }
    is_state_known = false;
  }

  // The run from t on, in the mode that it has. At its end it is expected to take as long again, and to come to `until`.
  Run rest(double until) {
    double end = run.end;
    if (!(t < end)) {
      end = std::max(until, t + span);
      span += end - t;
    }
    return {.start = t,
            .end = end,
            .state = state(),
            .location = engine->now().here->name,
            .mode = engine->now().word(),
            .pending = engine->now().agenda.schedule.pending(t),
            .fired = engine->fired_guards(t)};
  }

  const Vector& state() {
    if (!is_state_known) engine->evaluate(t, x);
    is_state_known = true;
    return x;
  }

  bool is_anything_set() const { return is_state_set || is_input_set || mode.has_value(); }

  // Everything that was set takes effect.
  void take_what_is_set(double until) {
    const Vector given = state();
    const bool goes_on = !is_over || goes_on_when_asked(outcome.status);
    const bool gives_state = is_state_set;
    const bool starts = gives_state || mode || !goes_on;
    const std::optional<Mode> in_mode = mode;
    is_state_known = false;
    forget_what_is_set();
    if (!is_over) engine->end_step(t);
    outcome = {Status::reached_end, t, ""};
    if (starts) {
      Run from = rest(until);
      from.location = location_of(given);
      from.state = given;
      from.mode = in_mode;
      begin_anew(std::move(from));
      // Guards that have crossed zero have done so in another state.
      if (gives_state)
        engine->now().agenda.schedule.drop(
            [](const PendingAction& action) { return action.by == BroughtBy::crossing; });
      return;
    }
    if (is_over) begin_anew(rest(until));
    is_over = !engine->take_state(given);
    is_state_known = false;
    if (is_over) come_to_outcome();
  }

  // The location in which the run goes on from this state. Between two locations it can only be on the guard that joins them.
  std::string location_of(const Vector& given) {
    RunState& now = engine->now();
    const std::string& name = now.here->name;
    if (!now.regime.in_pair() || simulator.automaton().system_at(name, t, given)) return name;
    const Place& place = now.regime.place;
    const RunTools::Pair& pair = now.tools.of_pair(place.first_edge, place.second_edge);
    const std::size_t side = pair.guard.value(t, given) < 0 ? pair.minus : pair.plus;
    return simulator.automaton().locations()[side].name;
  }

  // Throws where a run cannot start at t in this state and mode.
  void check_start(const Vector& given, const std::optional<Mode>& in_mode) {
    check_run(simulator.automaton(), simulator.options(),
              {.start = t,
               .end = std::max(run.end, t),
               .state = given,
               .location = location_of(given),
               .mode = in_mode});
  }

  void forget_what_is_set() {
    is_state_set = is_input_set = false;
    mode.reset();
  }

  // The run comes to t, or is over.
  bool follow(double until, bool to_event) {
    if (engine->follow_to(until, to_event)) {
      t = to_event && engine->solution().events.size() > events_seen ? engine->reached() : until;
      outcome = {Status::reached_end, t, ""};
      return true;
    }
    is_over = true;
    come_to_outcome();
    return false;
  }

  void come_to_outcome() {
    t = engine->reached();
    outcome = engine->outcome();
    if (outcome.status == Status::stopped_by_caller) is_cancelled = false;
  }

  Solution completed(Solution&& solution) const {
    solution.initial = initial;
    solution.outcome = outcome;
    solution.statistics.wall_seconds = seconds;
    return std::move(solution);
  }

  bool has_new_events() const { return engine->solution().events.size() > events_seen; }

  void advance(double until, bool to_event) {
    using Clock = std::chrono::steady_clock;
    const auto began = Clock::now();
    go_on(until, to_event);
    seconds += std::chrono::duration<double>(Clock::now() - began).count();
  }

  void go_on(double until, bool to_event) {
    if (is_anything_set()) {
      take_what_is_set(until);
      if (is_over && !(to_event && has_new_events())) return;
    }
    while (!(to_event && has_new_events())) {
      if (is_over && !resume(until)) return;
      is_state_known = false;
      if (follow(until, to_event)) return;
      if (outcome.status != Status::reached_end || !(t < until)) return;
    }
  }

  // A run that is over goes on where it may. False where it does not, and where it is at its end and asked for no more.
  bool resume(double until) {
    if (!goes_on_when_asked(outcome.status)) return false;
    if (outcome.status == Status::reached_end && !(until > t)) return false;
    if (outcome.status == Status::stopped_by_caller) {
      is_over = false;
      return true;
    }
    begin_anew(rest(until));
    return true;
  }

  // Goes on from what was saved, with this record or a new one.
  void go_to(const SavedRun::Content& from, std::optional<Solution>&& so_far) {
    engine.reset();
    run = from.run;
    span = from.span;
    forget_what_is_set();
    make_engine();
    if (so_far) engine->solution() = std::move(*so_far);
    const GuardNumbers numbers(simulator.automaton());
    FieldReader read(from.fields, numbers);
    EngineFields{*engine}.visit_fields(read);
    engine->go_on();
    engine->now().agenda.limits = from.limits;
    for (std::size_t k = 0; k < from.limits.size(); ++k) {
      for (const Index guard : from.guards_of_limits[k])
        engine->now().agenda.limits[k].guards.push_back(numbers.guard(guard));
    }
    t = from.place.t;
    is_over = from.is_over;
    outcome = from.outcome;
    is_state_known = false;
  }

  std::vector<std::string> locations() const {
    std::vector<std::string> names;
    for (const Location& location : simulator.automaton().locations()) names.push_back(location.name);
    return names;
  }

  void check_time(double until, const char* where) const {
    if (std::isfinite(until) && until >= t) return;
    refuse(
        {.what = std::isfinite(until) ? "a run does not go back" : "the time is no finite number",
         .where = where,
         .expected = "a time of at least t() = " + exact_text(t),
         .got = exact_text(until),
         .advice = std::isfinite(until) ? "go back by LiveRun::restore to what LiveRun::save has kept" : ""});
  }

  Simulator simulator;
  Run run;
  double span;  // of the times that the run was expected to take
  std::unique_ptr<RunEngine> engine;
  std::atomic<bool> is_cancelled = false;
  bool is_over = false;
  double t;
  Vector x;  // at t, where it is known
  bool is_state_known = false;
  Outcome outcome;
  std::size_t events_seen = 0;
  Snapshot initial;  // where the record begins
  double seconds = 0;
  std::vector<std::uint64_t> saved;  // rising ids of the saved runs whose record is the beginning of this one
  // ---- set since the last advance; the state is in x
  bool is_state_set = false;
  bool is_input_set = false;
  std::optional<Mode> mode;
};

LiveRun::LiveRun(const Simulator& simulator, const Run& run)
    : content_(std::make_unique<Content>(simulator, run)) {}
LiveRun::LiveRun(LiveRun&&) noexcept = default;
LiveRun& LiveRun::operator=(LiveRun&&) noexcept = default;
LiveRun::~LiveRun() = default;

LiveRun Simulator::begin(const Run& run) const { return {*this, run}; }

const Outcome& LiveRun::advance_to(double t) {
  content().check_time(t, "LiveRun::advance_to");
  content().advance(t, false);
  content().events_seen = events().size();
  return content().outcome;
}

const EventRecord* LiveRun::next_event(double t_end) {
  content().check_time(t_end, "LiveRun::next_event");
  const std::size_t seen = content().events_seen;
  if (!content().has_new_events()) content().advance(t_end, true);
  content().events_seen = events().size();
  return events().size() > seen ? &events()[seen] : nullptr;
}

void LiveRun::cancel() noexcept {
  if (content_) content_->is_cancelled = true;
}

double LiveRun::t() const { return content().t; }
const Vector& LiveRun::state() const { return content().state(); }
Mode LiveRun::mode() const { return content().engine->now().word(); }
std::string LiveRun::location() const { return content().engine->now().here->name; }
const Outcome& LiveRun::outcome() const { return content().outcome; }
const EventLog& LiveRun::events() const { return content().engine->solution().events; }

void LiveRun::set_state(const Vector& state) {
  content().check_start(state, content().mode);
  content().x = state;
  content().is_state_known = content().is_state_set = true;
}

void LiveRun::set_discrete(Index state, double value) {
  const System& system = content().simulator.system();
  const Index first = system.states() - system.discrete();
  if (state < first || state >= system.states()) {
    refuse({.what = "this is no discrete state",
            .where = "LiveRun::set_discrete",
            .expected = system.discrete() == 0 ? "a discrete state, of which the system has none"
                                               : "a number from " + std::to_string(first) + " to " +
                                                     std::to_string(system.states() - 1),
            .got = std::to_string(state),
            .advice = "set a state that moves by LiveRun::set_state"});
  }
  if (!std::isfinite(value)) {
    refuse({.what = "the value is not finite",
            .where = "LiveRun::set_discrete, state '" +
                     system.state_names()[static_cast<std::size_t>(state)] + "'",
            .expected = "a finite number",
            .got = number_text(value)});
  }
  content().state();
  content().x[state] = value;
  content().is_input_set = true;
}

void LiveRun::set_discrete(const std::string& state, double value) {
  const std::vector<std::string>& names = content().simulator.system().state_names();
  const auto found = std::find(names.begin(), names.end(), state);
  if (found == names.end()) {
    refuse({.what = "the system has no such state",
            .where = "LiveRun::set_discrete",
            .expected = "the name of a discrete state",
            .got = "'" + state + "'"});
  }
  set_discrete(static_cast<Index>(found - names.begin()), value);
}

void LiveRun::field_changed() {
  content().state();
  content().is_input_set = true;
}

void LiveRun::follow(const Mode& mode) {
  content().check_start(content().state(), mode);
  content().mode = mode;
}

SavedRun LiveRun::save() {
  Content& live = content();
  if (live.is_anything_set()) live.advance(live.t, false);
  if (!live.is_over) live.engine->end_step(live.t);
  auto content = std::make_shared<SavedRun::Content>();
  const GuardNumbers numbers(live.simulator.automaton());
  FieldWriter write(numbers);
  EngineFields{*live.engine}.visit_fields(write);
  content->run = live.run;
  content->span = live.span;
  content->fields = write.bytes();
  content->limits = live.engine->now().agenda.limits;
  for (AccumulationLimit& limit : content->limits) {
    content->guards_of_limits.emplace_back();
    for (const Guard& guard : limit.guards) content->guards_of_limits.back().push_back(numbers.number(guard));
    limit.guards.clear();
  }
  content->place = {live.t, mode(), state(), location()};
  content->outcome = live.outcome;
  content->is_over = live.is_over;
  static std::atomic<std::uint64_t> last_id = 0;
  content->id = ++last_id;
  const Solution& so_far = live.engine->solution();
  content->events = so_far.events.size();
  content->segments = so_far.trajectory.segments().size();
  content->steps = so_far.trajectory.steps();
  content->state_names = live.simulator.system().state_names();
  content->locations = live.locations();
  content->method = live.simulator.options().method;
  const SavedRun saved(std::move(content));
  // A new engine knows no more than what is saved.
  live.go_to(*saved.content_, std::move(live.engine->solution()));
  live.saved.push_back(saved.content_->id);
  return saved;
}

void LiveRun::restore(const SavedRun& saved) {
  Content& live = content();
  const SavedRun::Content& from = *saved.content_;
  if (from.state_names != live.simulator.system().state_names() || from.locations != live.locations() ||
      from.method != live.simulator.options().method) {
    refuse({.what = "the saved run is of another problem",
            .where = "LiveRun::restore",
            .expected = "a run of the same states and locations, by the same method"});
  }
  const auto known = std::lower_bound(live.saved.begin(), live.saved.end(), from.id);
  if (known == live.saved.end() || *known != from.id) {
    live.saved.clear();
    live.go_to(from, std::nullopt);
    live.initial = from.place;
  } else {
    live.saved.erase(known + 1, live.saved.end());
    Solution so_far = std::move(live.engine->solution());
    so_far.events.resize(from.events);
    so_far.trajectory.keep(from.segments, from.steps);
    live.go_to(from, std::move(so_far));
  }
  live.events_seen = events().size();
}

Solution LiveRun::solution() const {
  Content& live = content();
  return live.completed(live.engine->so_far(live.t));
}

Solution LiveRun::take() {
  Solution solution = this->solution();
  Content& live = content();
  live.engine->forget_record(live.t);
  live.initial = solution.final;
  live.saved.clear();
  live.events_seen = 0;
  return solution;
}

Solution LiveRun::finish() {
  Content& live = content();
  live.advance(std::max(live.run.end, live.t), false);
  if (!live.is_over) {
    live.is_over = !live.engine->follow_to(std::numeric_limits<double>::infinity(), false);
    live.come_to_outcome();
  }
  Solution solution = live.completed(live.engine->ended());
  content_.reset();
  return solution;
}

LiveRun::Content& LiveRun::content() const {
  if (!content_) {
    refuse({.what = "this run has been moved from, or is finished",
            .where = "LiveRun",
            .expected = "one that can go on",
            .advice = "make another LiveRun"});
  }
  return *content_;
}

}  // namespace slideway
