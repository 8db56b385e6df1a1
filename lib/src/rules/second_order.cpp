// ModeManager along surfaces that the solution comes to with no speed across them, and where that speed does not depend on the side:
// a body at rest on its base, the sliding variable of a super-twisting controller.
//
//     h = 0,  w = ∂h/∂t + ∂h/∂x·f = 0,      λ from dw/dt = 0
//
// w takes the place of the guards in a system of its own (SystemDefinition::second_order), along which the solution slides as along
// any surface; h is kept at zero by projection, and a surface is left where its λ comes to its bounds. In higher order the first
// derivative of h in which λ has a part takes the place of dw/dt. Those below it are kept at zero. Surfaces that are zero with
// these, as that of terminal sliding in the point where it ends, go with them.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "core/number_text.hpp"
#include "rules/mode_manager.hpp"
#include "rules/second_order_sliding.hpp"
#include "simulate/precision.hpp"
#include "simulate/reasons.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

namespace {

void carry_contacts(const LocationTools& from, LocationTools& to) {
  if (from.contacts) to.contacts->take_over(*from.contacts);
}

// union_of() takes sorted lists.
std::vector<Index> union_of(const std::vector<Index>& first, const std::vector<Index>& second) {
  std::vector<Index> both;
  std::set_union(first.begin(), first.end(), second.begin(), second.end(), std::back_inserter(both));
  return both;
}

}  // namespace

bool ModeManager::begin_second_order(std::vector<Index> coming, const std::vector<Index>& met) {
  if (now_.regime.in_pair() || coming.empty()) return false;
  now_.mode.fill_lambda(now_.lambda);
  const Vector sizes = now_.errors.scale();
  const auto is_other = [&](Index i) {
    return now_.regime.slides_in_second_order(i) ||
           now_.here->geometry.relay_effect(now_.t, now_.x, now_.lambda, i, sizes) != RelayEffect::along;
  };
  std::sort(coming.begin(), coming.end());
  if (has_no_field(now_, coming)) return stay_on(std::move(coming), met);
  coming.erase(std::remove_if(coming.begin(), coming.end(), is_other), coming.end());
  return !coming.empty() && stay_on(std::move(coming), met);
}

bool ModeManager::stays_where_no_field() {
  if (now_.regime.in_second_order() || now_.regime.in_pair()) return false;
  Vector h(now_.mode.size());
  now_.here->evaluator.guards(now_.t, now_.x, h);
  const double plainly_seen = kPlainlySeen * std::sqrt(1 / now_.weights.minCoeff());
  std::vector<Index> near;
  for (Index i = 0; i < now_.mode.size(); ++i) {
    if (!(std::abs(h[i]) <= plainly_seen)) continue;
    const double unseen = now_.here->geometry.tolerance(now_.t, now_.x, i, now_.weights);
    if (std::abs(h[i]) <= unseen || h[i] * h[i] <= kSlowArrival * unseen) near.push_back(i);
  }
  EventRecord record = now_.begun(EventKind::sliding_entry);
  now_.mode.fill_lambda(now_.lambda);
  if (near.size() < 2 || !has_no_field(now_, near) || !stay_on(near, near)) return false;
  list_entered(now_, record);
  now_.end(record);
  record.reason = reason::has_no_field(order_of_sliding(now_));
  log_.report(std::move(record));
  return true;
}

