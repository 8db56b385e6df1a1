// RunEngine at one instant: what arrived there, and the mode that follows where nothing jumps.
//
// The order at an instant: records, stops, impacts, then resets and edges in the order of the list (run_jump.cpp); whatever
// these set off follows in rounds until nothing fires, and the mode is found once the state stands still (run_settle.cpp).

#include <algorithm>
#include <cmath>
#include <exception>
#include <iterator>
#include <limits>
#include <string_view>

#include "core/number_text.hpp"
#include "simulate/run_engine.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

namespace {

// Where so many events as the watch holds lie within this part of the run, they accumulate. What the clock shows is no measure: the
// time of a run may be counted from years ago.
constexpr double kChattering = 1e-10;
constexpr double kChatteringImpacts = 1e-12;
// A state is not put onto surfaces that are farther, in units of its errors.
constexpr double kFarFromErrors = 1000;
// The square of a state that is larger is no number.
constexpr double kLargeState = 1e154;
// Surfaces of which a message names the sides where it cannot spell modes out.
constexpr std::size_t kMostDifferencesNamed = 6;

// "; w- = 1e-9, w+ = 0": what counted as zero at one surface.
std::string components_of(const EventRecord& event) {
  const bool is_two_fold = event.kind == EventKind::two_fold && event.w_minus.size() == 1;
  if (!is_two_fold || !std::isfinite(event.w_minus.front())) return {};
  return "; w- = " + number_text(event.w_minus.front()) + ", w+ = " + number_text(event.w_plus.front());
}

}  // namespace

Arrivals& RunEngine::gather(const std::vector<char>& slots) {
  Arrivals& arrivals = arrivals_;
  arrivals.clear();
  ModeOde& ode = here_->ode;
  const auto arrived = [&](Index slot) { return slots[static_cast<std::size_t>(slot)] != 0; };
  const std::string_view of_surfaces(slots.data(),
                                     static_cast<std::size_t>(ModeOde::first_slot(mode_.size())));
  for (std::size_t next = 0; (next = of_surfaces.find(char{1}, next)) != std::string_view::npos;) {
    const Index i = static_cast<Index>(next) / 2;
    const Index slot = ModeOde::first_slot(i);
    next = static_cast<std::size_t>(ModeOde::first_slot(i + 1));
    Met met{.surface = i, .away = leaving_.away(i, t_)};
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
    watch.set_armed(e, is_armed(slot));
    if (watch.armed(e)) {
      watch.set_undecided(e, false);
      watch.set_was_ahead(e);
    }
    if (arrived(slot) && !watch.undecided(e)) arrivals.list(watch[e].kind).push_back(e);
  }
  return arrivals;
}

// Guards that were held at zero and have left it on the other side than they were on before.
void RunEngine::take_sides(const std::vector<char>& slots) {
  EventWatch& watch = here_->watch;
  for (Index e = 0; e < watch.size(); ++e) {
    if (!watch.undecided(e) || slots[static_cast<std::size_t>(here_->ode.event_slot(e))] == 0) continue;
    watch.set_undecided(e, false);
    watch.set_side(e, -watch.side(e));
  }
}

// The velocity with which the state has come to t_. Past an event the field need not be defined, as that of a tank that has run
// dry: the way there tells it as well.
void RunEngine::find_arrival_velocity(Vector& dx) {
  const double before = t_ - 1e-3 * stepper_->last_step_size();
  try {
    here_->ode.velocity(t_, x_, dx);
  } catch (const std::exception&) {
    if (!(before < t_)) throw;
    stepper_->evaluate(before, dx);
    dx = (x_ - dx) / (t_ - before);
  }
}

