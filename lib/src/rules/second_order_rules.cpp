#include "rules/second_order_rules.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "rules/second_order_sliding.hpp"
#include "simulate/precision.hpp"
#include "simulate/reasons.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

namespace {

// union_of() takes sorted lists.
std::vector<Index> union_of(const std::vector<Index>& first, const std::vector<Index>& second) {
  std::vector<Index> both;
  std::set_union(first.begin(), first.end(), second.begin(), second.end(), std::back_inserter(both));
  return both;
}

}  // namespace

std::optional<Stay> SecondOrderRules::begins(std::vector<Index> coming, const std::vector<Index>& met) const {
  if (now_.regime.in_pair() || coming.empty()) return std::nullopt;
  const Vector sizes = now_.errors.scale();
  Vector lambda = now_.regime.lambda();
  const auto is_other = [&](Index i) {
    return now_.regime.slides_in_second_order(i) ||
           now_.here->geometry.relay_effect(now_.t, now_.x, lambda, i, sizes) != RelayEffect::along;
  };
  std::sort(coming.begin(), coming.end());
  if (has_no_field(now_, coming)) return stays(std::move(coming), met);
  coming.erase(std::remove_if(coming.begin(), coming.end(), is_other), coming.end());
  if (coming.empty()) return std::nullopt;
  return stays(std::move(coming), met);
}

void SecondOrderRules::begin_record(Stay& stay, std::string reason) const {
  stay.record = now_.begun(EventKind::sliding_entry);
  stay.record->reason = std::move(reason);
}

std::optional<Stay> SecondOrderRules::has_no_field_near() const {
  if (now_.regime.in_second_order() || now_.regime.in_pair()) return std::nullopt;
  Vector h(now_.regime.mode().size());
  now_.here->evaluator.guards(now_.t, now_.x, h);
  const double plainly_seen = kPlainlySeen * std::sqrt(1 / now_.weights.minCoeff());
  std::vector<Index> near;
  for (Index i = 0; i < now_.regime.mode().size(); ++i) {
    if (!(std::abs(h[i]) <= plainly_seen)) continue;
    const double unseen = now_.here->geometry.tolerance(now_.t, now_.x, i, now_.weights);
    if (std::abs(h[i]) <= unseen || h[i] * h[i] <= kSlowArrival * unseen) near.push_back(i);
  }
  if (near.size() < 2 || !has_no_field(now_, near)) return std::nullopt;
  std::optional<Stay> stay = stays(near, near);
  if (stay) begin_record(*stay, reason::has_no_field(order_of_sliding(*stay->tools)));
  return stay;
}

std::optional<Stay> SecondOrderRules::stays(std::vector<Index> coming, const std::vector<Index>& met) const {
  std::vector<Index> surfaces = union_of(now_.regime.place.second_order, coming);
  LocationTools* const tools = second_order_tools(now_, surfaces);
  if (!tools) return std::nullopt;
  Mode mode = now_.regime.mode();
  for (const SecondOrder::Bound& one : now_.bound())
    mode.set(one.surface, side_with(one, now_.regime.mode()));
  for (const SecondOrder::Bound& one : tools->bound()) {
    mode.set(one.surface, Side::plus);
    std::erase(surfaces, one.surface);
    std::erase(coming, one.surface);
  }
  Vector lambda = now_.regime.lambda();
  mode.fill_lambda(lambda);
  std::optional<Vector> state = state_in_second_order(now_, *tools, surfaces, coming, lambda);
  if (!state) return std::nullopt;
  Meeting meeting{.at_start = true};
  std::vector<char> is_met(static_cast<std::size_t>(now_.regime.mode().size()), 0);
  for (const std::vector<Index>* list : {&std::as_const(surfaces), &met})
    for (const Index i : *list) is_met[static_cast<std::size_t>(i)] = 1;
  for (const SecondOrder::Bound& one : tools->bound()) is_met[static_cast<std::size_t>(one.surface)] = 0;
  for (Index i = 0; i < mode.size(); ++i)
    if (is_met[static_cast<std::size_t>(i)] || mode.slides_on(i)) meeting.met.push_back({.surface = i});
  tools->evaluator.keep_field_at(now_.t, *state);
  Resolution resolution = tools->resolver.resolve(now_.t, *state, mode, lambda, meeting, now_.weights);
  const auto slides = [&](Index i) { return resolution.mode.slides_on(i); };
  if (!resolution.decided || resolution.repelling || !std::all_of(surfaces.begin(), surfaces.end(), slides))
    return std::nullopt;
  return Stay{tools, std::move(surfaces), std::move(coming), *std::move(state), std::move(resolution)};
}

std::optional<Stay> SecondOrderRules::turns_back(const Resolution& resolution, const Meeting& meeting) const {
  const EventRecord& event = resolution.event;
  const bool is_open = !resolution.decided || event.kind == EventKind::two_fold;
  // A surface that begins to slide by its relay lies between fields that differ; one that is met without a crossing may hold the
  // solution.
  std::vector<Index> coming;
  for (std::size_t k = 0; !is_open && k < event.surfaces.size(); ++k) {
    const Index i = event.surfaces[k];
    if (i >= now_.regime.mode().size() || now_.regime.mode().slides_on(i)) continue;
    const bool stays = resolution.mode.slides_on(i) || event.kind == EventKind::grazing;
    if (stays && hardly_differ(event.w_minus[k], event.w_plus[k])) coming.push_back(i);
  }
  if (!is_open && coming.empty()) return std::nullopt;
  std::vector<Index> met;
  for (const Met& one : meeting.met) met.push_back(one.surface);
  return begins(is_open ? met : std::move(coming), met);
}