bool ModeManager::stay_on(std::vector<Index> coming, const std::vector<Index>& met) {
  std::vector<Index> surfaces = union_of(now_.regime.second_order, coming);
  LocationTools* const tools = second_order_tools(now_, surfaces);
  if (!tools) return false;
  carry_contacts(*now_.here, *tools);
  Mode mode = now_.mode;
  for (const SecondOrder::Bound& one : now_.bound()) mode.set(one.surface, side_with(one, now_.mode));
  for (const SecondOrder::Bound& one : tools->bound()) {
    mode.set(one.surface, Side::plus);
    std::erase(surfaces, one.surface);
    std::erase(coming, one.surface);
  }
  Vector lambda = now_.lambda;
  mode.fill_lambda(lambda);
  std::optional<Vector> state = state_in_second_order(now_, *tools, surfaces, coming, lambda);
  if (!state) return false;
  Meeting meeting{.at_start = true};
  std::vector<char> is_met(static_cast<std::size_t>(now_.mode.size()), 0);
  for (const std::vector<Index>* list : {&std::as_const(surfaces), &met})
    for (const Index i : *list) is_met[static_cast<std::size_t>(i)] = 1;
  for (const SecondOrder::Bound& one : tools->bound()) is_met[static_cast<std::size_t>(one.surface)] = 0;
  for (Index i = 0; i < mode.size(); ++i)
    if (is_met[static_cast<std::size_t>(i)] || mode.slides_on(i)) meeting.met.push_back({.surface = i});
  tools->evaluator.keep_field_at(now_.t, *state);
  const Resolution resolution = tools->resolver.resolve(now_.t, *state, mode, lambda, meeting, now_.weights);
  const auto slides = [&](Index i) { return resolution.mode.slides_on(i); };
  if (!resolution.decided || resolution.repelling || !std::all_of(surfaces.begin(), surfaces.end(), slides))
    return false;
  switch_.use_in_second_order(*tools, surfaces);
  now_.x = *state;
  adopt(resolution);
  for (const Index i : coming) history_.flights.forget(i);
  forget_turns();
  // A surface that was met by ever shorter flights is not left by another; after a jump elsewhere the next may be as near as the
  // last.
  if (!now_.restart.jumped_at(now_.t)) now_.restart.go_on();
  return true;
}

bool ModeManager::stays_in_second_order(const Resolution& resolution, const Meeting& meeting) {
  const EventRecord& event = resolution.event;
  const bool is_open = !resolution.decided || event.kind == EventKind::two_fold;
  // A surface that begins to slide by its relay lies between fields that differ; one that is met without a crossing may hold the
  // solution.
  std::vector<Index> coming;
  for (std::size_t k = 0; !is_open && k < event.surfaces.size(); ++k) {
    const Index i = event.surfaces[k];
    if (i >= now_.mode.size() || now_.mode.slides_on(i)) continue;
    const bool stays = resolution.mode.slides_on(i) || event.kind == EventKind::grazing;
    if (stays && hardly_differ(event.w_minus[k], event.w_plus[k])) coming.push_back(i);
  }
  if (!is_open && coming.empty()) return false;
  std::vector<Index> met;
  for (const Met& one : meeting.met) met.push_back(one.surface);
  return begin_second_order(is_open ? met : std::move(coming), met);
}

bool ModeManager::comes_to_stay(const Meeting& meeting) {
  const std::vector<Index>& sliding = now_.here->ode.field().sliding();
  // Motion along a straight surface reaches such a point in infinite time.
  if (now_.regime.in_pair() || sliding.empty() ||
      now_.tools.of_location(now_.regime.location).evaluator.guards_are_affine())
    return false;
  // The speed comes from the steps: the sliding velocity may have no value here, and nothing else may know that
  // it was asked for.
  const double before = now_.t - kPartOfStep * now_.stepper->last_step_size();
  if (!(before < now_.t)) return false;
  Vector h(now_.mode.size()), rates(now_.mode.size());
  now_.stepper->evaluate(before, state_);
  now_.here->evaluator.guards(before, state_, h);
  now_.stepper->evaluate(now_.t, state_);
  now_.here->evaluator.guards(now_.t, state_, rates);
  rates = (rates - h) / (now_.t - before);
  now_.here->evaluator.guards(now_.t, now_.x, h);
  // The steps tell as little where the sliding surface's relay has no part in its speed.
  Vector lambda = Vector::Zero(now_.mode.size());
  now_.mode.fill_lambda(lambda);
  const Vector sizes = now_.errors.scale();
  const auto is_without_relay = [&](Index i) {
    return now_.here->geometry.relay_effect(now_.t, now_.x, lambda, i, sizes) != RelayEffect::across;
  };
  const auto has_no_velocity = [&] {
    return sliding.size() <= kFewSliding && std::any_of(sliding.begin(), sliding.end(), is_without_relay);
  };
  const double plainly_seen = kPlainlySeen / now_.weights.minCoeff();
  std::vector<Index> coming, met = sliding;
  for (Index i = 0; i < now_.mode.size(); ++i) {
    if (now_.mode.slides_on(i)) continue;
    const bool is_met =
        std::any_of(meeting.met.begin(), meeting.met.end(), [i](const Met& one) { return one.surface == i; });
    if (!is_met && std::abs(h[i]) > plainly_seen) continue;
    const double unseen = now_.here->geometry.tolerance(now_.t, now_.x, i, now_.weights);
    if (!is_met && std::abs(h[i]) > unseen) continue;
    if (rates[i] * rates[i] <= kSlowArrival * unseen || (is_met && has_no_velocity())) coming.push_back(i);
  }
  if (coming.empty()) return false;
  met.insert(met.end(), coming.begin(), coming.end());
  std::sort(met.begin(), met.end());
  EventRecord record = now_.begun(EventKind::sliding_entry);
  if (!ends_with(coming, met) && !ends_with(met, met)) return false;
  list_entered(now_, record);
  now_.end(record);
  record.reason = reason::comes_to_stay(order_of_sliding(now_));
  log_.report(std::move(record));
  return true;
}