// Others whose guard is zero here as well, as far as that can be located: they are part of the instant.
void RunEngine::add_simultaneous(Arrivals& arrivals) {
  EventWatch& watch = here_->watch;
  const double accuracy = location_accuracy(t_, stepper_->last_step_size());
  bool has_velocity = false;
  for (Index e = 0; e < watch.size(); ++e) {
    std::vector<Index>& list = arrivals.list(watch[e].kind);
    if (!watch.armed(e) || contains(list, e)) continue;
    if (!has_velocity) find_arrival_velocity(state_);
    has_velocity = true;
    const double rate = watch.side(e) * watch.rate(t_, x_, state_, e);
    if (!(rate < 0) ||
        !(watch.value(t_, x_, e) <= -rate * accuracy + kZeroFactor * watch.rounding(t_, x_, e)))
      continue;
    list.push_back(e);
    std::sort(list.begin(), list.end());
  }
}

// Surfaces whose guards vanish with others and stay zero: no root tells when, as where several roots of distances end at once.
void RunEngine::add_resting_surfaces(Meeting& meeting) {
  // Fields that are affine have no roots.
  if (meeting.met.empty() || mode_.size() < 2 || here_->evaluator.affine_rates()) return;
  const auto is_met = [&](Index i) {
    return std::any_of(meeting.met.begin(), meeting.met.end(),
                       [i](const Met& met) { return met.surface == i; });
  };
  auto h = nudged_values_.head(mode_.size());
  here_->evaluator.guards(t_, x_, h);
  const double near = SurfaceGeometry::plainly_off_zero(x_);
  std::vector<Index> at_zero;
  for (Index i = 0; i < mode_.size(); ++i) {
    if (!(std::abs(h[i]) <= near) || mode_.slides_on(i) || is_met(i)) continue;
    if (std::abs(h[i]) <= here_->geometry.projected(t_, x_, i, weights_)) at_zero.push_back(i);
  }
  if (at_zero.empty()) return;
  std::vector<Index> all = at_zero;
  for (const Met& met : meeting.met) all.push_back(met.surface);
  mode_.fill_lambda(lambda_);
  if (!here_->resolver.rests(t_, x_, lambda_, all, weights_)) return;
  for (const Index i : at_zero) {
    meeting.met.push_back({.surface = i, .away = leaving_.away(i, t_)});
  }
  std::sort(meeting.met.begin(), meeting.met.end(),
            [](const Met& first, const Met& second) { return first.surface < second.surface; });
  on_surface_.insert(on_surface_.end(), at_zero.begin(), at_zero.end());
  std::sort(on_surface_.begin(), on_surface_.end());
  here_->geometry.project(t_, on_surface_, weights_, x_);
}

// The guards of these events have crossed zero, at t_ as far as that can be located.
void RunEngine::cross(const std::vector<Index>& events) {
  EventWatch& watch = here_->watch;
  if (events.empty()) return;
  find_arrival_velocity(state_);
  const double accuracy = location_accuracy(t_, stepper_->last_step_size());
  for (const Index e : events) {
    watch.set_armed(e, false);
    const double rate = std::abs(watch.rate(t_, x_, state_, e));
    if (rate > 0) {
      arrivals_.blur = std::max(arrivals_.blur, watch.rounding(t_, x_, e) / rate);
      const double error = gathered_errors(options_.rtol) * watch.tolerance(t_, x_, e, weights_);
      arrivals_.error = std::max(arrivals_.error, error / rate);
    }
    // Drawn back onto its constraints the state need not be where the guard was seen to vanish.
    watch.set_noise(e, std::max(rate * accuracy, std::abs(watch.value(t_, x_, e))));
    watch.set_allowance(e, std::numeric_limits<double>::infinity());
    if (watch[e].direction != Direction::any) continue;
    watch.set_side(e, -watch.side(e));
    watch.set_allowance(e, kWrongWayFactor * watch.tolerance(t_, x_, e, weights_) + watch.noise(e));
  }
}

std::optional<RunEngine::ModeEnd> RunEngine::handle_ending_root() {
  const std::vector<Index> ending = here_->ode.field().ending(lambda_);
  if (ending.empty() || static_cast<Index>(ending.size()) > most_enumerated_surfaces) return std::nullopt;
  here_->stepper->error_weights(x_, weights_);
  dense_end_ = t_;
  const std::vector<char> none(static_cast<std::size_t>(here_->ode.guards()), 0);
  return handle_arrival(none, ending) ? ModeEnd::event : ModeEnd::finished;
}