std::optional<Stay> SecondOrderRules::ends_in_point(const Meeting& meeting) const {
  const std::vector<Index>& sliding = now_.here->ode.field().sliding();
  // Motion along a straight surface reaches such a point in infinite time.
  if (now_.regime.in_pair() || sliding.empty() ||
      now_.tools.of_location(now_.regime.place.location).evaluator.guards_are_affine())
    return std::nullopt;
  // The speed comes from the steps: the sliding velocity may have no value here, and nothing else may know that
  // it was asked for.
  const double before = now_.t - kPartOfStep * now_.stepper->last_step_size();
  if (!(before < now_.t)) return std::nullopt;
  Vector h(now_.regime.mode().size()), rates(now_.regime.mode().size()), state(now_.x.size());
  now_.stepper->evaluate(before, state);
  now_.here->evaluator.guards(before, state, h);
  now_.stepper->evaluate(now_.t, state);
  now_.here->evaluator.guards(now_.t, state, rates);
  rates = (rates - h) / (now_.t - before);
  now_.here->evaluator.guards(now_.t, now_.x, h);
  // The steps tell as little where the sliding surface's relay has no part in its speed.
  Vector lambda = Vector::Zero(now_.regime.mode().size());
  now_.regime.mode().fill_lambda(lambda);
  const Vector sizes = now_.errors.scale();
  const auto is_without_relay = [&](Index i) {
    return now_.here->geometry.relay_effect(now_.t, now_.x, lambda, i, sizes) != RelayEffect::across;
  };
  const auto has_no_velocity = [&] {
    return sliding.size() <= kFewSliding && std::any_of(sliding.begin(), sliding.end(), is_without_relay);
  };
  const double plainly_seen = kPlainlySeen / now_.weights.minCoeff();
  std::vector<Index> coming, met = sliding;
  for (Index i = 0; i < now_.regime.mode().size(); ++i) {
    if (now_.regime.mode().slides_on(i)) continue;
    const bool is_met =
        std::any_of(meeting.met.begin(), meeting.met.end(), [i](const Met& one) { return one.surface == i; });
    if (!is_met && std::abs(h[i]) > plainly_seen) continue;
    const double unseen = now_.here->geometry.tolerance(now_.t, now_.x, i, now_.weights);
    if (!is_met && std::abs(h[i]) > unseen) continue;
    if (rates[i] * rates[i] <= kSlowArrival * unseen || (is_met && has_no_velocity())) coming.push_back(i);
  }
  if (coming.empty()) return std::nullopt;
  met.insert(met.end(), coming.begin(), coming.end());
  std::sort(met.begin(), met.end());
  std::optional<Stay> stay = ends_with(coming, met);
  if (!stay) stay = ends_with(met, met);
  if (stay) begin_record(*stay, reason::comes_to_stay(order_of_sliding(*stay->tools)));
  return stay;
}

std::optional<Stay> SecondOrderRules::is_there(const Meeting& meeting) const {
  if (now_.regime.in_second_order() || now_.regime.in_pair() || meeting.met.size() < 2) return std::nullopt;
  std::vector<Index> met;
  for (const Met& one : meeting.met) met.push_back(one.surface);
  if (now_.here->evaluator.guards_are_affine())
    return has_no_field(now_, met) ? stays(met, met) : std::nullopt;
  const LocationTools* const tools = second_order_tools(now_, met);
  return tools && !tools->bound().empty() ? stays(met, met) : std::nullopt;
}

// The terms of a speed that is zero are rounded, in the units of states they may come from: of that the field alone says nothing.
std::optional<Stay> SecondOrderRules::goes_on(const Meeting& meeting) const {
  if (instant_.second_order.empty() || now_.regime.in_second_order()) return std::nullopt;
  std::vector<Index> met, coming;
  for (const Met& one : meeting.met) met.push_back(one.surface);
  std::copy_if(instant_.second_order.begin(), instant_.second_order.end(), std::back_inserter(coming),
               [&](Index i) { return contains(met, i); });
  LocationTools* const tools = coming.empty() ? nullptr : second_order_tools(now_, coming);
  if (!tools) return std::nullopt;
  Vector speeds(tools->system.surfaces());
  tools->evaluator.guards(now_.t, now_.x, speeds);
  const auto moves = [&](Index i) {
    const auto goes_with_another = [i](const SecondOrder::Bound& one) { return one.surface == i; };
    if (std::any_of(tools->bound().begin(), tools->bound().end(), goes_with_another)) return false;
    return !(std::abs(speeds[i]) <= tools->geometry.projected(now_.t, now_.x, i, now_.weights));
  };
  std::erase_if(coming, moves);
  return begins(std::move(coming), met);
}

std::optional<Stay> SecondOrderRules::ends_with(const std::vector<Index>& surfaces,
                                                const std::vector<Index>& met) const {
  const LocationTools* const tools =
      second_order_tools(now_, union_of(now_.regime.place.second_order, surfaces));
  if (!tools) return std::nullopt;
  const auto slid_before = [&](Index i) {
    return now_.regime.mode().slides_on(i) && !now_.regime.slides_in_second_order(i);
  };
  const auto ends = [&](const SecondOrder::Bound& one) {
    return slid_before(one.surface) || slid_before(one.to);
  };
  const std::span<const SecondOrder::Bound> others = tools->bound();
  return std::any_of(others.begin(), others.end(), ends) ? stays(surfaces, met) : std::nullopt;
}

}  // namespace slideway