bool ModeManager::stays_at_once(const Meeting& meeting) {
  if (now_.regime.in_second_order() || now_.regime.in_pair() || meeting.met.size() < 2) return false;
  std::vector<Index> met;
  for (const Met& one : meeting.met) met.push_back(one.surface);
  if (now_.here->evaluator.guards_are_affine()) return has_no_field(now_, met) && stay_on(met, met);
  const LocationTools* const tools = second_order_tools(now_, met);
  return tools && !tools->bound().empty() && stay_on(met, met);
}

// The terms of a speed that is zero are rounded, in the units of states they may come from: of that the field alone says nothing.
bool ModeManager::goes_on_in_second_order(const Meeting& meeting) {
  if (instant_.second_order.empty() || now_.regime.in_second_order()) return false;
  std::vector<Index> met, coming;
  for (const Met& one : meeting.met) met.push_back(one.surface);
  std::copy_if(instant_.second_order.begin(), instant_.second_order.end(), std::back_inserter(coming),
               [&](Index i) { return contains(met, i); });
  LocationTools* const tools = coming.empty() ? nullptr : second_order_tools(now_, coming);
  if (!tools) return false;
  Vector speeds(tools->system.surfaces());
  tools->evaluator.guards(now_.t, now_.x, speeds);
  const auto moves = [&](Index i) {
    const auto goes_with_another = [i](const SecondOrder::Bound& one) { return one.surface == i; };
    if (std::any_of(tools->bound().begin(), tools->bound().end(), goes_with_another)) return false;
    return !(std::abs(speeds[i]) <= tools->geometry.projected(now_.t, now_.x, i, now_.weights));
  };
  std::erase_if(coming, moves);
  return begin_second_order(std::move(coming), met);
}

// ends_with() tells whether what slides ends in a point of these surfaces, and stays there.
bool ModeManager::ends_with(const std::vector<Index>& surfaces, const std::vector<Index>& met) {
  const LocationTools* const tools = second_order_tools(now_, union_of(now_.regime.second_order, surfaces));
  if (!tools) return false;
  const auto slid_before = [&](Index i) {
    return now_.mode.slides_on(i) && !now_.regime.slides_in_second_order(i);
  };
  const auto ends = [&](const SecondOrder::Bound& one) {
    return slid_before(one.surface) || slid_before(one.to);
  };
  const std::span<const SecondOrder::Bound> others = tools->bound();
  return std::any_of(others.begin(), others.end(), ends) && stay_on(surfaces, met);
}

bool ModeManager::leave_second_order(const std::vector<Index>& leaving) {
  const std::vector<Index> surfaces = now_.regime.second_order;
  for (const SecondOrder::Bound& one : now_.bound()) now_.mode.set(one.surface, side_with(one, now_.mode));
  std::vector<Index> staying;
  std::set_difference(surfaces.begin(), surfaces.end(), leaving.begin(), leaving.end(),
                      std::back_inserter(staying));
  if (staying.empty()) {
    const LocationTools& left = *now_.here;
    switch_.enter(now_.regime.location);
    now_.here->guards = left.guards;
    carry_contacts(left, *now_.here);
  } else if (LocationTools* const tools = second_order_tools(now_, staying)) {
    switch_.use_in_second_order(*tools, staying);
    for (const SecondOrder::Bound& one : now_.bound()) now_.mode.set(one.surface, Side::plus);
  } else {
    log_.finish(Status::ambiguous,
                "the solution leaves " + now_.names(leaving) + " at t = " + number_text(now_.t) +
                    ", and without it the speed across " + now_.names(staying) +
                    " depends on a relay: it cannot go on to slide there in second order; go on "
                    "with a run that starts here, of a model in which these stay zero");
    return false;
  }
  now_.tools.of_location(now_.regime.location).geometry.project(now_.t, surfaces, now_.weights, now_.x);
  return true;
}

}  // namespace slideway
