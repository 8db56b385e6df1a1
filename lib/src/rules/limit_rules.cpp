#include "rules/limit_rules.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "core/constants.hpp"
#include "core/number_text.hpp"
#include "rules/limit_checks.hpp"
#include "rules/second_order_sliding.hpp"
#include "simulate/precision.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

// ---- crossings
LimitDecision LimitRules::after_crossing(const EventRecord& event) const {
  LimitDecision decision;
  find_unseen_flights(event, decision);
  if (!decision.limit && crosses_one(event)) find_crossings(event.surfaces.front(), decision);
  if (!decision.limit && now_.regime.mode().size() > 1) find_turns(event, decision);
  return decision;
}

void LimitRules::see_flights(Index surface, NextStretch& next) const {
  next.repeats = history_.flights.length(surface);
  next.in_fine_steps = true;
}

void LimitRules::find_unseen_flights(const EventRecord& event, LimitDecision& decision) const {
  std::vector<Index> coming;
  for (std::size_t k = 0; k < event.surfaces.size(); ++k) {
    const Index i = event.surfaces[k];
    if (now_.regime.mode().slides_on(i)) continue;
    const bool has_shrunk = history_.flights.has_shrunk(i);
    if (!has_shrunk && !history_.flights.hardly_grow(i)) continue;
    // A relay that decides about the speed across its surface brings the solution there in first order.
    if (!hardly_differ(event.w_minus[k], event.w_plus[k])) continue;
    const double height = std::abs(event.w_minus[k]) * history_.flights.length(i) / 4;
    const double unseen = now_.here->geometry.tolerance(now_.t, now_.x, i, now_.weights);
    // Flights lower than the errors allowed in the states tell nothing of their length. They count by those before them, which came
    // ever faster, or do not get higher.
    if (has_shrunk ? !history_.flights.shrinks(i) : height <= unseen) coming.push_back(i);
    if (has_shrunk && height <= kLowFlight * unseen) see_flights(i, decision.next);
  }
  if (coming.empty()) return;
  if (std::optional<Stay> stay = second_order_.begins(coming, coming))
    decision.limit = LimitOfFlights{.surfaces = std::move(coming), .stay = std::move(*stay)};
}

void LimitRules::find_crossings(Index surface, LimitDecision& decision) const {
  const EventSeries& crossings = history_.crossings;
  // The first interval of those that shrink may be the first flight too.
  if (crossings.count() - 1 <= kShrinkingInARow || !history_.flights.shrinks(surface)) return;
  see_flights(surface, decision.next);
  std::optional<Accumulation> found = limit_of(crossings.events(), kTurnsOfCrossings);
  if (!found || found->ratio >= kFlightShrinks || now_.t + found->remaining >= now_.run.end) return;
  if (now_.errors.hide(found->state - now_.x, crossings.scale()) ||
      hardly_takes_time(now_, history_.flights.length(surface), found->remaining))
    decision.limit = LimitOfCrossings{.surface = surface, .accumulation = std::move(*found)};
}

void LimitRules::find_turns(const EventRecord& event, LimitDecision& decision) const {
  const EventSeries& turns = history_.turns;
  const double interval = turns.count() > 1 ? now_.t - turns.before_last(1).t : 0;
  std::optional<Accumulation> accumulation = limit_of(turns.events(), kTurnsRoundIntersection);
  const bool is_steady = accumulation.has_value();
  if (!is_steady) accumulation = limit_of_two_turns(turns.events(), kTurnsRoundIntersection);
  // The next stretch is as short as those of a bouncing ball. Errors as large as the stretches may have undone a
  // steady shrinking before it can be seen.
  if (accumulation || may_accumulate(turns)) decision.next.repeats = interval;
  if (!accumulation) return;
  accumulation->ids = surfaces_of_turn(log_.solution().events, accumulation->period);
  if (accumulation->ids.size() < 2) return;
  add_errors_of_surfaces(now_, event, *accumulation);
  const bool cannot_go_on = (is_steady && accumulation->at_resolution) ||
                            hardly_takes_time(now_, interval, accumulation->remaining) ||
                            hardly_leaves(now_, turns, *accumulation);
  if (cannot_go_on || (is_steady && now_.t + accumulation->remaining < now_.run.end &&
                       hardly_moves(now_, accumulation->remaining)))
    decision.limit = LimitOfTurns{.accumulation = std::move(*accumulation)};
}

// ---- jumps
LimitDecision LimitRules::after_jump() {
  LimitDecision decision;
  const EventSeries& jumps = history_.jumps;
  std::optional<Accumulation> accumulation = limit_of(jumps.events(), kTurnsOfJumps);
  const std::optional<Bounce> bounce = last_jump_.bounce();
  if (bounce && bounce->is_hidden && !(bounce->ratio < 1)) {
    decision.limit = unresolved(*bounce);
    return decision;
  }
  if (bounce && bounce->is_low) decision.next.expected = bounce->flight;
  if (!accumulation && bounce && bounce->is_hidden) {
    accumulation.emplace();
    accumulation->period = 1;
    accumulation->ids = {jumps_.id};
    accumulation->ratio = bounce->ratio;
  }
  if (!accumulation) return decision;
  if (bounce && bounce->ratio < 1 && accumulation->period == 1) {
    accumulation->remaining = bounce->remaining;
    accumulation->error = bounce->error;
  }
  const double interval = decision.next.expected.value_or(now_.restart.interval());
  const bool cannot_go_on = (bounce && bounce->is_hidden) || accumulation->at_resolution ||
                            hardly_takes_time(now_, interval, accumulation->remaining) ||
                            last_jump_.gaps_hardly_open();
  const auto is_unseen = [&] {
    return now_.t + accumulation->remaining < now_.run.end &&
           accumulation->remaining <= now_.options.rtol * (now_.t - jumps.began()) &&
           now_.errors.hide(accumulation->state - now_.x, jumps.scale());
  };
  if (cannot_go_on || is_unseen()) decision.limit = LimitOfJumps{.accumulation = std::move(*accumulation)};
  return decision;
}