// Where a surface met is nearly tangent to those that slide, the points of all of them may be far from where errors leave its guard
// small: then the state stays on those that slide.
bool RunEngine::put_on_surfaces_met() {
  const std::vector<Index>& sliding = here_->ode.field().sliding();
  if (sliding.empty() || sliding.size() == on_surface_.size() || here_->evaluator.guards_are_affine()) {
    here_->geometry.project(t_, on_surface_, weights_, x_);
    return true;
  }
  const Vector arrived = x_;
  here_->geometry.project(t_, on_surface_, weights_, x_);
  if ((x_ - arrived).cwiseProduct(weights_).lpNorm<Eigen::Infinity>() <= kFarFromErrors) return true;
  x_ = arrived;
  here_->geometry.project(t_, sliding, weights_, x_);
  return false;
}

bool RunEngine::handle_arrival(const std::vector<char>& slots, const std::vector<Index>& ending) {
  pace_.go_on();
  Arrivals& arrivals = gather(slots);
  for (const Index i : ending) arrivals.meeting.met.push_back({.surface = i, .away = leaving_.away(i, t_)});
  arrivals.meeting.root_ends = !ending.empty();
  if (!limits_.empty()) show_limits_that_end(arrivals);
  ModeOde& ode = here_->ode;
  if (!scanned_.poles.empty()) pass_poles_of_events();
  const bool has_new_sides = !ode.without_value().empty();
  if (has_new_sides) take_new_sides(arrivals.meeting.met);
  const bool passes_pole = passes_pole_of_surface();
  if (passes_pole && !pass_poles_of_surfaces()) return false;
  if (passes_pole || has_new_sides) {
    if (arrivals.only_records() && arrivals.records.empty() && ending.empty()) return !too_many_events();
  }
  if (ending.empty() && arrivals.only_hits() &&
      std::all_of(arrivals.hits.begin(), arrivals.hits.end(), [&](Index c) { return only_touches(c); })) {
    leaving_.contacts = arrivals.hits;
    return !too_many_events();
  }
  // An excursion too short to be told from none: the component it started with counts as zero. Its ends are located as well as the
  // clock tells; the noise of what was integrated goes with the time since the run began.
  const double step = stepper_->last_step_size();
  const bool hardly_left = t_ - mode_since_ <= std::max(2 * location_accuracy(t_, step),
                                                        100 * location_accuracy(t_ - run_.start, step));
  std::vector<Index>& on_surface = on_surface_;
  on_surface = ode.field().sliding();
  for (Met& met : arrivals.meeting.met) {
    if (mode_.slides_on(met.surface)) continue;
    on_surface.insert(std::lower_bound(on_surface.begin(), on_surface.end(), met.surface), met.surface);
    if (hardly_left && contains(leaving_.surfaces, met.surface)) {
      met.minus_vanishes = mode_[met.surface] == Side::minus;
      met.plus_vanishes = mode_[met.surface] == Side::plus;
    }
  }
  leaving_.keep_earlier();
  const auto has_left = [&](Index i) {
    const Index slot = ModeOde::first_slot(i);
    return is_armed(slot) && (!mode_.slides_on(i) || is_armed(slot + 1));
  };
  std::erase_if(leaving_.earlier, has_left);
  const bool is_on_all = put_on_surfaces_met();
  add_resting_surfaces(arrivals.meeting);
  const bool is_on_surfaces = is_on_all && !here_->contacts && here_->geometry.residual() == 0;
  here_->evaluator.keep_field_at(t_, x_);
  if (!ending.empty()) {
    // What lambda_ is: on the surfaces, and by an error of the state, there may be none any more.
  } else if (ode.slides()) {
    lambda_ = ode.field().lambda(t_, x_);
  } else {
    mode_.fill_lambda(lambda_);
  }

  begin_instant(false);
  if (here_->watch.size() > 0) {
    take_sides(slots);
    add_simultaneous(arrivals);
    for (const auto* events : {&arrivals.records, &arrivals.stops, &arrivals.jumps}) cross(*events);
  }
  for (const Index e : arrivals.records) {
    instant_.recorded.push_back(here_->watch[e].when);
    report(note(e, EventKind::record));
  }
  if (too_many_events()) return false;
  if (!arrivals.stops.empty()) {
    for (const Index e : arrivals.stops) report(note(e, EventKind::stop));
    finish_stopped(arrivals.stops.front());
    return false;
  }
  if (!arrivals.hits.empty() || !arrivals.jumps.empty()) {
    scanned_.poles.clear();
    instant_.second_order = second_order_;
    if (in_second_order() && !leave_second_order(second_order_)) return false;
    return jump(arrivals);
  }
  return resolve(arrivals.meeting, std::move(arrivals.releases), is_on_surfaces);
}

