#include "lib/fmu/exported_model.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <stdexcept>

#include <fmt/format.h>
#include <Eigen/QR>
#include <nlohmann/json.hpp>

#include "models/registry.hpp"
#include "slideway/core/errors.hpp"
#include "slideway/detail/model/corner_blend.hpp"
#include "slideway/io/model_file.hpp"

namespace slideway::fmu {
namespace {

Automaton without_times(const Automaton& problem) {
  const auto untimed = [](const System& system) {
    SystemDefinition definition = system.definition();
    definition.time_events.clear();
    return System(std::move(definition));
  };
  if (!problem.has_locations()) return untimed(problem.system());
  std::vector<Location> locations;
  for (const Location& location : problem.locations())
    locations.push_back({location.name, untimed(location.system)});
  return Automaton(std::move(locations), problem.edges(), problem.locations()[problem.initial()].name);
}

// The time for which a motion is followed to be past a zero: many rounding errors of t, so that no rounding of a guard hides it.
double time_past_rounding(double t) {
  constexpr double steps = 1e5;
  return steps * std::numeric_limits<double>::epsilon() * std::max(1.0, std::abs(t));
}

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
  observed_ = about.at("observe").get<std::vector<std::string>>();
  options_.rtol = about.at("rtol");
  const std::vector<double> atol = about.at("atol");
  if (atol.size() == 1) options_.atol = Tolerance(atol.front());
  if (atol.size() > 1)
    options_.atol = Tolerance(Eigen::Map<const Vector>(atol.data(), static_cast<Index>(atol.size())));
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
  layout_ = layout_of(model_, *instance_, observed_);
  place_.t = instance_->start;
  place_.x = instance_->state;
}

void ExportedModel::set(std::uint32_t reference, double value) {
  const Variable& variable = layout_.variables.at(reference);
  const bool is_state = variable.role == Role::state || variable.role == Role::discrete_state;
  if (place_.is_initialised || (!is_state && variable.role != Role::parameter))
    refuse({.what = "this variable cannot be set now",
            .where = "'" + variable.name + "'",
            .expected = "a parameter, or a state, before the initialisation is over"});
  place_.settings[variable.name] = value;
  if (is_state) place_.x[variable.index + (variable.role == Role::state ? 0 : layout_.continuous)] = value;
}

void ExportedModel::initialise() {
  Settings settings = exported_settings_;
  settings.insert(settings.end(), place_.settings.begin(), place_.settings.end());
  const double start = place_.t;
  instance_ = model_.instantiate(settings);
  const Automaton problem = instance_->problem();
  simulator_.emplace(problem, options_);
  untimed_.emplace(without_times(problem), options_);
  ahead_.emplace(problem, own_options_);
  forces_.emplace(problem, options_.sliding_rule);
  observables_ = instance_->observables(observed_);
  systems_.clear();
  relays_of_ = {};
  const double span = std::max(instance_->end - instance_->start, 1e-9 * std::max(1.0, std::abs(start)));
  live_.emplace(simulator_->begin({.start = start, .end = start + span, .state = instance_->state}));
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
  for (const TimeEvent& event : instance_->problem().system().time_events()) {
    std::int64_t k = event.first_from(place_.t);
    while (event.time(k) <= after) ++k;
    const double next = event.time(k);
    const bool is_over = event.is_periodic() && event.count > 0 && k >= event.count;
    if (!is_over && std::isfinite(next) && (!place_.next_time || next < *place_.next_time))
      place_.next_time = next;
  }
  if (place_.limit) place_.next_time = std::min(place_.next_time.value_or(place_.limit->t), place_.limit->t);
}

const System& ExportedModel::system_here() {
  const auto known = systems_.find(place_.location);
  if (known != systems_.end()) return known->second;
  const Automaton& problem = simulator_->automaton();
  std::optional<System> system;
  if (problem.has_locations()) system = problem.system_at(place_.location, place_.t, place_.x);
  return systems_.emplace(place_.location, system ? *system : problem.system()).first->second;
}

const Vector& ExportedModel::relays() {
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
  const System& system = system_here();
  const Vector& lambda = relays();
  Vector dx = Vector::Zero(system.states()), unit = dx, along = dx;
  // The mean of the fields on both sides, as in a run: a field need not be linear in λ off its surfaces.
  blend_corners<double>(lambda, dx, "the derivatives", [&](ConstVectorRef signs, VectorRef corner) {
    system.field(place_.t, place_.x, signs, corner);
  });
  for (std::size_t k = 0; k < system.contacts().size(); ++k) {
    const double force = forces_->forces()[static_cast<Index>(k)];
    if (force == 0) continue;
    along.setZero();
    system.contacts()[k].add_unit_force(place_.t, place_.x, lambda, unit, along);
    dx += force * along;
  }
  return dx.head(layout_.continuous);
}

Vector ExportedModel::indicators() {
  if (place_.limit) return Vector::Ones(layout_.indicators);
  Vector z = raw_indicators();
  if (place_.shift.size() == z.size()) z += place_.shift;
  return z;
}

void ExportedModel::find_sides() {
  place_.shift.resize(0);
  const Vector z = raw_indicators();
  const Index m = simulator_->system().surfaces(), modes = place_.mode.size();
  const double ahead = time_past_rounding(place_.t);
  const Place here = place_;
  place_.x.head(layout_.continuous) += ahead * derivatives();
  place_.t += ahead;
  const Vector z_ahead = raw_indicators();
  place_ = here;
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

Vector ExportedModel::raw_indicators() {
  const System& system = system_here();
  const Automaton& problem = simulator_->automaton();
  const double t = place_.t;
  const Vector& x = place_.x;
  const Index m = problem.system().surfaces();
  const Vector& lambda = relays();
  Vector h = Vector::Zero(system.surfaces()), above = Vector::Ones(system.surfaces()), below = above;
  system.guards(t, x, h);
  const SystemDefinition& definition = system.definition();
  if (definition.break_away) {
    definition.break_away(t, x, above);
    below = above;
    if (definition.break_away_below) definition.break_away_below(t, x, below);
  }
  std::vector<double> z;
  const auto room = [&](Index i) { return (above[i] - lambda[i]) * (below[i] + lambda[i]); };
  for (Index i = 0; i < m; ++i) z.push_back(place_.mode.slides_on(i) ? room(i) : h[i]);
  for (std::size_t k = 0; k < system.contacts().size(); ++k) {
    const auto contact = static_cast<Index>(k);
    z.push_back(place_.mode.slides_on(m + contact) ? forces_->forces()[contact]
                                                   : system.contacts()[k].gap.value(t, x));
  }
  for (const Event& event : system.events()) z.push_back(event.when.value(t, x));
  const auto joined = problem.has_locations() ? problem.joined_edges(place_.location, t, x) : std::nullopt;
  for (std::size_t k = 0; k < problem.edges().size(); ++k) {
    const Edge& edge = problem.edges()[k];
    if (joined)
      z.push_back(k == joined->rising ? room(system.surfaces() - 1) : 1);
    else
      z.push_back(edge.from == place_.location ? edge.when.value(t, x) : 1);
  }
  // A location may have fewer events than the one with the most.
  z.resize(static_cast<std::size_t>(layout_.indicators), 1);
  for (const double value : z) finite(value);
  return Eigen::Map<const Vector>(z.data(), static_cast<Index>(z.size()));
}

std::vector<bool> ExportedModel::positive_indicators() {
  std::vector<bool> positive;
  for (const double value : indicators()) positive.push_back(value > 0);
  return positive;
}

Vector ExportedModel::on_sliding_surfaces(double t, const Vector& x) {
  const System& system = system_here();
  std::vector<Index> rows;
  for (Index i = 0; i < system.surfaces(); ++i)
    if (i >= place_.mode.size() || place_.mode.slides_on(i)) rows.push_back(i);
  if (rows.empty()) return x;
  Vector at = x, plus(system.surfaces()), minus(system.surfaces());
  constexpr int steps = 2;
  for (int k = 0; k < steps; ++k) {
    Matrix slopes(static_cast<Index>(rows.size()), layout_.continuous);
    for (Index i = 0; i < layout_.continuous; ++i) {
      const double step = 1e-6 * std::max(1.0, std::abs(at[i]));
      Vector moved = at;
      moved[i] = at[i] + step;
      system.guards(t, moved, plus);
      moved[i] = at[i] - step;
      system.guards(t, moved, minus);
      for (std::size_t r = 0; r < rows.size(); ++r)
        slopes(static_cast<Index>(r), i) = (plus[rows[r]] - minus[rows[r]]) / (2 * step);
    }
    system.guards(t, at, plus);
    Vector value(static_cast<Index>(rows.size()));
    for (std::size_t r = 0; r < rows.size(); ++r) value[static_cast<Index>(r)] = plus[rows[r]];
    at.head(layout_.continuous) -= slopes.completeOrthogonalDecomposition().solve(value);
  }
  return at;
}

std::optional<Run> ExportedModel::run_from_before(double by, const Vector& dx) {
  const Place here = place_;
  place_.t = here.t - by;
  place_.x.head(layout_.continuous) = here.x.head(layout_.continuous) - by * dx;
  std::optional<Run> run;
  if (positive_indicators() == here.is_positive)
    run = Run{.start = place_.t,
              .end = here.t + std::max(1.0, instance_->end - instance_->start),
              .state = on_sliding_surfaces(place_.t, place_.x),
              .location = here.location,
              .mode = here.mode};
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
  place_.x = place_.limit->x;
  place_.mode = place_.limit->mode;
  place_.location = place_.limit->location;
  place_.limit.reset();
  place_.times.clear();
  find_next_time();
  find_sides();
}

void ExportedModel::look_ahead() {
  constexpr std::size_t most_times = 5;
  constexpr double shrinking = 0.99;
  std::vector<double>& times = place_.times;
  times.push_back(place_.t);
  if (times.size() > most_times) times.erase(times.begin());
  bool shrinks = times.size() == most_times;
  for (std::size_t k = 2; k < times.size(); ++k)
    shrinks = shrinks && times[k] - times[k - 1] < shrinking * (times[k - 1] - times[k - 2]);
  if (!shrinks || place_.has_ended) {
    place_.ahead.reset();
    return;
  }
  const double interval = times.back() - times[times.size() - 2];
  LiveRun run = ahead_->begin({.start = place_.t,
                               .end = place_.t + std::max(1.0, instance_->end - instance_->start),
                               .state = place_.x,
                               .location = place_.location});
  if (place_.ahead) run.restore(*place_.ahead);
  // Where the run beside is not at this event it has lost its way, and begins anew with the next one.
  if (place_.ahead && std::abs(run.t() - place_.t) > interval) {
    place_.ahead.reset();
    return;
  }
  const EventRecord* const next = run.next_event(place_.t + 2 * interval);
  if (next == nullptr || !run.outcome().succeeded()) {
    place_.ahead.reset();
    return;
  }
  if (next->kind == EventKind::zeno && run.t() > place_.t) {
    place_.limit = Limit{run.t(), run.state(), run.mode(), run.location()};
    place_.ahead.reset();
    find_next_time();
    return;
  }
  place_.ahead = run.save();
}

// The engine passes the event from a hair's breadth before it to as much behind it: where a zero is met by rounding errors alone, a run from
// there would not see it.
bool ExportedModel::pass_indicators(bool is_due) {
  const Vector dx = derivatives();
  const double least = time_past_rounding(place_.t);
  const double most = 1e-2 * std::max(instance_->end - instance_->start, least);
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
  LiveRun live = simulator.begin({.start = place_.t,
                                  .end = place_.t + std::max(1.0, instance_->end - instance_->start),
                                  .state = place_.x,
                                  .location = place_.location});
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

double ExportedModel::get(std::uint32_t reference) {
  const Variable& variable = layout_.variables.at(reference);
  const auto at = static_cast<std::size_t>(variable.index);
  switch (variable.role) {
    case Role::time: return place_.t;
    case Role::state: return place_.x[variable.index];
    case Role::discrete_state: return place_.x[layout_.continuous + variable.index];
    case Role::parameter: {
      const auto set = place_.settings.find(variable.name);
      return set != place_.settings.end() ? set->second : instance_->parameters.at(at).second;
    }
    case Role::derivative: return place_.is_initialised ? derivatives()[variable.index] : 0;
    case Role::indicator: return place_.is_initialised ? indicators()[variable.index] : 0;
    case Role::observed: {
      if (!place_.is_initialised) return 0;
      relays();
      Vector values(static_cast<Index>(observed_.size()));
      observables_->evaluate(place_.t, place_.x, forces_->lambda(), forces_->forces(), values);
      return values[variable.index];
    }
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

Place ExportedModel::save() {
  Place copy = place_;
  if (live_) copy.run = live_->save();
  return copy;
}

void ExportedModel::restore(const Place& place) {
  place_ = place;
  if (place.run && live_) live_->restore(*place.run);
}

}  // namespace slideway::fmu
