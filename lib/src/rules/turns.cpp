// ModeManager where crossings accumulate (limit_rules.hpp): they are noted, and the solution is taken to the limit of those that nobody
// sees.

#include <algorithm>
#include <cmath>
#include <exception>

#include "core/constants.hpp"
#include "core/number_text.hpp"
#include "rules/limit_checks.hpp"
#include "rules/messages.hpp"
#include "rules/mode_manager.hpp"
#include "rules/second_order_sliding.hpp"
#include "simulate/reasons.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

void ModeManager::forget_turns() {
  history_.turns.clear();
  history_.crossings.clear();
  now_.restart.take_fine_steps(false);
}

void ModeManager::forget_crossings() {
  forget_turns();
  history_.flights.forget_all();
}

bool ModeManager::after_crossing(const EventRecord& event) {
  now_.restart.take_fine_steps(false);
  const bool has_contacts = !event.surfaces.empty() && event.surfaces.back() >= now_.regime.mode().size();
  if (!takes_part_in_turns(event.kind) || has_contacts) {
    forget_crossings();
    return true;
  }
  note_crossings(event);
  return carry_out(limit_rules_.after_crossing(event));
}

void ModeManager::note_crossings(const EventRecord& event) {
  for (std::size_t k = 0; k < event.surfaces.size(); ++k) {
    const Index i = event.surfaces[k];
    if (now_.regime.mode().slides_on(i)) {
      history_.flights.forget(i);
    } else {
      history_.flights.note(now_.t, i, std::abs(event.w_plus[k]) + std::abs(event.w_minus[k]));
    }
  }
  if (crosses_one(event)) {
    note_crossing(history_.crossings, now_.t, event.surfaces.front(), now_.x);
  } else {
    history_.crossings.clear();
  }
  if (now_.regime.mode().size() > 1)
    note_turn(history_.turns, now_.t, event, now_.regime.mode(), now_.x, location_accuracy(now_.t, 0));
}

// The log's record of a limit of crossings that is not reached yet.
EventRecord ModeManager::note_limit(const std::vector<Index>& surfaces) const {
  EventRecord record = now_.begun(EventKind::zeno);
  for (const Index i : surfaces) now_.list(i, record);
  return record;
}

void ModeManager::report_limit(EventRecord&& record, bool stays) {
  now_.end(record);
  if (stays) record.reason += reason::stay_zero(record.surfaces.size() != 1, order_of_sliding(*now_.here));
  log_.report(std::move(record));
}

bool ModeManager::carry_out(LimitOfFlights&& limit) {
  EventRecord record = note_limit(limit.surfaces);
  record.reason = reason::kFlightsUnseen;
  stay(std::move(limit.stay));
  report_limit(std::move(record), true);
  return true;
}

bool ModeManager::carry_out(LimitOfCrossings&& found) {
  const Index surface = found.surface;
  const Accumulation& accumulation = found.accumulation;
  EventRecord record = note_limit({surface});
  record.reason = reason::accumulate("crossings", accumulation.ratio);
  Vector state = accumulation.state;
  const double limit = now_.t + accumulation.remaining;
  now_.here->geometry.project(limit, {surface}, now_.weights, state);
  skip_to(limit, state);
  now_.here->stepper->error_weights(now_.x, now_.weights);
  const bool stays = stay(second_order_rules_.begins({surface}, {surface}));
  report_limit(std::move(record), stays);
  if (stays) return true;
  log_.finish(
      Status::zeno,
      "crossings of " + now_.names({&surface, 1}) + " accumulate at t = " + number_text(now_.t) +
          " (within " + number_text(accumulation.error) +
          "): " + reason::each_turn_takes(accumulation.ratio) +
          ". The solution comes to the surface with no speed across it and stays there, but that speed does "
          "not depend on the sign of the surface, so that it does not slide by a relay; go on with a run "
          "that starts here, of a model in which the surface and its speed are kept at zero");
  return false;
}

// finish_without_value() ends the run where a surface has no field at this limit, so that there is no
// continuation. It returns false where all surfaces have one.
bool ModeManager::finish_without_value(const std::vector<Index>& surfaces, const std::string& turns) {
  Vector field(now_.x.size());
  now_.here->evaluator.field(now_.t, now_.x, now_.regime.lambda(), field);
  Index j = 0;
  while (j < field.size() && std::isfinite(field[j])) ++j;
  if (j == field.size()) return false;
  log_.finish(Status::zeno, turns + ", to t = " + number_text(now_.t) + ", where " + now_.names(surfaces) +
                                " are zero and the derivative of '" +
                                now_.here->system.state_names()[static_cast<std::size_t>(j)] +
                                "' has no value: what follows the model does not say; go on with a run that "
                                "starts here, of a model in "
                                "which these stay zero, or add a small number to the divisor");
  return true;
}