void RunEngine::take_new_sides(std::vector<Met>& met) {
  const std::vector<Index>& surfaces = here_->ode.without_value();
  std::erase_if(met, [&](const Met& one) { return contains(surfaces, one.surface); });
  const double accuracy = location_accuracy(t_, stepper_->last_step_size());
  auto h = nudged_values_.head(mode_.size());
  stepper_->evaluate(t_ + accuracy, state_);
  here_->evaluator.guards(t_ + accuracy, state_, h);
  for (const Index i : surfaces) {
    const Side side = h[i] < 0 ? Side::minus : Side::plus;
    if (!std::isfinite(h[i]) || mode_.slides_on(i) || side == mode_[i]) continue;
    turn_side(i, side, "the guard has a value again; its relay has no effect here");
  }
  mode_.fill_lambda(lambda_);
}

void RunEngine::turn_side(Index surface, Side side, std::string reason) {
  EventRecord record;
  record.t = t_;
  record.kind = EventKind::crossing;
  record.from = word();
  list(surface, record);
  mode_.set(surface, side);
  record.to = word();
  record.before = x_;
  record.after = x_;
  record.reason = std::move(reason);
  report(std::move(record));
}

EventRecord RunEngine::note(Index event, EventKind kind, int round) {
  here_->watch.set_fired(event);
  EventRecord record;
  record.t = t_;
  record.kind = kind;
  record.name = optional_name(here_->watch[event].name);
  record.from = word();
  record.to = record.from;
  record.before = x_;
  record.after = x_;
  record.round = round;
  record.reason = kind == EventKind::stop ? "the run ends here, as asked" : "the guard crosses zero";
  return record;
}

void RunEngine::finish_stopped(Index event) {
  const std::string& name = here_->watch[event].name;
  finish(Status::stopped_by_event, name.empty() ? "" : "stopped by '" + name + "'");
}

// "+0, 00", and of modes too long to be read the sides in which they differ: "(h3 +), (h3 0)".
std::string RunEngine::words_of(const std::vector<Mode>& modes) const {
  std::vector<Index> different;
  for (Index i = 0; !modes.empty() && i < modes.front().size(); ++i) {
    if (std::any_of(modes.begin(), modes.end(),
                    [&](const Mode& mode) { return mode[i] != modes.front()[i]; }))
      different.push_back(i);
  }
  const std::size_t named = std::min(different.size(), kMostDifferencesNamed);
  std::string words;
  for (const Mode& mode : modes) {
    words += words.empty() ? "" : ", ";
    if (is_readable(mode)) {
      words += as_shown(mode).word();
      continue;
    }
    words += '(';
    for (std::size_t k = 0; k < named; ++k)
      words += (k > 0 ? ", " : "") + surface_name(different[k]) + ' ' + to_character(mode[different[k]]);
    words += named < different.size() ? ", …)" : ")";
  }
  return words;
}

