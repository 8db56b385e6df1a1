// RunEngine between the last event of a series that accumulates and the limit of the series.
//
// What takes part is put where it comes to at once: contacts are closed, surfaces are slid along, states that resets change are held
// at their limits. The others are integrated up to the limit with it, as over any other stretch, events included: over a turn, forces
// and relays do on average what they do at the limit. The log shows the limit at its time.

#include <algorithm>
#include <cmath>

#include "core/number_text.hpp"
#include "simulate/run_engine.hpp"
#include "simulate/run_shared.hpp"
#include "slideway/core/state_errors.hpp"

namespace slideway {

// The word as the log shows it.
Mode RunEngine::word() const {
  Mode shown = as_shown(mode_);
  for (const Limit& limit : limits_) {
    for (const Index i : limit.members) {
      if (i < shown.size() && shown.slides_on(i)) shown.set(i, limit.members_as_shown[i]);
    }
  }
  return shown;
}

bool RunEngine::is_part_of_limit(Index event) const {
  return std::any_of(limits_.begin(), limits_.end(), [&](const Limit& limit) {
    return std::find(limit.guards.begin(), limit.guards.end(), here_->watch[event].when) !=
           limit.guards.end();
  });
}

std::vector<Index> RunEngine::states_held() const {
  std::vector<Index> states;
  for (const Limit& limit : limits_) states.insert(states.end(), limit.states.begin(), limit.states.end());
  std::sort(states.begin(), states.end());
  states.erase(std::unique(states.begin(), states.end()), states.end());
  return states;
}

double RunEngine::next_end() const {
  double end = run_.end;
  for (const Limit& limit : limits_) {
    if (limit.is_held()) end = std::min(end, limit.t);
  }
  return end;
}

void RunEngine::show_limit(Limit limit, double t, const Vector& x) {
  limit.record.t = t;
  limit.record.after = x;
  report(std::move(limit.record));
}

double RunEngine::pass_limits(double from, bool arrived) {
  const double reach = arrived ? location_accuracy(t_, stepper_->last_step_size()) : 0;
  while (!limits_.empty()) {
    const auto first =
        std::min_element(limits_.begin(), limits_.end(), [](const Limit& one, const Limit& other) {
          return one.is_held() != other.is_held() ? other.is_held() : one.t < other.t;
        });
    if (first->is_held() || first->t > t_ + reach) break;
    const double t = std::clamp(first->t, from, t_);
    Vector x = x_;
    if (t < t_) {
      stepper_->evaluate(t, x);
      here_->stepper->error_weights(x, weights_);
      here_->ode.project(t, weights_, x);
      here_->stepper->error_weights(x_, weights_);
    }
    if (t > from) append_step(from, t);
    Limit limit = std::move(*first);
    limits_.erase(first);
    show_limit(std::move(limit), t, x);
    if (options_.recording == Recording::dense && t < t_)
      solution_.trajectory.begin_segment(t, word(), here_->name);
    from = t;
  }
  return from;
}

void RunEngine::show_limits_that_end(const Arrivals& arrivals) {
  const auto ends = [&](Index member) {
    if (member >= mode_.size()) return contains(arrivals.releases, member - mode_.size());
    return std::any_of(arrivals.meeting.met.begin(), arrivals.meeting.met.end(),
                       [&](const Met& met) { return met.surface == member; });
  };
  for (std::size_t k = 0; k < limits_.size();) {
    if (!std::any_of(limits_[k].members.begin(), limits_[k].members.end(), ends)) {
      ++k;
      continue;
    }
    Limit limit = std::move(limits_[k]);
    limits_.erase(limits_.begin() + static_cast<std::ptrdiff_t>(k));
    show_limit(std::move(limit), t_, x_);
  }
}

void RunEngine::drop_disturbed_limits() {
  const Mode now = as_shown(mode_);
  std::erase_if(limits_, [&](const Limit& limit) {
    return std::any_of(limit.members.begin(), limit.members.end(),
                       [&](Index i) { return i >= now.size() || !now.slides_on(i); });
  });
}

bool RunEngine::close_until(Limit&& limit, const std::vector<Index>& contacts) {
  ContactDynamics& dynamics = *here_->contacts;
  // What was closed before took part, but it is not what comes to rest.
  std::vector<Index> closed = dynamics.closed();
  for (const Index c : contacts) {
    if (contains(closed, c)) continue;
    list(mode_.size() + c, limit.record);
    limit.members.push_back(mode_.size() + c);
  }
  if (!limit.record.surface_names.empty()) limit.record.name = limit.record.surface_names.front();
  closed.insert(closed.end(), contacts.begin(), contacts.end());
  std::sort(closed.begin(), closed.end());
  closed.erase(std::unique(closed.begin(), closed.end()), closed.end());
  mode_.fill_lambda(lambda_);
  put_on_sliding();
  dynamics.project(t_, closed, lambda_, weights_, x_);
  here_->stepper->error_weights(x_, weights_);
  leaving_.contacts = closed;
  std::vector<EventRecord>& records = instant_.open_records(false);
  begin_instant(true);
  limits_.push_back(std::move(limit));
  const bool goes_on = settle(false, records);
  Limit& kept = limits_.back();
  kept.record.to = as_shown(mode_);
  if (!goes_on) {
    kept.record.t = t_;
    kept.record.after = x_;
    records.insert(records.begin(), std::move(kept.record));
    limits_.pop_back();
  }
  publish();
  return goes_on;
}

// What was skipped did not end sliding elsewhere.
void RunEngine::put_on_sliding() {
  mode_.list_sliding(on_surface_);
  if (!on_surface_.empty()) here_->geometry.project(t_, on_surface_, weights_, x_);
}

bool RunEngine::end_held_limit() {
  const auto first =
      std::min_element(limits_.begin(), limits_.end(), [](const Limit& one, const Limit& other) {
        return one.is_held() != other.is_held() ? one.is_held() : one.t < other.t;
      });
  Limit limit = std::move(*first);
  limits_.erase(first);
  here_->ode.hold(states_held());
  here_->stepper->error_weights(x_, weights_);
  EventRecord& record = limit.record;
  record.t = t_;
  std::vector<EventRecord>& records = instant_.open_records(false);
  begin_instant(true);
  const bool goes_on = !limit.resting_location.empty();
  put_on_sliding();
  if (goes_on) enter(automaton_.location_index(limit.resting_location));
  record.after = x_;
  if (automaton_.has_locations()) record.to_location = here_->name;
  record.to = word();
  records.push_back(std::move(record));
  if (!goes_on) {
    publish();
    finish(Status::zeno, "resets accumulate at t = " + number_text(t_) + " (within " + limit.within +
                             "): " + limit.turns +
                             ", and nothing says what follows; let the edge name a location with `zeno`, or "
                             "describe the body by a contact");
    return false;
  }
  const bool settles = settle(false, records);
  publish();
  return settles;
}

}  // namespace slideway