// The mean of a relay over a turn is not its value in sliding, which would take these states elsewhere.
void ModeManager::begin_towards(const Accumulation& accumulation, Evaluator& turning) {
  LocationTools& here = *now_.here;
  Vector velocity(now_.x.size()), above(now_.x.size()), below(now_.x.size());
  Eigen::Array<bool, Eigen::Dynamic, 1> is_moved = Eigen::Array<bool, Eigen::Dynamic, 1>::Zero(now_.x.size());
  try {
    now_.asked().velocity(now_.t, now_.x, velocity);
    for (const Index i : accumulation.ids) {
      Vector lambda = now_.regime.lambda();
      lambda[i] = 1;
      turning.field(now_.t, now_.x, lambda, above);
      lambda[i] = -1;
      turning.field(now_.t, now_.x, lambda, below);
      is_moved = is_moved || above.array() != below.array();
    }
  } catch (const std::exception&) {
    return;  // the run says where the field has no value
  }
  for (Index j = 0; j < now_.x.size(); ++j)
    if (is_moved[j]) now_.x[j] = accumulation.state[j] - accumulation.remaining * velocity[j];
  if (!on_surface_.empty()) here.geometry.project(now_.t, on_surface_, now_.weights, now_.x);
}

bool ModeManager::carry_out(LimitOfTurns&& found) {
  const Accumulation& accumulation = found.accumulation;
  const bool only_crossings = are_only_crossings(history_.turns);
  history_.turns.clear();
  const std::string turns = reason::accumulate(only_crossings ? "crossings" : "events", accumulation.ratio);
  AccumulationLimit limit;
  limit.t = now_.t + accumulation.remaining;
  limit.members_as_shown = now_.word();
  limit.members = accumulation.ids;
  EventRecord unseen = note_limit(accumulation.ids);
  std::vector<Index> surfaces = accumulation.ids;
  Meeting meeting{.is_limit = true};
  for (const Index i : surfaces) meeting.met.push_back({.surface = i});
  for (Index i = 0; i < now_.regime.mode().size(); ++i) {
    if (now_.regime.mode().slides_on(i)) surfaces.push_back(i);
  }
  std::sort(surfaces.begin(), surfaces.end());
  surfaces.erase(std::unique(surfaces.begin(), surfaces.end()), surfaces.end());
  Evaluator& turning = now_.here->evaluator;
  // Everything else goes on until the limit, unless there is nothing else.
  const bool is_now = hardly_takes_time(now_, kInfinity, accumulation.remaining) ||
                      hardly_moves(now_, accumulation.remaining);
  const auto skip = [&] {
    Vector state = accumulation.state;
    now_.here->geometry.project(limit.t, surfaces, now_.weights, state);
    skip_to(std::min(limit.t, now_.run.end), state);
  };
  if (is_now) {
    skip();
  } else {
    now_.here->geometry.project(now_.t, surfaces, now_.weights, now_.x);
  }
  if (stay(second_order_rules_.begins(accumulation.ids, accumulation.ids))) {
    unseen.reason = turns;
    if (is_now) {
      report_limit(std::move(unseen), true);
      return true;
    }
    begin_towards(accumulation, turning);
    unseen.reason += reason::stay_zero(true, order_of_sliding(*now_.here));
    limit.record = std::move(unseen);
    limit.record.to = now_.word();
    now_.agenda.limits.push_back(std::move(limit));
    return true;
  }
  now_.here->evaluator.keep_field_at(now_.t, now_.x);
  Resolution resolution = now_.here->resolver.resolve(now_.t, now_.x, now_.regime.mode(),
                                                      now_.regime.lambda(), meeting, now_.weights);
  EventRecord& record = resolution.event;
  record.kind = EventKind::zeno;
  record.before = unseen.before;
  record.reason = turns + reason::limit_within(accumulation.error, limit.t) + "; " + record.reason;
  if (record.from) record.from = now_.as_shown(*record.from);
  if (resolution.decided) {
    adopt(resolution);
    record.to = now_.word();
    if (!is_now) {
      begin_towards(accumulation, turning);
      limit.record = std::move(record);
      now_.agenda.limits.push_back(std::move(limit));
      return true;
    }
  }
  if (!is_now) {
    skip();
    record.t = now_.t;
    record.after = now_.x;
  }
  if (!resolution.decided && !finish_without_value(accumulation.ids, turns))
    finish_undecided(now_, resolution, log_);
  log_.report(std::move(record));
  return resolution.decided;
}

}  // namespace slideway