void RunEngine::finish_ambiguous(const Resolution& resolution) {
  const std::vector<Mode>& continuations = resolution.event.continuations;
  const std::string words = words_of(continuations);
  // A block at rest on its base: both fields turn back, and what keeps it there is sliding of second order.
  const bool may_rest = resolution.event.kind == EventKind::two_fold && continuations.size() == 1;
  finish(Status::ambiguous,
         "the continuation on " + names(resolution.event.surfaces) + " at t = " + number_text(t_) +
             " is not unique (" + resolution.event.reason + components_of(resolution.event) + ")" +
             (words.empty() ? std::string() : "; modes that continue: " + words) +
             (may_rest ? "; if the state rests there, let it do so in a location of its own, with edges to "
                         "it and from it"
                       : "") +
             "; choose one with on_ambiguity: minus, plus or slide, or follow all with branches");
}

void RunEngine::adopt(const Resolution& resolution, bool is_on_surfaces) {
  // From those of the mode so far, where the field is in it.
  std::vector<Index>& sliding = next_sliding_;
  sliding = here_->ode.field().sliding();
  resolution.mode.update_sliding(here_->ode.field().mode(), sliding);
  is_on_surfaces =
      is_on_surfaces && std::includes(on_surface_.begin(), on_surface_.end(), sliding.begin(), sliding.end());
  on_surface_.swap(sliding);
  for (const Index i : resolution.involved) {
    leaving_.set_along(i, mode_.slides_on(i) || mode_[i] == resolution.mode[i]);
  }
  mode_ = resolution.mode;
  lambda_ = resolution.lambda;
  repelling_ = resolution.repelling;
  leaving_.meet(resolution.involved, t_);
  leaving_.passes_by = resolution.passes_by;
  mode_since_ = t_;
  if (!on_surface_.empty() && !is_on_surfaces) here_->geometry.project(t_, on_surface_, weights_, x_);
}

bool RunEngine::resolve(const Meeting& arrived, std::vector<Index> releases, bool is_on_surfaces) {
  const double mode_began = mode_since_;
  const std::vector<Index> still_touching = contacts_still_touching();
  leaving_.let_go(releases, still_touching);
  const bool shows_more = here_->contacts || !bound().empty();
  const Mode before = shows_more ? word() : Mode();
  const Vector state_before = releases.empty() ? Vector() : x_;
  if (!releases.empty()) open(releases);
  std::optional<Meeting> freed;
  if (!held_.empty() && !releases.empty()) freed = with_freed(arrived, held_);
  const Meeting& meeting = freed ? *freed : arrived;
  if (releases.empty() && comes_to_stay(meeting)) return !too_many_events();
  Resolution resolution = resolution_of(meeting, releases.empty());
  EventRecord& record = resolution.event;
  bool eventful = false;
  if (!meeting.met.empty()) {
    // A surface that was held and is left on the side it was on has only been let go.
    eventful = resolution.eventful && (!arrived.met.empty() || !(resolution.mode == mode_));
    if (shows_more && record.from) record.from = before;
    if (stays_in_second_order(resolution, meeting)) {
      record.kind = EventKind::sliding_entry;
      record.continuations.clear();
      record.reason =
          "both fields turn back where they have no speed across the surface: sliding of " + order();
      record.to = word();
      record.after = x_;
      if (!bound().empty()) list_entered(record);
      report(std::move(record));
      return !too_many_events();
    }
    if (!resolution.decided) {
      EventRecord undecided = record;
      for (Mode& mode : undecided.continuations) mode = as_shown(mode);
      if (eventful) report(std::move(undecided));
      finish_ambiguous(resolution);
      return false;
    }
    for (Mode& mode : record.continuations) mode = as_shown(mode);
    // What has not left since it was met last cannot touch again: that is the same touch.
    if (record.kind == EventKind::grazing) {
      const auto has_left = [&](const Met& met) { return !contains(leaving_.earlier, met.surface); };
      eventful = eventful && std::any_of(meeting.met.begin(), meeting.met.end(), has_left);
    }
    adopt(resolution, is_on_surfaces);
    std::erase_if(leaving_.earlier, [&](Index i) { return contains(leaving_.surfaces, i); });
    open_what_relays_open(releases);
    leaving_.let_go(releases, still_touching);
    if (shows_more && record.to) record.to = word();
    const std::vector<Index> pressed = eventful ? pressed_by_leaving(before) : std::vector<Index>();
    if (!pressed.empty() && !close_pressed(pressed, record)) return false;
  }
  if (!releases.empty()) {
    if (!eventful) {
      record = EventRecord();
      record.from = before;
      record.before = state_before.size() > 0 ? state_before : x_;
    }
    note_releases(releases, eventful, record);
    eventful = true;
    mode_since_ = t_;
  }
  leaving_.note_return(eventful, t_ - mode_began);
  // It keeps coming back: a multistep method that starts at order one sees too little of such a flight.
  if (!eventful && quiet_restarts_.any()) pace_.repeat(t_ - mode_began);
  return goes_on_in_mode(std::move(record), eventful);
}