End LimitRules::unresolved(const Bounce& bounce) const {
  const std::string name = instant_.records.back().name.value_or("");
  return {.status = Status::chattering,
          .message = "the guard of " + (name.empty() ? std::string("a reset") : "'" + name + "'") +
                     " leaves zero by " + number_text(bounce.height) + " at t = " + number_text(now_.t) +
                     " before it comes back, which rounding hides, and it is not thrown back "
                     "more slowly than it came; " +
                     "measure the states from where the guard is zero, or stop the run there"};
}

// ---- impacts
LimitDecision LimitRules::after_impact(const std::vector<Index>& hit,
                                       const std::vector<Index>& touching) const {
  LimitDecision decision;
  const ContactDynamics& contacts = *now_.here->contacts;
  const auto expect = [&](double flight) {
    const auto& expected = decision.next.expected;
    decision.next.expected = expected ? std::min(*expected, flight) : flight;
  };
  for (const Index c : touching) {
    const bool is_hit = contains(hit, c);
    if (!is_hit && now_.regime.contacts.is_closed(c)) continue;
    const double speed = contacts.rate(now_.t, now_.x, now_.regime.lambda(), c);
    if (!(speed > 0)) continue;
    const double pressing =
        -contacts.acceleration(now_.t, now_.x, now_.regime.lambda(), now_.regime.contacts, c);
    const double low = kLowFlight * contacts.tolerance(now_.t, now_.x, c, now_.weights);
    if (pressing > 0 && speed * speed <= 2 * pressing * low) expect(2 * speed / pressing);
    const bool hardly_rises =
        speed * speed / (2 * std::abs(pressing)) <= kHardlyOff * contacts.rounding(now_.t, now_.x, c);
    const bool is_tiny =
        hardly_rises || (is_hit && history_.bounces.interval(c) <= kNoFlight * location_accuracy(now_.t, 0));
    if (!is_tiny && !stops_unseen(c)) continue;
    std::optional<Rest> rest = rest_together(c, is_tiny);
    if (!rest && is_hit) rest = rest_alone(c, is_tiny);
    if (!rest) continue;
    rest->remaining = std::min(rest->remaining, time_to_disturbance(now_, *rest));
    decision.limit = std::move(*rest);
    break;
  }
  return decision;
}

bool LimitRules::stops_unseen(Index c) const {
  return now_.errors.hide(
      now_.here->contacts->stopping_impulse(now_.t, now_.x, now_.regime.lambda(), now_.regime.contacts, c),
      history_.bounces.scale());
}

// A rest that nobody sees, so soon that nobody sees when it is.
bool LimitRules::is_unseen(const Rest& rest) const {
  double began = kInfinity;
  for (const Index c : rest.contacts) began = std::min(began, history_.bounces.began(c));
  return rest.is_unseen && now_.t + rest.most < now_.run.end && rest.most < time_to_disturbance(now_, rest) &&
         (rest.most <= now_.options.rtol * (now_.t - began) || hardly_takes_time(now_, kInfinity, rest.most));
}

std::optional<Rest> LimitRules::rest_together(Index c, bool is_tiny) const {
  const ContactDynamics& contacts = *now_.here->contacts;
  // The gaps of `unseen` are zero as far as errors of states tell, those of `near` as far as rounding tells.
  std::vector<Index> unseen, near;
  for (Index i = 0; i < contacts.contacts(); ++i) {
    if (i == c || now_.regime.contacts.is_closed(i)) continue;
    const double gap = contacts.gap(now_.t, now_.x, i);
    if (gap <= contacts.tolerance(now_.t, now_.x, i, now_.weights) && (is_tiny || stops_unseen(i)))
      unseen.push_back(i);
    if (is_tiny && gap <= kHardlyOff * contacts.rounding(now_.t, now_.x, i)) near.push_back(i);
  }
  std::optional<Rest> rest = rest_of(now_, c, unseen, history_.bounces.scale());
  if (rest && (is_unseen(*rest) || (is_tiny && hardly_takes_time(now_, kInfinity, rest->most) &&
                                    rest->most < time_to_disturbance(now_, *rest))))
    return rest;
  if (!is_tiny) return std::nullopt;
  // Flights between several contacts that each closed alone would throw off the others for ever.
  rest = rest_of(now_, c, near, history_.bounces.scale());
  return rest && rest->is_hidden ? rest : std::nullopt;
}

std::optional<Rest> LimitRules::rest_alone(Index c, bool is_tiny) const {
  std::optional<Rest> rest = rest_of(now_, c, {}, history_.bounces.scale());
  if (!rest) return std::nullopt;
  const bool cannot_go_on = is_tiny || hardly_takes_time(now_, history_.bounces.interval(c), rest->remaining);
  return cannot_go_on || is_unseen(*rest) ? rest : std::nullopt;
}

}  // namespace slideway
