// RunEngine where resets and edges fire ever faster, and where contacts come to rest. A limit is jumped to when what is left of
// the time and of the motion is below the tolerances. Crossings that accumulate are in run_turns.cpp.

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/constants.hpp"
#include "core/number_text.hpp"
#include "simulate/run_engine.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

namespace {}  // namespace

// Whether flights are so short that they can hardly be told from none, or what is left of them all.
bool RunEngine::hardly_takes_time(double interval, double remaining) const {
  return interval <= 10 * location_accuracy(t_, 0) || remaining <= 200 * location_accuracy(t_, 0);
}

// Whether the contacts of the last impact open so little until the next one that rounding decides which it will be.
bool RunEngine::gaps_hardly_open() {
  mode_.fill_lambda(lambda_);
  return std::any_of(jumps_.touching.begin(), jumps_.touching.end(), [&](Index c) {
    const double opens = here_->contacts->rate(t_, x_, lambda_, c) * pace_.interval();
    return opens > 0 && opens <= 1000 * here_->contacts->rounding(t_, x_, c);
  });
}

// … or the guards of what fired last leave zero so little.
bool RunEngine::guards_hardly_leave() {
  EventWatch& watch = here_->watch;
  here_->evaluator.field(t_, x_, lambda_, state_);
  for (Index e = 0; e < watch.size(); ++e) {
    if (!jumps_.has_fired_on(watch[e].when)) continue;
    const double leaves = std::abs(watch.rate(t_, x_, state_, e)) * pace_.interval();
    if (leaves > 0 && leaves <= 1000 * drawing_noise(e)) return true;
  }
  return false;
}

bool RunEngine::is_invisible(const Vector& change, const Vector& sizes) const {
  return (change.cwiseAbs().array() <= options_.rtol * sizes.array() + atol_.array()).all();
}

void RunEngine::skip_to(double t, const Vector& x) {
  if (options_.recording == Recording::dense && t > t_) {
    Matrix line(x.size(), 2);
    line << x_, x - x_;
    solution_.trajectory.begin_segment(t_, word(), here_->name);
    solution_.trajectory.add_step(t_, t, t_, t - t_, line);
  }
  t_ = t;
  x_ = x;
}

std::vector<EventAhead> RunEngine::events_ahead() {
  std::vector<EventAhead> ahead;
  EventWatch& watch = here_->watch;
  for (Index e = 0; e < watch.size(); ++e) {
    const double value = watch.value(t_, x_, e);
    if (value > zero_level(e)) ahead.push_back({e, watch.side(e), t_, value});
  }
  return ahead;
}

void RunEngine::note_reached(const std::vector<EventAhead>& ahead) {
  instant_.reached.clear();
  for (const EventAhead& event : ahead) {
    if (event.side * here_->watch[event.event].when.value(t_, x_) <= zero_level(event.event))
      instant_.reached.push_back(event);
  }
}

bool RunEngine::after_jump() {
  jump_watch_.note(t_, jumps_, x_);
  const std::optional<Accumulation> accumulation = jump_watch_.limit();
  if (!accumulation || t_ + accumulation->remaining >= run_.end) return true;
  const bool cannot_go_on = hardly_takes_time(pace_.interval(), accumulation->remaining) ||
                            gaps_hardly_open() || guards_hardly_leave();
  const bool short_enough = accumulation->remaining <= options_.rtol * (t_ - jump_watch_.began());
  const bool invisible = short_enough && is_invisible(accumulation->state - x_, jump_watch_.scale());
  return invisible || cannot_go_on ? jump_to_limit(*accumulation) : true;
}