// Contacts that have not left since they were met last cannot be met again: that is the same touch.
std::vector<Index> RunEngine::contacts_still_touching() const {
  std::vector<Index> touching;
  std::copy_if(leaving_.contacts.begin(), leaving_.contacts.end(), std::back_inserter(touching),
               [&](Index c) { return !is_armed(here_->ode.contact_slot(c)); });
  return touching;
}

// Whether the gap that closes opens again by itself before it is farther below zero, by a parabola, than what it is made of along
// the last step can be rounded by.
bool RunEngine::only_touches(Index contact) {
  ContactDynamics& contacts = *here_->contacts;
  const double approach = -contacts.rate(t_, x_, lambda_, contact);
  const double ahead = 1e-3 * stepper_->last_step_size();
  const double t = std::min(t_ + ahead, step_end_);
  if (!(t > t_)) return false;
  stepper_->evaluate(t, state_);
  const double acceleration = (contacts.rate(t, state_, lambda_, contact) + approach) / (t - t_);
  if (!(acceleration > 0)) return false;
  const double start = std::max(step_end_ - stepper_->last_step_size(), mode_since_);
  stepper_->evaluate(start, state_);
  const double rounding = contacts.rounding(start, state_, contact);
  return 0.5 * approach * approach / acceleration <= 4 * rounding;
}

void RunEngine::open(const std::vector<Index>& releases) {
  std::vector<Index> closed = here_->contacts->closed();
  std::erase_if(closed, [&](Index c) { return contains(releases, c); });
  here_->contacts->set_closed(here_->contacts->staying_closed(t_, x_, lambda_, closed));
}

// What holds a contact closed depends on the relays.
void RunEngine::open_what_relays_open(std::vector<Index>& releases) {
  for (int turn = 0; here_->contacts && turn < kContactTurns; ++turn) {
    const std::vector<Index> closed = here_->contacts->closed();
    const std::vector<Index> staying = here_->contacts->staying_closed(t_, x_, lambda_, closed);
    if (staying == closed) break;
    std::copy_if(closed.begin(), closed.end(), std::back_inserter(releases),
                 [&](Index c) { return !contains(staying, c); });
    here_->contacts->set_closed(staying);
  }
}

// The mode that follows the surfaces met, not adopted yet.
Resolution RunEngine::resolution_of(const Meeting& meeting, bool may_dip) {
  const auto resolve = [&](const Meeting& met) {
    return here_->resolver.resolve(t_, x_, mode_, lambda_, met, weights_);
  };
  Resolution resolution = meeting.met.empty() ? Resolution() : resolve(meeting);
  if (!may_dip || resolution.dips.empty()) return resolution;
  const std::vector<Index> dips = certain_dips(resolution);
  if (dips.empty()) return resolution;
  Meeting certain = meeting;
  for (Met& met : certain.met) met.dips = contains(dips, met.surface);
  return resolve(certain);
}

