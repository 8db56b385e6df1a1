// RunEngine where the state jumps: impacts, resets and edges, and what is said of them in the log.

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/named_call.hpp"
#include "core/number_text.hpp"
#include "simulate/run_engine.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

namespace {

// What fires is known by a number: an edge by its own, events and contacts from these on.
constexpr Index kEventMembers = 1'000'000;
constexpr Index kContactMembers = 2'000'000;

}  // namespace

void RunEngine::begin_instant(bool is_new) {
  instant_.begin(x_, is_new, here_->contacts || here_->watch.size() > 0);
  // What the scan has seen was of the state before.
  if (is_new) here_->watch.disarm();
  if (here_->contacts) here_->contacts->begin_instant();
}

bool RunEngine::jump(const Arrivals& arrivals) {
  pace_.jump(t_);
  jumps_.begin();
  forget_crossings();
  std::vector<EventRecord>& records = instant_.open_records(false);
  look_at_waiting();
  for (const auto* const events : {&arrivals.records, &arrivals.jumps}) {
    for (const Index e : *events) instant_.waiting[static_cast<std::size_t>(e)] = Waiting::no;
  }
  begin_round();
  instant_.fired = arrivals.records;
  leaving_.contacts.clear();
  bool goes_on = true;
  std::vector<Index> hits = arrivals.hits;
  if (!hits.empty()) {
    put_on_gaps(hits);
    const std::vector<Index>& closed = here_->contacts->closed();
    mode_.fill_lambda(lambda_);
    // Moved onto the gaps that are hit the state may move against those that are closed, which do not approach.
    here_->contacts->project(t_, closed, lambda_, weights_, x_);
    hits.insert(hits.end(), closed.begin(), closed.end());
    for (const Index c : touching_contacts()) {
      // A gap that opens is as good as open, however small it is.
      const bool opens = here_->contacts->rate(t_, x_, lambda_, c) >
                         here_->contacts->rate_rounding(t_, x_, lambda_, c, weights_);
      if (!opens && !contains(hits, c)) hits.push_back(c);
    }
    std::sort(hits.begin(), hits.end());
    goes_on = apply_impact(hits, false, records);
  }
  std::vector<Crossed> crossed;
  for (const Index e : arrivals.jumps) crossed.push_back({e, Cause::zero});
  if (goes_on) goes_on = fire_round(crossed, false, records);
  if (goes_on) goes_on = settle(false, records);
  if (!limits_.empty()) drop_disturbed_limits();
  publish();
  return goes_on && goes_on_after();
}

bool RunEngine::apply_impact(const std::vector<Index>& touching, bool at_start,
                             std::vector<EventRecord>& records) {
  ContactDynamics& contacts = *here_->contacts;
  EventRecord record;
  record.t = t_;
  record.kind = EventKind::impact;
  if (!at_start || !records.empty()) record.from = word();
  record.before = x_;
  mode_.fill_lambda(lambda_);
  std::vector<double> noise;
  for (const Index c : touching) noise.push_back(contacts.rate_rounding(t_, x_, lambda_, c, weights_));
  const ContactDynamics::Impact impact = contacts.impact(t_, lambda_, touching, true, x_);
  if (!x_.allFinite()) {
    finish(Status::user_function_failed,
           "an impact leads to a state that is not finite at t = " + number_text(t_));
    return false;
  }
  bool bounces = false;
  bool any_approaches = false;
  for (std::size_t k = 0; k < touching.size(); ++k) {
    if (!(impact.approach[k] > noise[k])) continue;
    any_approaches = true;
    list(mode_.size() + touching[k], record);
    bounces = bounces || impact.departure[k] > 0;
    record.reason += (record.reason.empty() ? "" : "; ") + std::string("approach at ") +
                     number_text(impact.approach[k]) + ", restitution " + number_text(impact.restitution[k]);
  }
  if (!any_approaches) {
    for (const Index c : touching) list(mode_.size() + c, record);
    record.reason = "touches without speed";
  }
  record.name = contacts.contact(record.surfaces.front() - mode_.size()).name;
  if (!bounces) record.kind = EventKind::contact;
  if (bounces) {
    for (const Index i : record.surfaces) jumps_.bounced.push_back(i - mode_.size());
  }
  record.after = x_;
  // Until the mode is found they count as open.
  contacts.set_closed({});
  leaving_.contacts = touching;
  for (const Index i : record.surfaces) note_member(kContactMembers + i);
  jumps_.touching.insert(jumps_.touching.end(), touching.begin(), touching.end());
  record.to = word();
  record.round = instant_.round;
  records.push_back(std::move(record));
  instant_.moved = true;
  return true;
}

void RunEngine::note_member(Index what) {
  jumps_.note(what);
  if (!instant_.members.insert(what).second) instant_.fired_again = true;
}