bool RunEngine::jump_to_limit(const Accumulation& accumulation) {
  const std::string resting_location = jumps_.resting_location;
  const std::vector<Index> contacts = jump_watch_.contacts_of(accumulation);
  jump_watch_.clear();
  EventRecord record;
  record.kind = EventKind::zeno;
  record.from = word();
  record.before = x_;
  record.reason = "events accumulate: each turn takes " + number_text(accumulation.ratio) +
                  " of the time of the one before; the limit is within " + number_text(accumulation.error) +
                  " of t = " + number_text(t_ + accumulation.remaining);
  if (automaton_.has_locations()) record.from_location = here_->name;
  const std::vector<EventAhead> ahead = events_ahead();
  skip_to(t_ + accumulation.remaining, accumulation.state);
  here_->stepper->error_weights(x_, weights_);
  record.t = t_;
  std::vector<EventRecord>& records = instant_.open_records(false);
  begin_instant(true);
  bool goes_on = true;
  if (!contacts.empty()) {
    mode_.fill_lambda(lambda_);
    put_on_sliding();
    here_->contacts->project(t_, contacts, lambda_, weights_, x_);
    // What was closed before took part, but it is not what comes to rest.
    const std::vector<Index>& closed = here_->contacts->closed();
    for (const Index c : contacts) {
      if (!contains(closed, c)) list(mode_.size() + c, record);
    }
    if (!record.surface_names.empty()) record.name = record.surface_names.front();
    leaving_.contacts = contacts;
    note_reached(ahead);
  } else if (!resting_location.empty()) {
    put_on_sliding();
    enter(automaton_.location_index(resting_location));
  } else {
    goes_on = false;
  }
  record.after = x_;
  if (automaton_.has_locations()) record.to_location = here_->name;
  record.to = word();
  records.push_back(std::move(record));
  if (!goes_on) {
    publish();
    finish(Status::zeno,
           "resets accumulate at t = " + number_text(t_) + " (within " + number_text(accumulation.error) +
               "): each turn takes " + number_text(accumulation.ratio) +
               " of the time of the one before, and nothing says what follows; let the edge name a " +
               "location with `zeno`, or describe the body by a contact");
    return false;
  }
  goes_on = settle(false, records);
  publish();
  return goes_on;
}

bool RunEngine::after_impact(const std::vector<Index>& hit, bool& came_to_rest) {
  ContactDynamics& contacts = *here_->contacts;
  bounces_.see(x_);
  // The log of a large system does not hold it; the state after the impact then says how large states are.
  const Vector& before = solution_.events.back().before;
  if (before.size() == x_.size()) bounces_.see(before);
  for (const Index c : hit) bounces_.note(t_, c);
  mode_.fill_lambda(lambda_);
  const auto hardly_rises = [&](Index c, double speed, double pressing) {
    return speed * speed / (2 * pressing) <= 100 * contacts.rounding(t_, x_, c);
  };
  for (const Index c : hit) {
    const double speed = contacts.rate(t_, x_, lambda_, c);
    if (!(speed > 0)) continue;
    const double interval = bounces_.interval(c);
    const double pressing = -contacts.acceleration(t_, x_, lambda_, c);
    const bool stops_unseen = is_invisible(contacts.stopping_impulse(t_, x_, lambda_, c), bounces_.scale());
    const bool is_tiny =
        hardly_rises(c, speed, std::abs(pressing)) || interval <= 10 * location_accuracy(t_, 0);
    if (!stops_unseen && !is_tiny) continue;

    // All that nobody sees closing, together; then alone.
    std::vector<Index> others;
    for (Index i = 0; i < contacts.contacts(); ++i) {
      if (i == c || contains(contacts.closed(), i)) continue;
      if (contacts.gap(t_, x_, i) > contacts.tolerance(t_, x_, i, weights_)) continue;
      if (is_tiny || is_invisible(contacts.stopping_impulse(t_, x_, lambda_, i), bounces_.scale()))
        others.push_back(i);
    }
    for (const bool together : {true, false}) {
      if (together && others.empty()) continue;
      std::optional<Rest> rest = rest_of(c, together ? others : std::vector<Index>());
      if (!rest || t_ + rest->most >= run_.end) continue;
      const double undisturbed = time_to_disturbance(*rest);
      const bool in_no_time = hardly_takes_time(kInfinity, rest->most) && rest->most < undisturbed;
      const bool short_enough =
          rest->most <= options_.rtol * (t_ - bounces_.began(c)) && rest->most < undisturbed;
      const bool unseen = (short_enough || in_no_time) && is_invisible(rest->state - x_, bounces_.scale());
      // Flights between several contacts that each closed alone would throw off the others for ever.
      const bool cannot_go_on =
          together ? is_tiny && in_no_time : is_tiny || hardly_takes_time(interval, rest->remaining);
      if (!unseen && !cannot_go_on) continue;
      rest->remaining = std::min(rest->remaining, undisturbed);
      came_to_rest = true;
      return come_to_rest(*rest);
    }
  }
  return true;
}