// Adds the contacts that open to the record of the event with which they do, or makes one of their own.
void RunEngine::note_releases(const std::vector<Index>& releases, bool with_another, EventRecord& record) {
  if (!with_another) {
    record.t = t_;
    record.to = word();
    record.after = x_;
    record.reason = "the force would pull";
  }
  for (const Index c : releases) list(mode_.size() + c, record);
  record.kind = with_another ? EventKind::corner : EventKind::release;
}

// Leaves what does not hold the solution in the new mode, and hands the record to the log.
bool RunEngine::goes_on_in_mode(EventRecord&& record, bool eventful) {
  const bool leaves = in_pair() && !mode_.slides_on(mode_.size() - 1);
  if (leaves) leave_pair(&record);
  const std::vector<Index> unheld = ends_of_second_order();
  const std::string order_so_far = unheld.empty() ? "" : order();
  for (const SecondOrder::Bound& one : bound()) {
    if (eventful && contains(unheld, one.to)) list(one.surface, record);
  }
  const bool goes_on = unheld.empty() || leave_second_order(unheld);
  if (!unheld.empty()) record.reason += ", of its speed: sliding of " + order_so_far + " ends";
  const std::size_t place = solution_.events.size();
  if (eventful) report(std::move(record));
  if (!goes_on) return false;
  if (leaves) {
    // Another edge of the location may be due at once.
    std::vector<EventRecord>& records = instant_.open_records(false);
    const bool settles = settle(false, records);
    publish();
    if (!settles) return false;
  }
  const EventRecord& kept = eventful ? solution_.events[place] : record;
  if (chatters(eventful ? &kept : nullptr, kept.surfaces)) return false;
  if (too_many_events()) return false;
  return !eventful || after_crossing(kept);
}

bool RunEngine::chatters(const EventRecord* event, std::span<const Index> surfaces) {
  const auto where = [&] { return surfaces.empty() ? std::string("the guards") : names(surfaces); };
  const auto components = [&] {
    if (!event || event->w_minus.size() != 1 || !std::isfinite(event->w_minus.front())) return std::string();
    return " (w- = " + number_text(event->w_minus.front()) + ", w+ = " + number_text(event->w_plus.front()) +
           ")";
  };
  if (!event) {
    if (!quiet_restarts_.note(t_, run_.end - run_.start)) return false;
    if (stays_where_no_field()) {
      quiet_restarts_.clear();
      return false;
    }
    Index largest = 0;
    const bool overflows = x_.cwiseAbs().maxCoeff(&largest) > kLargeState;
    finish(Status::chattering,
           "the solution keeps returning to " + where() + " near t = " + number_text(t_) +
               " without leaving it or sliding: " +
               (overflows ? "'" + here_->system.state_names()[static_cast<std::size_t>(largest)] + "' is " +
                                number_text(x_[largest]) +
                                ", and products of such numbers are infinite; choose units in which it is "
                                "smaller"
                          : std::string("the motion beside it is smaller than the tolerances; tighten rtol "
                                        "and atol")));
    return true;
  }
  quiet_restarts_.clear();
  // Impacts between several contacts shrink slowly, and irregularly, to where times cannot be told apart.
  const double shortest = event->kind == EventKind::impact
                              ? kChatteringImpacts * std::abs(t_)
                              : std::max(kChattering * (run_.end - run_.start),
                                         ChatteringWatch::kWindow * location_accuracy(t_, 0));
  if (!chattering_.note(t_, shortest)) return false;
  // Turns that shrink steadily come to their end.
  if (turns_.limit()) return false;
  finish(Status::chattering,
         "events on " + where() + " accumulate: the last " + std::to_string(ChatteringWatch::kWindow) +
             " took " + number_text(chattering_.span()) + " before t = " + number_text(t_) +
             "; sliding does not take over because w- and w+ do not push onto the surface from " +
             "both sides" + components());
  return true;
}

}  // namespace slideway