bool RunEngine::fire(Index event, bool at_start, std::vector<EventRecord>& records, Cause cause) {
  here_->watch.set_fired(event);
  // A limit that was jumped to leads to the mode found there.
  if (!records.empty() && !records.back().to) records.back().to = word();
  const Watched watched = here_->watch[event];
  EventRecord record;
  record.t = t_;
  record.name = optional_name(watched.name);
  if (!at_start || !records.empty()) record.from = word();
  record.round = instant_.round;
  // A large system has many such records at one instant, and the log keeps no states of them.
  const bool keeps_states = options_.full_events || x_.size() <= kMostStatesInEvents;
  if (keeps_states) record.before = x_;
  // One that a jump has carried past zero is not zero within errors.
  if (cause != Cause::jump) jumps_.note_zero(watched.when, here_->watch.noise(event));
  bool stays = false;
  if (watched.reset) {
    Vector after = x_;
    named_call([&] { return "reset" + (watched.name.empty() ? std::string() : " '" + watched.name + "'"); },
               [&] { watched.reset(t_, x_, after); });
    if (!after.allFinite()) {
      Index j = 0;
      while (std::isfinite(after[j])) ++j;
      finish(Status::user_function_failed,
             "reset" + (watched.name.empty() ? std::string() : " '" + watched.name + "'") + " sets state '" +
                 here_->system.state_names()[static_cast<std::size_t>(j)] +
                 "' to a value that is not finite (" + number_text(after[j]) + ") at t = " + number_text(t_));
      return false;
    }
    stays = after == x_ && watched.kind == WatchedKind::reset;
    instant_.moved = instant_.moved || after != x_;
    instant_.was_reset = true;
    x_ = after;
    here_->stepper->error_weights(x_, weights_);
  }
  if (keeps_states) record.after = x_;
  record.kind = EventKind::reset;
  record.reason = cause == Cause::beyond ? "the guard is beyond zero already"
                  : cause == Cause::jump ? "a jump carries the guard past zero"
                                         : "the guard crosses zero";
  if (stays) record.reason += "; the reset leaves the state as it is";
  note_member(watched.kind == WatchedKind::edge ? static_cast<Index>(watched.edge) : kEventMembers + event);
  if (watched.kind == WatchedKind::edge) {
    const Edge& edge = automaton_.edges()[watched.edge];
    record.from_location = here_->name;
    if (!edge.zeno.empty()) jumps_.resting_location = edge.zeno;
    if (edge.to != here_->name) record.kind = EventKind::transition;
    if (instant_.last_edge && undo_each_other(automaton_.edges()[*instant_.last_edge], edge))
      return slide_between(*instant_.last_edge, watched.edge, records);
    const bool same = edge.to == edge.from && !in_pair();
    const std::size_t to = automaton_.location_index(edge.to);
    if (!same && !states_held().empty()) {
      finish(Status::zeno, "a transition leaves '" + here_->name + "' at t = " + number_text(t_) + " while " +
                               limits_.front().record.reason +
                               ", in which more of its events are than can be told apart");
      return false;
    }
    if (!same) {
      const EventWatch& before = here_->watch;
      enter(to);
      carry_fired(before);
    }
    if (same) {
      instant_.fired.push_back(event);
      wait_again(event);
    }
    instant_.last_edge = watched.edge;
    record.to_location = here_->name;
  } else {
    instant_.fired.push_back(event);
    wait_again(event);
  }
  // Every guard is looked at again.
  here_->watch.disarm();
  record.to = word();
  records.push_back(std::move(record));
  return true;
}

// An event that two locations share fires once, whichever location it leaves the state in; a jump from one to the other may carry it
// past zero.
void RunEngine::carry_fired(const EventWatch& before) {
  EventWatch& watch = here_->watch;
  const std::vector<Index> fired = std::exchange(instant_.fired, {});
  const std::vector<Waiting> waiting = std::exchange(instant_.waiting, {});
  look_at_waiting();
  watch.for_same(before, [&](Index theirs, Index mine) {
    if (watch[mine].kind == WatchedKind::edge) return;
    if (contains(fired, theirs)) instant_.fired.push_back(mine);
    watch.set_side(mine, before.side(theirs));
    if (!waiting.empty())
      instant_.waiting[static_cast<std::size_t>(mine)] = waiting[static_cast<std::size_t>(theirs)];
  });
}

// Hands the records of one instant to the log, those that are not yet there.
void RunEngine::publish() {
  while (instant_.published < instant_.records.size()) {
    EventRecord record = instant_.records[instant_.published];
    if (instant_.at_start && instant_.published == 0) record.from.reset();
    ++instant_.published;
    report(std::move(record));
  }
}

// Where something has been thrown: the state is what they have made of it.
void RunEngine::publish_what_happened() {
  while (instant_.published < instant_.records.size()) {
    try {
      publish();
    } catch (...) {
      // Of an observer: the record is in the log.
    }
  }
}

bool RunEngine::goes_on_after() {
  if (too_many_events()) return false;
  bool jumped = false;
  for (const EventRecord& record : instant_.records) {
    jumped = jumped || record.kind == EventKind::reset || record.kind == EventKind::transition;
  }
  // What follows may be another instant.
  const EventRecord last = std::move(instant_.records.back());
  bool came_to_rest = false;
  if (!jumps_.bounced.empty() && !jumped && !after_impact(jumps_.bounced, came_to_rest)) return false;
  if (came_to_rest) return true;
  if (!after_jump()) return false;
  // Bounces that shrink steadily come to their end.
  return jump_watch_.limit() || !chatters(&last, last.surfaces);
}

}  // namespace slideway
