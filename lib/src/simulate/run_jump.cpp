// RunEngine where the state jumps: impacts, resets and edges, and what is said of them in the log.

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/named_call.hpp"
#include "core/number_text.hpp"
#include "simulate/run_engine.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

void RunEngine::begin_instant() {
  rounds_ = 0;
  before_instant_ = x_;
  fired_.clear();
  recorded_.clear();
  departed_ = Guard();
  was_reset_ = false;
  last_edge_.reset();
  if (here_->contacts) here_->contacts->begin_instant();
}

void RunEngine::note_in_instant(Index what) { instant_id_ = (instant_id_ * 1009 + what + 1) % 1'000'000'007; }

bool RunEngine::jump(const Arrivals& arrivals) {
  jumped_ = true;
  forget_crossings();
  std::vector<EventRecord> records;
  moved_ = false;
  fired_ = arrivals.records;
  instant_id_ = 0;
  involved_contacts_.clear();
  resting_location_.clear();
  jumping_contacts_.clear();
  impacts_.clear();
  zero_guards_.clear();
  jump_interval_ = last_jump_ < t_ && jumped_before_ ? t_ - last_jump_ : 0;
  last_jump_ = t_;
  jumped_before_ = true;
  bool goes_on = true;
  std::vector<Index> hits = arrivals.hits;
  if (!hits.empty()) {
    for (int turn = 0; turn < 4 && !here_->contacts->correct_gaps(t_, hits, weights_, x_); ++turn) {
    }
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
  const LocationTools* const before = here_;
  for (std::size_t k = 0; goes_on && k < arrivals.jumps.size() && here_ == before; ++k) {
    goes_on = fire(arrivals.jumps[k], false, records);
    // One edge is taken; the others belong to the location left.
    if (last_edge_) break;
  }
  if (goes_on) goes_on = settle(false, records);
  publish(records, false);
  return goes_on && goes_on_after(records);
}

bool RunEngine::apply_impact(const std::vector<Index>& touching, bool at_start,
                             std::vector<EventRecord>& records) {
  ++rounds_;
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
    record.surfaces.push_back(mode_.size() + touching[k]);
    record.surface_names.push_back(contacts.contact(touching[k]).name);
    record.w_minus.push_back(kNotANumber);
    record.w_plus.push_back(kNotANumber);
    record.lambda.push_back(kNotANumber);
    bounces = bounces || impact.departure[k] > 0;
    record.reason += (record.reason.empty() ? "" : "; ") + std::string("approach at ") +
                     number_text(impact.approach[k]) + ", restitution " + number_text(impact.restitution[k]);
  }
  if (!any_approaches) {
    for (const Index c : touching) {
      record.surfaces.push_back(mode_.size() + c);
      record.surface_names.push_back(contacts.contact(c).name);
      record.w_minus.push_back(kNotANumber);
      record.w_plus.push_back(kNotANumber);
      record.lambda.push_back(kNotANumber);
    }
    record.reason = "touches without speed";
  }
  record.name = contacts.contact(record.surfaces.front() - mode_.size()).name;
  if (!bounces) record.kind = EventKind::contact;
  if (bounces) {
    for (const Index i : record.surfaces) impacts_.push_back(i - mode_.size());
  }
  record.after = x_;
  // Until the mode is found they count as open.
  contacts.set_closed({});
  involved_contacts_ = touching;
  for (const Index i : record.surfaces) note_in_instant(2'000'000 + i);
  jumping_contacts_.insert(jumping_contacts_.end(), touching.begin(), touching.end());
  record.to = word();
  records.push_back(std::move(record));
  moved_ = true;
  return true;
}

bool RunEngine::fire(Index event, bool at_start, std::vector<EventRecord>& records) {
  ++rounds_;
  // A limit that was jumped to leads to the mode found there.
  if (!records.empty() && !records.back().to) records.back().to = word();
  const Watched watched = here_->watch[event];
  EventRecord record;
  record.t = t_;
  record.name = optional_name(watched.name);
  if (!at_start || !records.empty()) record.from = word();
  record.before = x_;
  zero_guards_.push_back({watched.when, here_->watch.noise(event)});
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
    moved_ = moved_ || after != x_;
    was_reset_ = true;
    x_ = after;
    here_->stepper->error_weights(x_, weights_);
  }
  record.after = x_;
  record.kind = EventKind::reset;
  record.reason =
      stays ? "the guard crosses zero; the reset leaves the state as it is" : "the guard crosses zero";
  note_in_instant(watched.kind == WatchedKind::edge ? static_cast<Index>(watched.edge) : 1'000'000 + event);
  if (watched.kind == WatchedKind::edge) {
    const Edge& edge = automaton_.edges()[watched.edge];
    record.from_location = here_->name;
    if (!edge.zeno.empty()) resting_location_ = edge.zeno;
    if (edge.to != here_->name) record.kind = EventKind::transition;
    if (last_edge_ && undo_each_other(automaton_.edges()[*last_edge_], edge))
      return slide_between(*last_edge_, watched.edge, records);
    const bool same = edge.to == edge.from && !in_pair();
    const std::size_t to = automaton_.location_index(edge.to);
    if (!same) {
      const EventWatch& before = here_->watch;
      enter(to);
      carry_fired(before);
    }
    if (same) fired_.push_back(event);
    last_edge_ = watched.edge;
    record.to_location = here_->name;
  } else {
    fired_.push_back(event);
  }
  // Every guard is looked at again.
  for (Index e = 0; e < here_->watch.size(); ++e) here_->watch.set_armed(e, false);
  record.to = word();
  records.push_back(std::move(record));
  return true;
}

// Locations may have the same event, as those of a model file do: it fires once, whichever location it leaves the state in.
void RunEngine::carry_fired(const EventWatch& before) {
  std::vector<Index> carried;
  for (const Index e : fired_) {
    const Watched& fired = before[e];
    if (fired.kind == WatchedKind::edge) continue;
    for (Index other = 0; other < here_->watch.size(); ++other) {
      const Watched& same = here_->watch[other];
      if (same.kind == fired.kind && same.name == fired.name && same.direction == fired.direction &&
          same.when == fired.when)
        carried.push_back(other);
    }
  }
  fired_ = carried;
}

// Hands the records of one instant to the log.
void RunEngine::publish(const std::vector<EventRecord>& records, bool at_start) {
  for (std::size_t k = 0; k < records.size(); ++k) {
    EventRecord record = records[k];
    if (at_start && k == 0) record.from.reset();
    report(std::move(record));
  }
}

bool RunEngine::goes_on_after(const std::vector<EventRecord>& records) {
  if (too_many_events()) return false;
  bool jumped = false;
  for (const EventRecord& record : records) {
    jumped = jumped || record.kind == EventKind::reset || record.kind == EventKind::transition;
  }
  bool came_to_rest = false;
  if (!impacts_.empty() && !jumped && !after_impact(impacts_, came_to_rest)) return false;
  if (came_to_rest) return true;
  if (!after_jump()) return false;
  // Bounces that shrink steadily come to their end.
  return jumps_.limit() || !chatters(&records.back(), records.back().surfaces);
}

}  // namespace slideway
