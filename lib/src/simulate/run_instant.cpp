// RunEngine at one instant: what arrived, jumps and what they set off, and the mode that follows.
//
// The order at an instant: records, stops, impacts, then resets and edges in the order of the list; whatever these set off
// follows in rounds until nothing fires, and the mode is found once the state stands still.

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "simulate/run_engine.hpp"
#include "simulate/run_text.hpp"

namespace slideway {

namespace {

constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
// Restarts without an event, in the same place, before the run gives up.
constexpr Index kQuietRestarts = 50;
// Jumps at one instant.
constexpr int kMostRounds = 200;
// A guard is zero within this many times the rounding of its terms.
constexpr double kZeroFactor = 4;
// A guard that starts at zero may go the wrong way by this many times what the integrator cannot tell from zero.
constexpr double kWrongWayFactor = 4;
// How many times the tolerances the accumulated error of a state may be.
constexpr double kGlobalError = 30;
// Turns of forces and relays that depend on each other.
constexpr int kContactTurns = 8;

bool contains(const std::vector<Index>& list, Index entry) {
  return std::find(list.begin(), list.end(), entry) != list.end();
}

std::optional<std::string> optional_name(const std::string& name) {
  return name.empty() ? std::nullopt : std::optional<std::string>(name);
}

}  // namespace

bool RunEngine::start() {
  here_->stepper->error_weights(x_, weights_);
  solution_.initial = {t_, word(), x_, here_->name};
  Vector h(here_->system.surfaces());
  here_->evaluator.guards(t_, x_, h);
  for (Index i = 0; i < h.size(); ++i) {
    if (std::isfinite(h[i])) continue;
    finish(Status::user_function_failed, "the guard of surface '" + surface_name(i) + "' is not finite (" +
                                             number_text(h[i]) + ") at the start, t = " + number_text(t_));
    return false;
  }
  moved_ = true;
  if (run_.mode) {
    begin_in(*run_.mode);
    return true;
  }
  std::vector<EventRecord> records;
  begin_instant();
  const bool goes_on = settle(true, records);
  // A reset or an impact at the start comes after the state that was given.
  if (records.empty()) solution_.initial.mode = word();
  publish(records, true);
  return goes_on;
}

// Takes a continuation as it is: nothing is classified.
void RunEngine::begin_in(const Mode& mode) {
  Vector h(mode_.size());
  here_->evaluator.guards(t_, x_, h);
  for (Index i = 0; i < mode_.size(); ++i) {
    mode_.set(i, mode[i]);
    if (mode[i] == Side::sliding || std::abs(h[i]) <= here_->geometry.rounding(t_, x_, i))
      involved_.push_back(i);
  }
  mode_.fill_lambda(lambda_);
  if (here_->contacts) {
    std::vector<Index> closed;
    for (Index c = 0; c < here_->contacts->contacts(); ++c) {
      if (mode.slides_on(mode_.size() + c)) closed.push_back(c);
    }
    here_->contacts->set_closed(closed);
    involved_contacts_ = touching_contacts();
  }
  mode_since_ = t_;
  solution_.initial.mode = word();
  events_moving_through_zero();
}

RunEngine::Arrivals RunEngine::gather(const std::vector<char>& slots) {
  Arrivals arrivals;
  ModeOde& ode = here_->ode;
  const auto arrived = [&](Index slot) { return slots[static_cast<std::size_t>(slot)] != 0; };
  for (Index i = 0; i < mode_.size(); ++i) {
    const Index slot = ModeOde::first_slot(i);
    if (!arrived(slot) && !arrived(slot + 1)) continue;
    Met met{.surface = i};
    if (mode_.slides_on(i)) {
      met.minus_vanishes = arrived(slot);
      met.plus_vanishes = arrived(slot + 1);
    }
    arrivals.meeting.met.push_back(met);
  }
  if (here_->contacts) {
    const std::vector<Index>& closed = here_->contacts->closed();
    for (Index c = 0; c < here_->contacts->contacts(); ++c) {
      if (!arrived(ode.contact_slot(c))) continue;
      (contains(closed, c) ? arrivals.releases : arrivals.hits).push_back(c);
    }
  }
  EventWatch& watch = here_->watch;
  for (Index e = 0; e < watch.size(); ++e) {
    const Index slot = ode.event_slot(e);
    watch.set_armed(e, here_->scan.armed()[static_cast<std::size_t>(slot)] != 0);
    if (arrived(slot)) arrivals.list(watch[e].kind).push_back(e);
  }
  return arrivals;
}

// Others whose guard is zero here as well, as far as that can be located: they are part of the instant.
void RunEngine::add_simultaneous(Arrivals& arrivals) {
  EventWatch& watch = here_->watch;
  const double accuracy = location_accuracy(t_, stepper_->last_step_size());
  bool has_velocity = false;
  for (Index e = 0; e < watch.size(); ++e) {
    std::vector<Index>& list = arrivals.list(watch[e].kind);
    if (!watch.armed(e) || contains(list, e)) continue;
    if (!has_velocity) here_->ode.velocity(t_, x_, state_);
    has_velocity = true;
    const double rate = watch.side(e) * watch[e].when.rate(t_, x_, 1, state_);
    if (!(rate < 0) ||
        !(watch.value(t_, x_, e) <= -rate * accuracy + kZeroFactor * watch.rounding(t_, x_, e)))
      continue;
    list.push_back(e);
    std::sort(list.begin(), list.end());
  }
}

// The guards of these events have crossed zero, at t_ as far as that can be located.
void RunEngine::cross(const std::vector<Index>& events) {
  EventWatch& watch = here_->watch;
  if (events.empty()) return;
  here_->ode.velocity(t_, x_, state_);
  const double accuracy = location_accuracy(t_, stepper_->last_step_size());
  for (const Index e : events) {
    watch.set_armed(e, false);
    watch.set_noise(e, std::abs(watch[e].when.rate(t_, x_, 1, state_)) * accuracy);
    watch.set_allowance(e, std::numeric_limits<double>::infinity());
    if (watch[e].direction != Direction::any) continue;
    watch.set_side(e, -watch.side(e));
    watch.set_allowance(e, kWrongWayFactor * watch.tolerance(t_, x_, e, weights_) + watch.noise(e));
  }
}

bool RunEngine::handle_arrival(const std::vector<char>& slots) {
  jumped_ = false;
  Arrivals arrivals = gather(slots);
  ModeOde& ode = here_->ode;
  // An excursion too short to be told from none: the component it started with counts as zero.
  const bool hardly_left = t_ - mode_since_ <= 100 * location_accuracy(t_, stepper_->last_step_size());
  std::vector<Index> on_surface = ode.field().sliding();
  for (Met& met : arrivals.meeting.met) {
    if (mode_.slides_on(met.surface)) continue;
    on_surface.push_back(met.surface);
    if (hardly_left && contains(involved_, met.surface)) {
      met.minus_vanishes = mode_[met.surface] == Side::minus;
      met.plus_vanishes = mode_[met.surface] == Side::plus;
    }
  }
  for (const Index i : involved_) {
    if (!contains(still_leaving_, i)) still_leaving_.push_back(i);
  }
  const auto has_left = [&](Index i) {
    const Index slot = ModeOde::first_slot(i);
    return is_armed(slot) && (!mode_.slides_on(i) || is_armed(slot + 1));
  };
  still_leaving_.erase(std::remove_if(still_leaving_.begin(), still_leaving_.end(), has_left), still_leaving_.end());
  if (ode.slides()) lambda_ = ode.field().lambda(t_, x_);
  mode_.fill_lambda(lambda_);
  std::sort(on_surface.begin(), on_surface.end());
  here_->geometry.project(t_, on_surface, weights_, x_);

  begin_instant();
  if (here_->watch.size() > 0) {
    add_simultaneous(arrivals);
    for (const auto* events : {&arrivals.records, &arrivals.stops, &arrivals.jumps}) cross(*events);
  }
  for (const Index e : arrivals.records) {
    recorded_.push_back(here_->watch[e].when);
    report(note(e, EventKind::record));
  }
  if (too_many_events()) return false;
  if (!arrivals.stops.empty()) {
    for (const Index e : arrivals.stops) report(note(e, EventKind::stop));
    finish_stopped(arrivals.stops.front());
    return false;
  }
  if (!arrivals.hits.empty() || !arrivals.jumps.empty()) return jump(arrivals);
  return resolve(arrivals.meeting, std::move(arrivals.releases));
}

EventRecord RunEngine::note(Index event, EventKind kind) {
  EventRecord record;
  record.t = t_;
  record.kind = kind;
  record.name = optional_name(here_->watch[event].name);
  record.from = word();
  record.to = record.from;
  record.before = x_;
  record.after = x_;
  record.reason = kind == EventKind::stop ? "the run ends here, as asked" : "the guard crosses zero";
  return record;
}

void RunEngine::finish_stopped(Index event) {
  const std::string& name = here_->watch[event].name;
  finish(Status::stopped_by_event, name.empty() ? "" : "stopped by '" + name + "'");
}

void RunEngine::finish_ambiguous(const Resolution& resolution) {
  std::string words;
  for (const Mode& mode : resolution.event.continuations) {
    words += (words.empty() ? "" : ", ") + with_contacts(mode).word();
  }
  finish(Status::ambiguous,
         "the continuation on " + names(resolution.event.surfaces) + " at t = " + number_text(t_) +
             " is not unique (" + resolution.event.reason + ")" +
             (words.empty() ? std::string() : "; modes that continue: " + words) +
             "; choose one with on_ambiguity: minus, plus or slide, or follow all with branches");
}

void RunEngine::adopt(const Resolution& resolution) {
  mode_ = resolution.mode;
  lambda_ = resolution.lambda;
  repelling_ = resolution.repelling;
  involved_ = resolution.involved;
  mode_since_ = t_;
  std::vector<Index> sliding;
  for (Index i = 0; i < mode_.size(); ++i) {
    if (mode_.slides_on(i)) sliding.push_back(i);
  }
  if (!sliding.empty()) here_->geometry.project(t_, sliding, weights_, x_);
}

bool RunEngine::resolve(const Meeting& meeting, std::vector<Index> releases) {
  LocationTools& here = *here_;
  involved_contacts_ = releases;
  EventRecord record;
  bool eventful = false;
  Resolution resolution;
  const Mode before = word();
  const Vector state_before = releases.empty() ? Vector() : x_;
  if (!releases.empty()) {
    std::vector<Index> closed;
    for (const Index c : here.contacts->closed()) {
      if (!contains(releases, c)) closed.push_back(c);
    }
    here.contacts->set_closed(here.contacts->staying_closed(t_, x_, lambda_, closed));
  }
  if (!meeting.met.empty()) {
    resolution = here.resolver.resolve(t_, x_, mode_, lambda_, meeting, weights_);
    eventful = resolution.eventful;
    record = resolution.event;
    if (here.contacts) {
      if (record.from) record.from = before;
      for (Mode& mode : record.continuations) mode = with_contacts(mode);
    }
    if (!resolution.decided) {
      if (eventful) report(std::move(record));
      finish_ambiguous(resolution);
      return false;
    }
    adopt(resolution);
    const auto is_involved = [&](Index i) { return contains(involved_, i); };
    still_leaving_.erase(std::remove_if(still_leaving_.begin(), still_leaving_.end(), is_involved),
                         still_leaving_.end());
    // What holds a contact closed depends on the relays.
    for (int turn = 0; here.contacts && turn < kContactTurns; ++turn) {
      const std::vector<Index> closed = here.contacts->closed();
      const std::vector<Index> staying = here.contacts->staying_closed(t_, x_, lambda_, closed);
      if (staying == closed) break;
      for (const Index c : closed) {
        if (!contains(staying, c)) releases.push_back(c);
      }
      here.contacts->set_closed(staying);
      involved_contacts_ = releases;
    }
    if (here.contacts && record.to) record.to = word();
  }
  if (!releases.empty()) {
    const bool alone = !eventful;
    if (alone) {
      record = EventRecord();
      record.t = t_;
      record.from = before;
      record.to = word();
      record.before = state_before.size() > 0 ? state_before : x_;
      record.after = x_;
      record.reason = "the force would pull";
    }
    for (const Index c : releases) {
      record.surfaces.push_back(mode_.size() + c);
      record.surface_names.push_back(here.contacts->contact(c).name);
      record.w_minus.push_back(kNotANumber);
      record.w_plus.push_back(kNotANumber);
      record.lambda.push_back(kNotANumber);
    }
    record.kind = alone ? EventKind::release : EventKind::corner;
    eventful = true;
    mode_since_ = t_;
  }
  const bool leaves = in_pair() && !mode_.slides_on(mode_.size() - 1);
  if (leaves) leave_pair(&record);
  if (eventful) report(record);
  if (leaves) {
    // Another edge of the location may be due at once.
    std::vector<EventRecord> records;
    const bool goes_on = settle(false, records);
    publish(records, false);
    if (!goes_on) return false;
  }
  if (chatters(eventful ? &record : nullptr, record.surfaces)) return false;
  if (too_many_events()) return false;
  return !eventful || after_crossing(record);
}

bool RunEngine::chatters(const EventRecord* event, const std::vector<Index>& surfaces) {
  const auto where = [&] { return surfaces.empty() ? std::string("the guards") : names(surfaces); };
  const auto components = [&] {
    if (!event || event->w_minus.size() != 1 || !std::isfinite(event->w_minus.front())) return std::string();
    return " (w- = " + number_text(event->w_minus.front()) + ", w+ = " + number_text(event->w_plus.front()) +
           ")";
  };
  if (!event) {
    if (quiet_restarts_ == 0) quiet_since_ = t_;
    ++quiet_restarts_;
    if (quiet_restarts_ <= kQuietRestarts || t_ - quiet_since_ > 1e-6 * (run_.end - run_.start)) return false;
    finish(Status::chattering,
           "the solution keeps returning to " + where() + " near t = " + number_text(t_) +
               " without leaving it or sliding: the motion beside it is smaller than the " +
               "tolerances; tighten rtol and atol");
    return true;
  }
  quiet_restarts_ = 0;
  if (!chattering_.note(t_, run_.end - run_.start)) return false;
  finish(Status::chattering,
         "events on " + where() + " accumulate: the last " + std::to_string(ChatteringWatch::kWindow) +
             " took " + number_text(chattering_.span()) + " before t = " + number_text(t_) +
             "; sliding does not take over because w- and w+ do not push onto the surface from " +
             "both sides" + components());
  return true;
}

// ---- jumps

void RunEngine::begin_instant() {
  rounds_ = 0;
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
  std::vector<EventRecord> records;
  moved_ = false;
  fired_ = arrivals.records;
  instant_id_ = 0;
  involved_contacts_.clear();
  resting_location_.clear();
  jumping_contacts_.clear();
  zero_guards_.clear();
  jump_interval_ = last_jump_ < t_ && jumped_before_ ? t_ - last_jump_ : 0;
  last_jump_ = t_;
  jumped_before_ = true;
  bool goes_on = true;
  std::vector<Index> hits = arrivals.hits;
  if (!hits.empty()) {
    for (int turn = 0; turn < 4 && !here_->contacts->correct_gaps(t_, hits, weights_, x_); ++turn) {
    }
    for (const Index c : here_->contacts->closed()) hits.push_back(c);
    mode_.fill_lambda(lambda_);
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
  std::vector<Index> contacts;
  bool jumped = false;
  for (const EventRecord& record : records) {
    if (record.kind == EventKind::impact) {
      for (const Index i : record.surfaces) {
        if (i >= mode_.size()) contacts.push_back(i - mode_.size());
      }
    }
    jumped = jumped || record.kind == EventKind::reset || record.kind == EventKind::transition;
  }
  bool came_to_rest = false;
  if (!contacts.empty() && !jumped && !after_impact(contacts, came_to_rest)) return false;
  if (came_to_rest) return true;
  if (!after_jump()) return false;
  // Bounces that shrink steadily come to their end.
  return jumps_.limit() || !chatters(&records.back(), records.back().surfaces);
}

bool RunEngine::settle(bool at_start, std::vector<EventRecord>& records) {
  while (true) {
    if (rounds_ > kMostRounds) {
      std::string cycle;
      for (std::size_t k = records.size() - std::min<std::size_t>(4, records.size()); k < records.size();
           ++k) {
        cycle +=
            (cycle.empty() ? "" : ", ") + std::string(to_string(records[k].kind)) +
            (records[k].name ? " '" + *records[k].name + "'" : "") +
            (records[k].from_location ? " " + *records[k].from_location + " -> " + *records[k].to_location
                                      : "");
      }
      finish(Status::chattering, "events fire without end at t = " + number_text(t_) +
                                     " and no time passes between them: " + cycle +
                                     "; check the guards and what the resets set");
      return false;
    }
    // What has fired may do so again once something else has moved the state off its guard.
    const auto is_off = [&](Index e) { return std::abs(here_->watch.value(t_, x_, e)) > zero_level(e); };
    fired_.erase(std::remove_if(fired_.begin(), fired_.end(), is_off), fired_.end());
    // Edges whose guard is past zero need no mode.
    const std::vector<Index> past = events_already_past();
    if (!past.empty()) {
      if (!fire(past.front(), at_start, records)) return false;
      continue;
    }
    std::vector<Index> approaching;
    if (here_->contacts) {
      mode_.fill_lambda(lambda_);
      const std::vector<Index> touching = touching_contacts();
      for (const Index c : touching) {
        const double rate = here_->contacts->rate(t_, x_, lambda_, c);
        if (rate < -here_->contacts->rate_rounding(t_, x_, lambda_, c, weights_)) approaching.push_back(c);
      }
      if (!approaching.empty()) {
        // What starts behind a gap would have to come back before the next impact is seen.
        for (int turn = 0; turn < 4 && !here_->contacts->correct_gaps(t_, touching, weights_, x_); ++turn) {
        }
        if (!apply_impact(touching, at_start, records)) return false;
        continue;
      }
    }
    if (!settle_mode(at_start, records)) return false;
    const std::vector<Index> due = events_moving_through_zero();
    std::vector<Index> stops, jumps;
    for (const Index e : due) {
      const WatchedKind kind = here_->watch[e].kind;
      if (kind == WatchedKind::stop) stops.push_back(e);
      if (kind == WatchedKind::reset || kind == WatchedKind::edge) jumps.push_back(e);
      if (kind != WatchedKind::record) continue;
      records.push_back(note(e, EventKind::record));
      fired_.push_back(e);
      recorded_.push_back(here_->watch[e].when);
    }
    for (const Index e : stops) records.push_back(note(e, EventKind::stop));
    if (!stops.empty()) {
      finish_stopped(stops.front());
      return false;
    }
    if (jumps.empty()) break;
    if (!fire(jumps.front(), at_start, records)) return false;
  }
  if (!records.empty()) records.back().to = word();
  return true;
}

// The relays and the contacts where the state is new; nothing approaches any more.
bool RunEngine::settle_mode(bool at_start, std::vector<EventRecord>& records) {
  LocationTools& here = *here_;
  Meeting meeting{.at_start = true};
  if (!find_sides(!moved_, meeting)) return false;
  mode_.fill_lambda(lambda_);
  involved_.clear();
  still_leaving_.clear();
  std::vector<Index> resting;
  if (here.contacts) {
    const std::vector<Index> touching = touching_contacts();
    involved_contacts_ = touching;
    for (const Index c : touching) {
      const double rate = here.contacts->rate(t_, x_, lambda_, c);
      if (rate <= here.contacts->rate_rounding(t_, x_, lambda_, c, weights_)) resting.push_back(c);
    }
  }
  repelling_ = false;
  mode_since_ = t_;
  for (int turn = 0;; ++turn) {
    if (here.contacts) here.contacts->set_closed(here.contacts->staying_closed(t_, x_, lambda_, resting));
    if (meeting.met.empty()) break;
    const std::vector<Index> closed = here.contacts ? here.contacts->closed() : std::vector<Index>();
    const Resolution resolution = here.resolver.resolve(t_, x_, mode_, lambda_, meeting, weights_);
    if (!resolution.decided) {
      EventRecord record = resolution.event;
      if (!at_start || !records.empty()) record.from = records.empty() ? word() : records.back().to;
      for (Mode& mode : record.continuations) mode = with_contacts(mode);
      records.push_back(std::move(record));
      finish_ambiguous(resolution);
      return false;
    }
    if (resolution.eventful) {
      // Not unique, and the policy picked one of the continuations: that is worth a record.
      EventRecord record = resolution.event;
      if (!at_start || !records.empty()) record.from = records.empty() ? word() : records.back().to;
      for (Mode& mode : record.continuations) mode = with_contacts(mode);
      adopt(resolution);
      record.to = word();
      records.push_back(std::move(record));
    } else {
      adopt(resolution);
    }
    if (!here.contacts || here.contacts->staying_closed(t_, x_, lambda_, resting) == closed) break;
    if (turn == kContactTurns) break;
  }
  // A pair of locations is left at once where its surface does not attract.
  if (in_pair() && !mode_.slides_on(mode_.size() - 1)) {
    EventRecord* const entry = records.empty() ? nullptr : &records.back();
    if (entry && entry->kind == EventKind::sliding_entry) entry->kind = EventKind::transition;
    leave_pair(entry);
  }
  return true;
}

bool RunEngine::find_sides(bool keep, Meeting& meeting) {
  LocationTools& here = *here_;
  Vector h(here.system.surfaces());
  here.evaluator.guards(t_, x_, h);
  const double near = 1e-10 * (1 + x_.lpNorm<Eigen::Infinity>());
  for (Index i = 0; i < h.size(); ++i) {
    if (!std::isfinite(h[i])) {
      finish(Status::user_function_failed, "the guard of surface '" + surface_name(i) + "' is not finite (" +
                                               number_text(h[i]) +
                                               ") after the jump at t = " + number_text(t_));
      return false;
    }
    // The size of a guard takes its gradient, so a guard that is plainly off zero is not asked for it.
    const bool met = (keep && mode_.slides_on(i)) || h[i] == 0 ||
                     (std::abs(h[i]) <= near && std::abs(h[i]) <= here.geometry.rounding(t_, x_, i));
    if (met) meeting.met.push_back({.surface = i});
    if (!keep || mode_.slides_on(i)) mode_.set(i, h[i] < 0 ? Side::minus : Side::plus);
  }
  return true;
}

std::vector<Index> RunEngine::touching_contacts() {
  std::vector<Index> touching;
  if (!here_->contacts) return touching;
  for (Index c = 0; c < here_->contacts->contacts(); ++c) {
    const double gap = here_->contacts->gap(t_, x_, c);
    const bool was_closed = contains(here_->contacts->closed(), c) || contains(involved_contacts_, c);
    const double zero = kZeroFactor * here_->contacts->rounding(t_, x_, c) +
                        (was_closed ? here_->contacts->tolerance(t_, x_, c, weights_) : 0.0);
    if (gap > zero) continue;
    // Only a reset puts a state where it must not be; what the integrator does there is its error.
    if (was_reset_ && gap < -zero && gap < -4 * here_->contacts->tolerance(t_, x_, c, weights_)) {
      throw std::runtime_error("the state violates contact '" + here_->contacts->contact(c).name +
                               "': its gap is " + number_text(gap) + " at t = " + number_text(t_) +
                               " after a jump, expected >= 0");
    }
    touching.push_back(c);
  }
  return touching;
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
  const Watched watched = here_->watch[event];
  EventRecord record;
  record.t = t_;
  record.name = optional_name(watched.name);
  if (!at_start || !records.empty()) record.from = word();
  record.before = x_;
  if (watched.reset) {
    Vector after = x_;
    watched.reset(t_, x_, after);
    if (!after.allFinite()) {
      Index j = 0;
      while (std::isfinite(after[j])) ++j;
      finish(Status::user_function_failed,
             "reset" + (watched.name.empty() ? std::string() : " '" + watched.name + "'") + " sets state '" +
                 here_->system.state_names()[static_cast<std::size_t>(j)] +
                 "' to a value that is not finite (" + number_text(after[j]) + ") at t = " + number_text(t_));
      return false;
    }
    moved_ = moved_ || after != x_;
    was_reset_ = true;
    x_ = after;
    here_->stepper->error_weights(x_, weights_);
  }
  zero_guards_.push_back(watched.when);
  record.after = x_;
  record.kind = EventKind::reset;
  record.reason = "the guard crosses zero";
  note_in_instant(watched.kind == WatchedKind::edge ? static_cast<Index>(watched.edge) : 1'000'000 + event);
  if (watched.kind == WatchedKind::edge) {
    const Edge& edge = automaton_.edges()[watched.edge];
    record.from_location = here_->name;
    if (!edge.zeno.empty()) resting_location_ = edge.zeno;
    const bool undone = last_edge_ && !edge.reset && !automaton_.edges()[*last_edge_].reset;
    if (edge.to != here_->name) record.kind = EventKind::transition;
    if (undone && edge.to != edge.from) {
      const Edge& last = automaton_.edges()[*last_edge_];
      const bool opposite = last.from == edge.to && last.to == edge.from && last.when == edge.when &&
                            last.direction != edge.direction && last.direction != Direction::any &&
                            edge.direction != Direction::any;
      if (opposite) return slide_between(*last_edge_, watched.edge, records);
    }
    const bool same = edge.to == edge.from && !in_pair();
    const std::size_t to = automaton_.location_index(edge.to);
    if (!same) {
      enter(to);
      fired_.clear();
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

// After a reset the state is what the reset made it, and its guards are zero within rounding; a state that was integrated is
// on a guard only within its error.
double RunEngine::zero_level(Index event) {
  EventWatch& watch = here_->watch;
  double level = kZeroFactor * watch.rounding(t_, x_, event);
  for (const Guard& guard : zero_guards_) {
    if (!(guard == watch[event].when)) continue;
    here_->evaluator.field(t_, x_, lambda_, state_);
    level += std::abs(guard.rate(t_, x_, 1, state_)) *
             location_accuracy(t_, stepper_ ? stepper_->last_step_size() : 0);
  }
  if (watch[event].kind != WatchedKind::edge || moved_) return level;
  noise_weights_ = (kGlobalError * (options_.rtol * largest_ + atol_)).cwiseInverse();
  return level + watch.tolerance(t_, x_, event, noise_weights_);
}

std::vector<Index> RunEngine::events_already_past() {
  std::vector<Index> past;
  EventWatch& watch = here_->watch;
  mode_.fill_lambda(lambda_);
  for (Index e = 0; e < watch.size() && past.empty(); ++e) {
    if (watch[e].kind != WatchedKind::edge || watch[e].direction == Direction::any) continue;
    const double value = watch.value(t_, x_, e);
    if (!std::isfinite(value))
      throw std::runtime_error("the guard of an edge is not finite at t = " + number_text(t_));
    if (value < 0 && value < -zero_level(e)) past.push_back(e);
  }
  return past;
}

// Judges the guards that are zero, once the motion is known; the others are prepared for the march.
std::vector<Index> RunEngine::events_moving_through_zero() {
  std::vector<Index> due;
  EventWatch& watch = here_->watch;
  if (watch.size() == 0) return due;
  here_->ode.set_mode(mode_, lambda_, repelling_);
  for (Index e = 0; e < watch.size(); ++e) {
    const bool any = watch[e].direction == Direction::any;
    watch.set_armed(e, false);
    watch.set_noise(e, 0);
    watch.set_allowance(e, std::numeric_limits<double>::infinity());
    const double value = watch.value(t_, x_, e);
    const double zero = zero_level(e);
    if (std::abs(value) > zero) {
      if (any && value < 0) watch.set_side(e, -watch.side(e));
      continue;
    }
    const bool exact = watch[e].kind != WatchedKind::edge || moved_;
    // The classification has said on which side the solution leaves the guard between two locations.
    const bool is_left = departed_ && departed_ == watch[e].when;
    const int motion = is_left ? 1 : motion_of(e, zero, exact);
    if (any) {
      if (motion < 0) watch.set_side(e, -watch.side(e));
    } else if (motion < 0) {
      // A guard that goes on the way it crossed has been dealt with.
      here_->ode.velocity(t_, x_, state_);
      const double rate = watch.side(e) * watch[e].when.rate(t_, x_, 1, state_);
      const bool is_noted = watch[e].kind == WatchedKind::record &&
                            std::find(recorded_.begin(), recorded_.end(), watch[e].when) != recorded_.end();
      const bool went_on = (contains(fired_, e) && rate < 0) || is_noted;
      // Still on its own side, if only just: the march finds when it crosses.
      const bool was_hit =
          std::find(zero_guards_.begin(), zero_guards_.end(), watch[e].when) != zero_guards_.end();
      const bool is_ahead = !exact && !was_hit && value > kZeroFactor * watch.rounding(t_, x_, e);
      if (!went_on && !is_ahead) due.push_back(e);
      continue;
    }
    watch.set_allowance(e, kWrongWayFactor * (exact ? watch.tolerance(t_, x_, e, weights_) : zero));
    watch.set_noise(e, exact ? 0.0 : zero);
  }
  return due;
}

int RunEngine::motion_of(Index event, double zero_level, bool exact) {
  EventWatch& watch = here_->watch;
  ModeOde& ode = here_->ode;
  Vector v1(x_.size()), v2(x_.size()), v3(x_.size()), v4(x_.size()), x(x_.size());
  ode.velocity(t_, x_, v1);
  // A rate that the errors cannot turn round decides; the guard itself is zero to within zero_level.
  const double rate = watch.side(event) * watch[event].when.rate(t_, x_, 1, v1);
  double noise = watch.rate_rounding(t_, x_, v1, event);
  if (!exact) {
    noise_weights_ = (kGlobalError * (options_.rtol * largest_ + atol_)).cwiseInverse();
    x = x_ + noise_weights_.cwiseInverse();
    ode.velocity(t_, x, v2);
    noise += std::abs(watch.side(event) * watch[event].when.rate(t_, x, 1, v2) - rate);
  }
  if (std::abs(rate) > noise) return rate > 0 ? 1 : -1;
  // Otherwise follow the motion until the guard is clearly off zero, whatever derivative that takes.
  const double duration = run_.end - t_;
  double step = 1e-10 * std::max(duration, 1e-6 * std::abs(t_));
  for (; step <= 1e-2 * duration; step *= 2) {
    x = x_ + 0.5 * step * v1;
    ode.velocity(t_ + 0.5 * step, x, v2);
    x = x_ + 0.5 * step * v2;
    ode.velocity(t_ + 0.5 * step, x, v3);
    x = x_ + step * v3;
    ode.velocity(t_ + step, x, v4);
    x = x_ + step / 6 * (v1 + 2 * v2 + 2 * v3 + v4);
    if (!x.allFinite()) return 0;
    const double value = watch.value(t_ + step, x, event);
    if (std::abs(value) > 4 * zero_level) return value > 0 ? 1 : -1;
  }
  return 0;
}

// ---- two locations joined by one guard

bool RunEngine::slide_between(std::size_t first_edge, std::size_t second_edge,
                              std::vector<EventRecord>& records) {
  const Edge& edge = automaton_.edges()[first_edge];
  const auto key = std::minmax(first_edge, second_edge);
  const auto known = pair_of_edges_.find(key);
  if (known != pair_of_edges_.end()) {
    pair_ = known->second;
  } else {
    const bool rising = edge.direction == Direction::rising;
    Pair pair;
    pair.minus = automaton_.location_index(rising ? edge.from : edge.to);
    pair.plus = automaton_.location_index(rising ? edge.to : edge.from);
    pair.guard = edge.when;
    pair.tools = make_pair_tools(pair.minus, pair.plus, first_edge, second_edge);
    pairs_.push_back(std::move(pair));
    pair_ = static_cast<std::ptrdiff_t>(pairs_.size()) - 1;
    pair_of_edges_[key] = pair_;
  }
  const std::ptrdiff_t pair = pair_;
  const Mode before = mode_;
  const Vector lambda = lambda_;
  here_ = pairs_[static_cast<std::size_t>(pair)].tools.get();
  location_ = pairs_[static_cast<std::size_t>(pair)].minus;
  mode_ = Mode(here_->system.surfaces());
  lambda_ = Vector::Zero(mode_.size());
  for (Index i = 0; i < before.size(); ++i) {
    mode_.set(i, before[i]);
    lambda_[i] = lambda[i];
  }
  // The surface between the locations is met; the classification decides what it does.
  mode_.set(before.size(), Side::sliding);
  for (Vector* vector : {&guard_values_, &noise_, &nudged_values_, &arm_above_, &arrive_below_}) {
    *vector = Vector::Zero(here_->ode.guards());
  }
  moved_ = false;
  fired_.clear();
  last_edge_.reset();
  // The first of the two transitions becomes the entry into sliding.
  EventRecord& record = records.back();
  record.kind = EventKind::sliding_entry;
  record.to_location = here_->name;
  record.surfaces = {before.size()};
  record.surface_names = {surface_name(before.size())};
  record.w_minus = {kNotANumber};
  record.w_plus = {kNotANumber};
  record.lambda = {kNotANumber};
  record.reason = "the two edges undo each other: the guard attracts from both locations";
  record.to = word();
  return true;
}

std::unique_ptr<LocationTools> RunEngine::make_pair_tools(std::size_t minus, std::size_t plus,
                                                          std::size_t first_edge, std::size_t second_edge) {
  const Location& below = automaton_.locations()[minus];
  const Location& above = automaton_.locations()[plus];
  const Edge& edge = automaton_.edges()[first_edge];
  System system = join_locations(below, above, edge.when, edge.name);
  auto structure = std::make_shared<const RelayStructure>(system);
  EventWatch watch(system);
  // What else leaves either location leaves the pair.
  watch.add_edges(automaton_, minus, {first_edge, second_edge});
  watch.add_edges(automaton_, plus, {first_edge, second_edge});
  return std::make_unique<LocationTools>(std::move(system), std::move(structure), options_, std::move(watch),
                                         below.name + "|" + above.name);
}

// The surface between the locations no longer holds the solution.
void RunEngine::leave_pair(EventRecord* record) {
  const Pair& pair = pairs_[static_cast<std::size_t>(pair_)];
  const bool above = mode_[mode_.size() - 1] == Side::plus;
  if (record && !record->from_location) record->from_location = here_->name;
  departed_ = pair.guard;
  enter(above ? pair.plus : pair.minus);
  moved_ = false;
  fired_.clear();
  last_edge_.reset();
  if (record) record->to_location = here_->name;
}

}  // namespace slideway