std::optional<RunEngine::Rest> RunEngine::rest_of(Index hit, const std::vector<Index>& others) {
  ContactDynamics& contacts = *here_->contacts;
  std::vector<Index> closed = contacts.closed();
  closed.push_back(hit);
  closed.insert(closed.end(), others.begin(), others.end());
  std::sort(closed.begin(), closed.end());
  Rest rest;
  rest.state = x_;
  if (!contacts.project(t_, closed, lambda_, weights_, rest.state)) return std::nullopt;
  const ContactDynamics::Pressed pressed = contacts.pressed_with(hit, t_, rest.state, lambda_, closed);
  for (std::size_t k = 0; k < pressed.contacts.size(); ++k) {
    const Index c = pressed.contacts[k];
    if (contains(contacts.closed(), c)) continue;
    // The flight to the next impact, then flights of 2ue/a, 2ue²/a, … with u the speed there.
    const double acceleration = pressed.accelerations[k];
    const double rate = contacts.rate(t_, x_, lambda_, c);
    const double gap = c == hit ? 0.0 : std::max(0.0, contacts.gap(t_, x_, c));
    const double speed = std::sqrt(rate * rate + 2 * acceleration * gap);
    const double restitution = contacts.contact(c).restitution(speed);
    if (!(restitution < 1)) return std::nullopt;
    const double time = (rate + speed + 2 * speed * restitution / (1 - restitution)) / acceleration;
    rest.contacts.push_back(c);
    rest.remaining = std::max(rest.remaining, time);
    rest.most += time;
  }
  if (!contains(rest.contacts, hit)) return std::nullopt;
  if (rest.contacts.size() <= others.size()) {
    closed = contacts.closed();
    closed.insert(closed.end(), rest.contacts.begin(), rest.contacts.end());
    std::sort(closed.begin(), closed.end());
    rest.state = x_;
    if (!contacts.project(t_, closed, lambda_, weights_, rest.state)) return std::nullopt;
  }
  return rest;
}

double RunEngine::time_to_disturbance(const Rest& rest) {
  ContactDynamics& contacts = *here_->contacts;
  double time = std::numeric_limits<double>::infinity();
  for (Index c = 0; c < contacts.contacts(); ++c) {
    if (contains(rest.contacts, c) || contains(contacts.closed(), c)) continue;
    const double gap = contacts.gap(t_, x_, c);
    const double rate = contacts.rate(t_, x_, lambda_, c);
    if (rate < 0) time = std::min(time, std::max(0.0, gap / -rate));
  }
  return time;
}

// What was skipped did not end sliding elsewhere.
void RunEngine::put_on_sliding() {
  mode_.list_sliding(on_surface_);
  if (!on_surface_.empty()) here_->geometry.project(t_, on_surface_, weights_, x_);
}

bool RunEngine::come_to_rest(const Rest& rest) {
  ContactDynamics& contacts = *here_->contacts;
  EventRecord record;
  record.kind = EventKind::zeno;
  record.name = contacts.contact(rest.contacts.front()).name;
  record.from = word();
  record.before = x_;
  for (const Index c : rest.contacts) list(mode_.size() + c, record);
  record.reason = "impacts accumulate: what is left, " + number_text(rest.remaining) +
                  " of time, is below the tolerances";
  // Over what is left the other states go on as if the contacts were closed.
  std::vector<Index> closed = contacts.closed();
  closed.insert(closed.end(), rest.contacts.begin(), rest.contacts.end());
  std::sort(closed.begin(), closed.end());
  const std::vector<Index> closed_before = contacts.closed();
  contacts.set_closed(closed);
  here_->evaluator.field(t_, rest.state, lambda_, state_);
  contacts.set_closed(closed_before);
  const Vector limit = rest.state + rest.remaining * state_;
  const std::vector<EventAhead> ahead = events_ahead();
  skip_to(t_ + rest.remaining, limit);
  here_->stepper->error_weights(x_, weights_);
  put_on_sliding();
  contacts.project(t_, closed, lambda_, weights_, x_);
  record.t = t_;
  record.after = x_;
  leaving_.contacts = closed;
  std::vector<EventRecord>& records = instant_.open_records(false);
  records.push_back(std::move(record));
  begin_instant(true);
  note_reached(ahead);
  for (const Index c : rest.contacts) bounces_.rest(t_, c);
  bounces_.see_nothing_but(x_);
  jump_watch_.clear();
  const bool goes_on = settle(false, records);
  if (records.size() == 1) records.back().to = word();
  publish();
  return goes_on;
}

}  // namespace slideway
