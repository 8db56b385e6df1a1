#include "lib/fmu/exported_model.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lib/fmu/past_zero.hpp"
#include "log/trajectory_projection.hpp"
#include "models/registry.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/detail/model/evaluator.hpp"
#include "slideway/filippov/classify.hpp"
#include "slideway/io/model_file.hpp"

namespace slideway::fmu {
namespace {

// The problem with each of its systems changed.
template <class Change>
Automaton changed(const Automaton& problem, const Change& change) {
  const auto of = [&](const System& system) {
    SystemDefinition definition = system.definition();
    change(definition);
    return System(std::move(definition));
  };
  if (!problem.has_locations()) return of(problem.system());
  std::vector<Location> locations;
  for (const Location& location : problem.locations())
    locations.push_back({location.name, of(location.system)});
  return Automaton(std::move(locations), problem.edges(), problem.locations()[problem.initial()].name);
}

// The field of a side rests where its speed across the surface is this part of the speed on the other side: rounding of terms that are a
// million times as large as the speeds.
constexpr double kRests = 1e-9;

// Twice the rates along a surface: directions across it shrink faster than those, and no step gets shorter.
constexpr double kMargin = 2;

// Events come ever faster where each interval is less than this part of the one before.
constexpr double kShrinking = 0.99;
// Intervals of this part of the tolerance are those of the end of a series.
constexpr double kEnough = 0.1;

double finite(double value) {
  if (std::isfinite(value)) return value;
  throw std::domain_error("an event indicator has no value here");
}

}  // namespace

ExportedModel::ExportedModel(Kind kind, const std::string& resources) : kind_(kind) {
  std::ifstream file(resources + "/slideway.json");
  if (!file) throw std::runtime_error("there is no resources/slideway.json in the FMU");
  const nlohmann::json about = nlohmann::json::parse(file);
  const std::string name = about.at("model");
  model_ = about.at("is_file") ? read_model_file(resources + "/" + name) : models::find_model(name);
  for (const auto& [setting, value] : about.at("settings").items())
    exported_settings_.emplace_back(setting, value);
  for (const auto& [key, names] :
       {std::pair("observe", &offered_.observed), std::pair("inputs", &offered_.inputs),
        std::pair("tunable", &offered_.tunable)})
    *names = about.at(key).get<std::vector<std::string>>();
  options_.rtol = about.at("rtol");
  const std::vector<double> atol = about.at("atol");
  if (atol.size() == 1) options_.atol = Tolerance(atol.front());
  if (atol.size() > 1) {
    // Inputs and tunable parameters have no errors.
    const auto states = static_cast<Index>(atol.size()), free = static_cast<Index>(offered_.free().size());
    Vector all = Vector::Ones(states + free);
    all.head(states) = Eigen::Map<const Vector>(atol.data(), states);
    options_.atol = Tolerance(all);
  }
  options_.method = method_from(about.at("method"));
  options_.on_ambiguity = ambiguity_from(about.at("on_ambiguity"));
  options_.sliding_rule = sliding_rule_from(about.at("sliding_rule"));
  options_.selection = selection_from(about.at("selection"));
  options_.recording = Recording::nothing;
  own_options_ = options_;
  if (kind_ == Kind::model_exchange) {
    // The engine of Model Exchange passes events alone, from a distance of rounding errors, which looser tolerances take for zero.
    options_.rtol = 1e-12;
    options_.atol = Options().atol;
  }
  reset();
}

void ExportedModel::reset() {
  live_.reset();
  place_ = {};
  instance_ = model_.instantiate(exported_settings_);
  layout_ = layout_of(model_, *instance_, offered_);
  place_.t = instance_->start;
  place_.x = instance_->state;
  states_ = place_.x.size();
}

double ExportedModel::span() const {
  return instance_->end > instance_->start ? instance_->end - instance_->start : 1;
}

void ExportedModel::set(std::uint32_t reference, double value) {
  const Variable& variable = layout_.variables.at(reference);
  const bool is_state = variable.role == Role::state || variable.role == Role::discrete_state;
  const bool is_free = variable.role == Role::input || variable.role == Role::tunable;
  if (!is_free && (place_.is_initialised || (!is_state && variable.role != Role::parameter)))
    refuse({.what = "this variable cannot be set now",
            .where = "'" + variable.name + "'",
            .expected =
                "a parameter, or a state, before the initialisation is over; an input; a tunable parameter"});
  if (is_free && place_.is_initialised) {
    const Index at = states_ + variable.index;
    if (place_.x[at] != value) place_.awaited.reset();
    if (live_ && place_.x[at] != value) live_->set_discrete(at, value);
    place_.x[at] = value;
    return;
  }
  place_.settings[variable.name] = value;
  if (is_state) place_.x[variable.index + (variable.role == Role::state ? 0 : layout_.continuous)] = value;
}

void ExportedModel::initialise() {
  Settings settings = exported_settings_;
  settings.insert(settings.end(), place_.settings.begin(), place_.settings.end());
  const double start = place_.t;
  instance_ = model_.instantiate(settings);
  if (instance_->state.size() != states_)
    refuse({.what = "a parameter decides the number of states, which an FMU cannot change",
            .where = "the parameters",
            .expected = fmt::format("values with {} states", states_),
            .got = fmt::format("{} states", instance_->state.size())});
  const Layout now = layout_of(model_, *instance_, offered_);
  const auto has_same_name = [](const Variable& a, const Variable& b) { return a.name == b.name; };
  if (!std::equal(now.variables.begin(), now.variables.end(), layout_.variables.begin(),
                  layout_.variables.end(), has_same_name))
    refuse({.what = "a parameter decides the surfaces, contacts or events, which an FMU cannot change",
            .where = "the parameters",
            .expected = fmt::format("values with {} event indicators", layout_.indicators),
            .got = fmt::format("{} event indicators", now.indicators)});
  Automaton problem = instance_->problem();
  Vector state = instance_->state;
  if (const std::vector<std::string> free = offered_.free(); !free.empty()) {
    const ExtendedProblem extended = model_.extend(settings, free);
    // Inputs and tunable parameters are discrete states.
    problem = changed(extended.problem, [&](SystemDefinition& definition) {
      definition.discrete = definition.states - layout_.continuous;
    });
    state.conservativeResize(states_ + extended.parameters.size());
    state.tail(extended.parameters.size()) = extended.parameters;
    observables_ = extended.observe(offered_.observed);
  } else {
    observables_ = instance_->observables(offered_.observed);
  }
  simulator_.emplace(problem, options_);
  untimed_.emplace(changed(problem, [](SystemDefinition& definition) { definition.time_events.clear(); }),
                   options_);
  ahead_.emplace(problem, own_options_);
  forces_.emplace(problem, options_.sliding_rule);
  const Vector atol = own_options_.atol.expand(state.size(), own_options_.rtol);
  projection_ = make_projection(problem, structures_of(problem), atol, own_options_);
  systems_.clear();
  stretch_ = {};
  evaluator_.reset();
  relays_of_ = {};
  jacobian_.reset();
  live_.emplace(simulator_->begin({.start = start, .end = start + span(), .state = state}));
  live_->advance_to(start);
  take_from(*live_);
  place_.is_initialised = true;
  if (kind_ == Kind::model_exchange) {
    live_.reset();
    find_sides();
  }
}

void ExportedModel::take_outcome(const Outcome& outcome) {
  if (outcome.status == Status::reached_end) return;
  if (outcome.status == Status::stopped_by_event)
    place_.has_ended = true;
  else
    throw std::runtime_error(
        fmt::format("{} at t = {:.10g}: {}", to_string(outcome.status), outcome.t, outcome.message));
}

void ExportedModel::take_from(const LiveRun& live) {
  place_.x = live.state();
  place_.mode = live.mode();
  place_.location = live.location();
  take_outcome(live.outcome());
  find_next_time();
}

void ExportedModel::find_next_time() {
  place_.next_time.reset();
  const double after = place_.t + time_rounding(place_.t);
  for (const TimeEvent& event : simulator_->system().time_events()) {
    std::int64_t k = event.first_from(place_.t);
    while (event.time(k) <= after) ++k;
    const double next = event.time(k);
    const bool is_over = event.is_periodic() && event.count > 0 && k >= event.count;
    if (!is_over && std::isfinite(next) && (!place_.next_time || next < *place_.next_time))
      place_.next_time = next;
  }
  if (place_.limit) place_.next_time = std::min(place_.next_time.value_or(place_.limit->t), place_.limit->t);
}

// The system and λ are the same from one event to the next, so they are found once.
const ExportedModel::Stretch& ExportedModel::stretch() {
  Stretch& now = stretch_;
  if (now.system != nullptr && now.mode == place_.mode && now.location == place_.location) return now;
  now.mode = place_.mode;
  now.location = place_.location;
  auto known = systems_.find(place_.location);
  if (known == systems_.end()) {
    const Automaton& problem = simulator_->automaton();
    std::optional<System> found;
    if (problem.has_locations()) found = problem.system_at(place_.location, place_.t, place_.x);
    const System& system = found ? *found : problem.system();
    known = systems_.emplace(place_.location, Place{system, SurfacePull(system)}).first;
  }
  now.system = &known->second.system;
  now.pull = &known->second.pull;
  const Index surfaces = now.system->surfaces();
  now.is_free = now.mode.size() >= surfaces && now.mode.codimension() == 0;
  if (now.is_free) {
    now.lambda.resize(surfaces);
    for (Index i = 0; i < surfaces; ++i) now.lambda[i] = now.mode[i] == Side::plus ? 1 : -1;
  }
  // The surface between two locations, along which a motion slides, is behind those of the mode.
  const Index own = simulator_->system().surfaces();
  now.sliding.clear();
  for (Index i = 0; i < surfaces; ++i)
    if (i >= own || now.mode.slides_on(i)) now.sliding.push_back(i);
  now.has_closed = !now.mode.sliding_from(own).empty();
  return now;
}

const System& ExportedModel::system_here() { return *stretch().system; }

const Vector& ExportedModel::relays() {
  if (stretch().is_free) return stretch().lambda;
  // Derivatives and indicators are asked for at the same place.
  const bool is_same = relays_of_.x.size() > 0 && relays_of_.t == place_.t && relays_of_.x == place_.x &&
                       relays_of_.mode == place_.mode && relays_of_.location == place_.location;
  if (is_same) return lambda_;
  relays_of_.x.resize(0);
  forces_->find(place_.t, place_.x, place_.mode, place_.location);
  const Index m = system_here().surfaces();
  lambda_.resize(m);
  const Index own = std::min(m, forces_->lambda().size());
  lambda_.head(own) = forces_->lambda().head(own);
  if (m > own) lambda_[m - 1] = forces_->lambda_between();
  relays_of_ = {place_.t, place_.x, place_.mode, place_.location};
  return lambda_;
}

Vector ExportedModel::derivatives() {
  Vector dx(layout_.continuous);
  derivatives(dx);
  return dx;
}

void ExportedModel::derivatives(VectorRef answer) {
  const Stretch& now = stretch();
  const System& system = *now.system;
  dx_.setZero(system.states());
  if (now.is_free) {
    system.field(place_.t, place_.x, now.lambda, dx_);
    answer = dx_.head(layout_.continuous);
    if (answer.allFinite()) return;
    // A root or a power may have no value on the far side of its surface, where an event leaves the state by a rounding error.
    forces_->find(place_.t, place_.x, place_.mode, place_.location);
  } else {
    relays();
  }
  forces_->velocity(place_.t, place_.x, dx_);
  answer = dx_.head(layout_.continuous);
  if (!now.is_free && place_.pull > 0)
    now.pull->add(
        point_of_pull(), [&](VectorRef x) { project(x); }, place_.pull, answer);
}

Vector ExportedModel::indicators() {
  Vector z(layout_.indicators);
  indicators(z);
  return z;
}

void ExportedModel::indicators(VectorRef z) {
  if (place_.limit) {
    z.setOnes();
    return;
  }
  raw_indicators(z);
  if (place_.shift.size() == z.size()) z += place_.shift;
}

bool ExportedModel::is_plain() const {
  const System& system = simulator_->system();
  return !simulator_->automaton().has_locations() && system.contacts().empty() &&
         !system.definition().break_away && options_.sliding_rule == SlidingRule::filippov;
}

ExportedModel::Speeds ExportedModel::speeds_across(Index surface, Vector lambda) {
  const System& system = simulator_->system();
  if (!evaluator_) evaluator_.emplace(system);
  Vector minus(system.states()), plus(system.states());
  evaluator_->neighbour_fields(place_.t, place_.x, lambda, surface, minus, plus);
  return {evaluator_->guard_rate(place_.t, place_.x, minus, surface),
          evaluator_->guard_rate(place_.t, place_.x, plus, surface)};
}

// A surface on which the field of one side rests has its relay at a bound for as long as it slides, where (1 − λ)·(1 + λ) is rounding.
void ExportedModel::find_resting() {
  place_.resting = -1;
  if (!is_plain() || place_.mode.codimension() != 1) return;
  for (Index i = 0; i < simulator_->system().surfaces(); ++i) {
    if (!place_.mode.slides_on(i)) continue;
    const Speeds speeds = speeds_across(i, relays());
    if (std::min(std::abs(speeds.below), std::abs(speeds.above)) <=
        kRests * std::max(std::abs(speeds.below), std::abs(speeds.above)))
      place_.resting = i;
  }
}

// Both fields push onto the surface, or rest on it.
double ExportedModel::room_at_rest(const Vector& lambda) {
  const Speeds speeds = speeds_across(place_.resting, lambda);
  const double least = 2 * kRests * std::max(std::abs(speeds.below), std::abs(speeds.above));
  return std::min(speeds.below, -speeds.above) + least;
}

void ExportedModel::find_sides() {
  place_.shift.resize(0);
  find_resting();
  check_relays();
  place_.pull = rate_of_pull();
  Vector z(layout_.indicators), z_ahead(layout_.indicators);
  raw_indicators(z);
  const Index m = simulator_->system().surfaces(), modes = place_.mode.size();
  const double ahead = time_past_zero(place_.t, span());
  const double t = place_.t;
  const Vector x = place_.x;
  place_.x.head(layout_.continuous) += ahead * derivatives();
  place_.t += ahead;
  raw_indicators(z_ahead);
  place_.t = t;
  place_.x = x;
  place_.shift = Vector::Zero(z.size());
  place_.is_positive.assign(static_cast<std::size_t>(z.size()), true);
  for (Index j = 0; j < z.size(); ++j) {
    bool is_positive = z_ahead[j] > 0;
    if (j < m && !place_.mode.slides_on(j))
      is_positive = place_.mode[j] == Side::plus;
    else if (j < modes)
      is_positive = true;
    place_.is_positive[static_cast<std::size_t>(j)] = is_positive;
    const double least = std::numeric_limits<double>::min();
    if ((z[j] > 0) != is_positive) place_.shift[j] = (is_positive ? 1 : -1) * (2 * std::abs(z[j]) + least);
  }
}

void ExportedModel::raw_indicators(VectorRef z) {
  const Stretch& now = stretch();
  const System& system = *now.system;
  const Automaton& problem = simulator_->automaton();
  const double t = place_.t;
  const Vector& x = place_.x;
  const Index m = problem.system().surfaces();
  const Vector& lambda = relays();
  guards_.setZero(system.surfaces());
  system.guards(t, x, guards_);
  Vector above, below;
  const auto room = [&](Index i) {
    const SystemDefinition& definition = system.definition();
    if (!definition.break_away) return (1 - lambda[i]) * (1 + lambda[i]);
    if (above.size() == 0) {
      above = Vector::Ones(system.surfaces());
      definition.break_away(t, x, above);
      below = above;
      if (definition.break_away_below) definition.break_away_below(t, x, below);
    }
    return (above[i] - lambda[i]) * (below[i] + lambda[i]);
  };
  Index j = 0;
  for (Index i = 0; i < m; ++i)
    z[j++] = i == place_.resting ? room_at_rest(lambda) : place_.mode.slides_on(i) ? room(i) : guards_[i];
  for (std::size_t k = 0; k < system.contacts().size(); ++k) {
    const auto contact = static_cast<Index>(k);
    z[j++] = place_.mode.slides_on(m + contact) ? forces_->forces()[contact]
                                                : system.contacts()[k].gap.value(t, x);
  }
  for (const Event& event : system.events()) z[j++] = event.when.value(t, x);
  // A location may have fewer events than the one with the most.
  const auto edges = static_cast<Index>(problem.edges().size());
  while (j < layout_.indicators - edges) z[j++] = 1;
  const auto joined = problem.has_locations() ? problem.joined_edges(place_.location, t, x) : std::nullopt;
  for (std::size_t k = 0; k < problem.edges().size(); ++k) {
    const Edge& edge = problem.edges()[k];
    if (joined)
      z[j++] = k == joined->rising ? room(system.surfaces() - 1) : 1;
    else
      z[j++] = edge.from == place_.location ? edge.when.value(t, x) : 1;
  }
  for (Index i = 0; i < j; ++i) finite(z[i]);
}

std::vector<bool> ExportedModel::positive_indicators() {
  std::vector<bool> positive;
  for (const double value : indicators()) positive.push_back(value > 0);
  return positive;
}

void ExportedModel::project(VectorRef x) {
  projection_(place_.t, {.mode = place_.mode, .location = place_.location}, x);
}

// Surfaces and contacts move the state in turns, each of which leaves the others by the square of its way.
void ExportedModel::put_on_constraints() {
  if (stretch().is_free) return;
  constexpr int most_turns = 10;
  for (int turn = 0; turn < most_turns; ++turn) {
    const Vector before = place_.x;
    project(place_.x);
    if (place_.x == before) return;
  }
}

void ExportedModel::check_relays() {
  const Stretch& now = stretch();
  if (now.sliding.size() < 2) return;
  relays();
  const Vector atol = own_options_.atol.expand(place_.x.size(), own_options_.rtol);
  if (!now.pull->has_dependent_guards(point_of_pull(), atol)) return;
  std::string names;
  for (const Index i : now.sliding)
    names += (names.empty() ? "'" : ", '") + now.system->surface_names()[static_cast<std::size_t>(i)] + "'";
  throw std::runtime_error(fmt::format(
      "the surfaces {} depend on each other, and the motion slides along all of them at t = {:.10g}: no "
      "event "
      "indicator tells when it leaves one, so that Model Exchange cannot follow this; use Co-Simulation",
      names, place_.t));
}

double ExportedModel::rate_for(const Matrix& jacobian) {
  // Where the field is constant states come back in this part of the run.
  constexpr double part_of_span = 1.0 / 30;
  return std::max(1 / (part_of_span * span()), kMargin * bound_of_rates(jacobian));
}

// By differences, since a rate of two digits will do.
double ExportedModel::rate_of_pull() {
  place_.pull = 0;
  if (stretch().is_free) return 0;
  const Index n = layout_.continuous;
  const Vector x = place_.x, here = derivatives();
  Matrix jacobian(n, n);
  for (Index j = 0; j < n; ++j) {
    const double step = std::sqrt(std::numeric_limits<double>::epsilon()) * (1 + std::abs(x[j]));
    place_.x[j] = x[j] + step;
    jacobian.col(j) = (derivatives() - here) / step;
    place_.x[j] = x[j];
  }
  return rate_for(jacobian);
}

std::optional<Run> ExportedModel::run_from_before(double by, const Vector& dx) {
  const ModelPlace here = place_;
  place_.t = here.t - by;
  place_.x.head(layout_.continuous) = here.x.head(layout_.continuous) - by * dx;
  std::optional<Run> run;
  if (positive_indicators() == here.is_positive) {
    put_on_constraints();
    run = Run{.start = place_.t,
              .end = here.t + span(),
              .state = place_.x,
              .location = here.location,
              .mode = here.mode};
  }
  place_ = here;
  return run;
}

bool ExportedModel::pass_event() {
  // A run of the library has passed its events by itself.
  if (kind_ == Kind::co_simulation) return false;
  const bool is_due = place_.next_time && place_.t + time_rounding(place_.t) >= *place_.next_time;
  if (!is_due && (place_.limit || positive_indicators() == place_.is_positive)) return false;
  ++place_.events;
  if (place_.limit && place_.t + time_rounding(place_.t) >= place_.limit->t) {
    take_limit();
    return true;
  }
  place_.limit.reset();
  const bool changes = pass_indicators(is_due);
  look_ahead();
  return changes;
}

void ExportedModel::take_limit() {
  // Inputs and tunable parameters may have been set since.
  place_.x.head(states_) = place_.limit->x.head(states_);
  place_.mode = place_.limit->mode;
  place_.location = place_.limit->location;
  place_.limit.reset();
  place_.times.clear();
  find_next_time();
  find_sides();
}

void ExportedModel::look_ahead() {
  constexpr std::size_t most_times = 5;
  std::vector<double>& times = place_.times;
  times.push_back(place_.t);
  if (times.size() > most_times) times.erase(times.begin());
  bool shrinks = times.size() == most_times && !place_.has_ended;
  for (std::size_t k = 2; k < times.size(); ++k)
    shrinks = shrinks && times[k] - times[k - 1] < kShrinking * (times[k - 1] - times[k - 2]);
  if (!shrinks) {
    place_.awaited.reset();
    return;
  }
  const double interval = times.back() - times[times.size() - 2];
  // The events of who integrates outside come to their limit a little earlier or later than those of the run beside.
  const double near = own_options_.rtol * span();
  if (place_.awaited && place_.awaited->t < place_.t - near) place_.awaited.reset();
  if (!place_.awaited) place_.awaited = limit_from_here(interval);
  if (!place_.awaited) {
    times.clear();
    return;
  }
  // The rest of the series changes nothing within the tolerance.
  if (place_.awaited->t - place_.t > near && interval > kEnough * near) return;
  place_.limit = std::move(place_.awaited);
  place_.awaited.reset();
  place_.limit->t = std::max(place_.limit->t, place_.t + time_past_zero(place_.t, span()));
  find_next_time();
}

std::optional<Limit> ExportedModel::limit_from_here(double interval) {
  constexpr int most_events = 1000;
  LiveRun run = ahead_->begin(
      {.start = place_.t, .end = place_.t + span(), .state = place_.x, .location = place_.location});
  const double end = place_.t + interval / (1 - kShrinking);
  double last = place_.t;
  for (int k = 0; k < most_events; ++k) {
    const EventRecord* const next = run.next_event(end);
    if (next == nullptr || !run.outcome().succeeded()) return std::nullopt;
    if (next->kind == EventKind::zeno && run.t() > place_.t)
      return Limit{run.t(), run.state(), run.mode(), run.location()};
    if (run.t() - last > interval) return std::nullopt;
    interval = run.t() > last ? run.t() - last : interval;
    last = run.t();
  }
  return std::nullopt;
}

// The speeds across one surface, on both sides, tell what follows where that surface alone is met or left. The engine decides all else.
bool ExportedModel::pass_clearly() {
  if (!is_plain() || !simulator_->system().events().empty()) return false;
  const std::vector<bool> positive = positive_indicators();
  Index surface = -1, changes = 0;
  for (std::size_t j = 0; j < positive.size(); ++j) {
    if (positive[j] == place_.is_positive[j]) continue;
    surface = static_cast<Index>(j);
    ++changes;
  }
  if (changes != 1 || place_.mode.codimension() != (place_.mode.slides_on(surface) ? 1 : 0)) return false;
  const Vector lambda = relays();
  const double relay = lambda[surface];
  const auto [below, above] = speeds_across(surface, lambda);
  // A speed is clearly one where it is no small part of both.
  constexpr double small_part = 1e-4;
  const double least = small_part * (std::abs(below) + std::abs(above));
  const bool is_above_clear = std::abs(above) > least, is_below_clear = std::abs(below) > least;
  if (place_.mode.slides_on(surface)) {
    if (relay > 1 && below > least)
      place_.mode.set(surface, Side::plus);
    else if (relay < -1 && above < -least)
      place_.mode.set(surface, Side::minus);
    else
      return false;
  } else {
    if (!is_above_clear || !is_below_clear) return false;
    const PointKind kind = classify({.w = below}, {.w = above}).kind;
    if (kind == PointKind::repelling) return false;
    const Side next = kind == PointKind::crossing_up     ? Side::plus
                      : kind == PointKind::crossing_down ? Side::minus
                                                         : Side::sliding;
    if (next == place_.mode[surface]) return false;
    place_.mode.set(surface, next);
    if (next == Side::sliding) put_on_constraints();
  }
  find_sides();
  return true;
}

// The engine passes the event from a hair's breadth before it to as much behind it: where a zero is met by rounding errors alone, a run from
// there would not see it.
bool ExportedModel::pass_indicators(bool is_due) {
  if (!is_due && pass_clearly()) return true;
  const Vector dx = derivatives();
  const double least = time_past_zero(place_.t, span());
  const double most = 1e-2 * span();
  const Simulator& simulator = is_due ? *simulator_ : *untimed_;
  for (double by = least; by < most; by *= 4) {
    const std::optional<Run> run = run_from_before(by, dx);
    if (!run) continue;
    LiveRun live = simulator.begin(*run);
    if (live.next_event(place_.t + by) == nullptr && live.outcome().succeeded()) continue;
    if (live.t() < place_.t && live.outcome().reached_end()) live.advance_to(place_.t);
    take_from(live);
    find_sides();
    return true;
  }
  // Nothing shows where the event was: the mode is found anew.
  LiveRun live = simulator.begin(
      {.start = place_.t, .end = place_.t + span(), .state = place_.x, .location = place_.location});
  live.advance_to(place_.t);
  take_from(live);
  find_sides();
  return true;
}

bool ExportedModel::advance(double end, bool stops_at_events) {
  bool is_stopped = false;
  const std::size_t before = live_->events().size();
  if (stops_at_events)
    is_stopped = live_->next_event(end) != nullptr;
  else
    live_->advance_to(end);
  place_.events += static_cast<std::int64_t>(live_->events().size() - before);
  place_.t = live_->t();
  take_from(*live_);
  return is_stopped;
}

double ExportedModel::get(std::uint32_t reference, Answers& answers) {
  const auto entry = [&](std::optional<Vector>& answer, const auto& find) {
    if (!place_.is_initialised) return 0.0;
    if (!answer) answer = find();
    return (*answer)[layout_.variables[reference].index];
  };
  const Variable& variable = layout_.variables.at(reference);
  switch (variable.role) {
    case Role::time: return place_.t;
    case Role::state: return place_.x[variable.index];
    case Role::discrete_state: return place_.x[layout_.continuous + variable.index];
    case Role::input:
    case Role::tunable:
      if (place_.is_initialised) return place_.x[states_ + variable.index];
      [[fallthrough]];
    case Role::parameter: {
      const auto set = place_.settings.find(variable.name);
      if (set != place_.settings.end()) return set->second;
      for (const auto& [name, value] : instance_->parameters)
        if (name == variable.name) return value;
      return 0;
    }
    case Role::derivative: return entry(answers.derivatives, [&] { return derivatives(); });
    case Role::indicator: return entry(answers.indicators, [&] { return indicators(); });
    case Role::observed:
      return entry(answers.observed, [&] {
        relays();
        Vector values(static_cast<Index>(offered_.observed.size()));
        observables_->evaluate(place_.t, place_.x, forces_->lambda(), forces_->forces(), values);
        return values;
      });
    case Role::mode:
      if (!place_.is_initialised || variable.index >= place_.mode.size()) return 0;
      if (variable.index >= instance_->system.surfaces())
        return place_.mode.slides_on(variable.index) ? 1 : 0;
      return place_.mode.slides_on(variable.index) ? 0 : place_.mode[variable.index] == Side::plus ? 1 : -1;
    case Role::events: return static_cast<double>(place_.events);
    case Role::location: {
      if (!place_.is_initialised) return 0;
      const auto& all = simulator_->automaton().locations();
      for (std::size_t k = 0; k < all.size(); ++k)
        if (all[k].name == place_.location) return static_cast<double>(k);
      return -1;
    }
  }
  return 0;
}

Vector ExportedModel::directional(const std::uint32_t* unknowns, std::size_t unknown_count,
                                  const std::uint32_t* knowns, std::size_t known_count, const double* seed) {
  if (!place_.is_initialised)
    throw std::runtime_error("there are no derivatives before the initialisation is over");
  Vector direction = Vector::Zero(place_.x.size());
  for (std::size_t k = 0; k < known_count; ++k) {
    const Variable& known = layout_.variables.at(knowns[k]);
    const bool is_free = known.role == Role::input || known.role == Role::tunable;
    if (!is_free && known.role != Role::state)
      refuse({.what = "there is no derivative by this variable",
              .where = "'" + known.name + "'",
              .expected = "a state, an input or a tunable parameter"});
    direction[known.index + (is_free ? states_ : 0)] += seed[k];
  }
  const double length = direction.lpNorm<Eigen::Infinity>();
  Vector result = Vector::Zero(static_cast<Index>(unknown_count));
  if (length == 0) return result;
  std::optional<Vector> rates;
  const auto moved_to = [&](double by) {
    const ModelPlace here = place_;
    place_.x += by * direction;
    Answers answers;
    Vector values(result.size());
    for (std::size_t k = 0; k < unknown_count; ++k) values[static_cast<Index>(k)] = get(unknowns[k], answers);
    place_ = here;
    return values;
  };
  std::optional<Vector> differences;
  for (std::size_t k = 0; k < unknown_count; ++k) {
    const Variable& unknown = layout_.variables.at(unknowns[k]);
    const auto at = static_cast<Index>(k);
    if (unknown.role == Role::derivative) {
      if (!rates) {
        if (!jacobian_) jacobian_.emplace(simulator_->automaton(), options_, span());
        const Matrix& jacobian = jacobian_->find(place_.t, place_.x, place_.mode, place_.location, relays());
        rates = jacobian * direction;
        const Index n = layout_.continuous;
        if (!stretch().is_free) {
          derivatives();
          // Rates that have outgrown the pull since the last event would hide directions along the surface.
          const double rate = rate_for(jacobian.topLeftCorner(n, n));
          stretch().pull->add_along(
              point_of_pull(), [&](VectorRef x) { project(x); },
              rate > kMargin * place_.pull ? rate : place_.pull, direction, *rates);
        }
      }
      result[at] = (*rates)[unknown.index];
    } else if (unknown.role == Role::observed || unknown.role == Role::indicator) {
      const double step = std::cbrt(std::numeric_limits<double>::epsilon()) *
                          (1 + place_.x.lpNorm<Eigen::Infinity>()) / length;
      if (!differences) differences = (moved_to(step) - moved_to(-step)) / (2 * step);
      result[at] = (*differences)[at];
    } else if (unknown.role == Role::state) {
      result[at] = direction[unknown.index];
    }
  }
  return result;
}

ModelPlace ExportedModel::save() {
  ModelPlace copy = place_;
  if (live_) copy.run = live_->save();
  return copy;
}

void ExportedModel::restore(const ModelPlace& place) {
  place_ = place;
  if (place.run && live_) live_->restore(*place.run);
}

}  // namespace slideway::fmu
