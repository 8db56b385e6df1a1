// RunEngine along surfaces that the solution comes to with no speed across them, and where that speed does not depend on the side:
// a body at rest on its base, the sliding variable of a super-twisting controller.
//
//     h = 0,  w = ∂h/∂t + ∂h/∂x·f = 0,      λ from dw/dt = 0
//
// w takes the place of the guards in a system of its own (SystemDefinition::second_order), along which the solution slides as along
// any surface; h is kept at zero by projection, and a surface is left where its λ comes to its bounds.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "core/number_text.hpp"
#include "simulate/run_engine.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

namespace {

void carry_contacts(const LocationTools& from, LocationTools& to) {
  if (from.contacts) to.contacts->take_over(*from.contacts);
}

}  // namespace

LocationTools* RunEngine::second_order_tools(const std::vector<Index>& surfaces) {
  return tools_.in_second_order(location_, surfaces, here_);
}

void RunEngine::use_in_second_order(LocationTools& tools, const std::vector<Index>& surfaces) {
  tools.watch = here_->watch;
  carry_contacts(*here_, tools);
  here_ = &tools;
  affine_ = nullptr;
  second_order_ = surfaces;
  size_guard_vectors();
}

bool RunEngine::begin_second_order(std::vector<Index> coming, const std::vector<Index>& met) {
  if (in_pair() || coming.empty()) return false;
  mode_.fill_lambda(lambda_);
  const Vector sizes = atol_ / options_.rtol;
  const auto is_other = [&](Index i) {
    return slides_in_second_order(i) ||
           here_->geometry.relay_effect(t_, x_, lambda_, i, sizes) != RelayEffect::along;
  };
  coming.erase(std::remove_if(coming.begin(), coming.end(), is_other), coming.end());
  std::sort(coming.begin(), coming.end());
  if (coming.empty()) return false;
  std::vector<Index> surfaces;
  std::set_union(second_order_.begin(), second_order_.end(), coming.begin(), coming.end(),
                 std::back_inserter(surfaces));
  LocationTools* const tools = second_order_tools(surfaces);
  if (!tools) return false;
  carry_contacts(*here_, *tools);
  SurfaceGeometry& plain = tools_.of_location(location_).geometry;
  // What is left of the speed the relay takes away, in a time in which little else changes: along its own effect. Nobody sees how
  // far from the surface that speed would carry.
  Vector x = x_, values(mode_.size()), rates(mode_.size()), minus(x.size()), plus(x.size());
  for (const Index i : coming) {
    tools->evaluator.guards(t_, x, values);
    tools->evaluator.neighbour_fields(t_, x, lambda_, i, minus, plus);
    const double speed = values[i];
    plus -= minus;
    tools->evaluator.guard_directional(t_, x, 0, plus, rates);
    const double time = -speed / rates[i];
    if (!(std::abs(speed * time) <= plain.tolerance(t_, x, i, weights_))) return false;
    x += time * plus;
  }
  for (int turn = 0; turn < 3; ++turn) {
    plain.project(t_, surfaces, weights_, x);
    tools->geometry.project(t_, surfaces, weights_, x);
  }
  Meeting meeting{.at_start = true};
  std::vector<char> is_met(static_cast<std::size_t>(mode_.size()), 0);
  for (const std::vector<Index>* list : {&std::as_const(surfaces), &met})
    for (const Index i : *list) is_met[static_cast<std::size_t>(i)] = 1;
  for (Index i = 0; i < mode_.size(); ++i)
    if (is_met[static_cast<std::size_t>(i)] || mode_.slides_on(i)) meeting.met.push_back({.surface = i});
  tools->evaluator.keep_field_at(t_, x);
  const Resolution resolution = tools->resolver.resolve(t_, x, mode_, lambda_, meeting, weights_);
  const auto slides = [&](Index i) { return resolution.mode.slides_on(i); };
  if (!resolution.decided || resolution.repelling || !std::all_of(surfaces.begin(), surfaces.end(), slides))
    return false;
  use_in_second_order(*tools, surfaces);
  x_ = x;
  adopt(resolution);
  for (const Index i : coming) flights_.forget(i);
  forget_turns();
  // What came to it by flights that get ever shorter does not go on in such; after a jump elsewhere the next may be as near as the last.
  if (!pace_.jumped_at(t_)) pace_.go_on();
  return true;
}

bool RunEngine::stays_in_second_order(const Resolution& resolution, const Meeting& meeting) {
  const EventRecord& event = resolution.event;
  const bool is_open = !resolution.decided || event.kind == EventKind::two_fold;
  // What comes to slide by its relay meets fields that differ; and what comes to the surface without a crossing may stay there.
  std::vector<Index> coming;
  for (std::size_t k = 0; !is_open && k < event.surfaces.size(); ++k) {
    const Index i = event.surfaces[k];
    if (i >= mode_.size() || mode_.slides_on(i)) continue;
    const bool stays = resolution.mode.slides_on(i) || event.kind == EventKind::grazing;
    if (stays && hardly_differ(event.w_minus[k], event.w_plus[k])) coming.push_back(i);
  }
  if (!is_open && coming.empty()) return false;
  std::vector<Index> met;
  for (const Met& one : meeting.met) met.push_back(one.surface);
  return begin_second_order(is_open ? met : std::move(coming), met);
}

bool RunEngine::leave_second_order(const std::vector<Index>& leaving) {
  const std::vector<Index> surfaces = second_order_;
  std::vector<Index> staying;
  std::set_difference(surfaces.begin(), surfaces.end(), leaving.begin(), leaving.end(),
                      std::back_inserter(staying));
  if (staying.empty()) {
    const LocationTools& left = *here_;
    enter(location_);
    here_->watch = left.watch;
    carry_contacts(left, *here_);
  } else if (LocationTools* const tools = second_order_tools(staying)) {
    use_in_second_order(*tools, staying);
  } else {
    finish(Status::ambiguous,
           "the solution leaves " + names(leaving) + " at t = " + number_text(t_) +
               ", and without it the speed across " + names(staying) +
               " depends on a relay: it cannot go on to slide there in second order; go on "
               "with a run that starts here, of a model in which these stay zero");
    return false;
  }
  tools_.of_location(location_).geometry.project(t_, surfaces, weights_, x_);
  return true;
}

std::vector<Index> RunEngine::ends_of_second_order() const {
  std::vector<Index> leaving;
  std::copy_if(second_order_.begin(), second_order_.end(), std::back_inserter(leaving),
               [&](Index i) { return !mode_.slides_on(i); });
  return leaving;
}

}  // namespace slideway
