// RunEngine along surfaces that the solution comes to with no speed across them, and where that speed does not depend on the side:
// a body at rest on its base, the sliding variable of a super-twisting controller.
//
//     h = 0,  w = ∂h/∂t + ∂h/∂x·f = 0,      λ from dw/dt = 0
//
// w takes the place of the guards in a system of its own (SystemDefinition::second_order), along which the solution slides as along
// any surface; h is kept at zero by projection, and a surface is left where its λ comes to its bounds. In higher order the first
// derivative of h in which λ has a part takes the place of dw/dt, and what is below it is kept at zero. Surfaces that are zero with
// these, as that of terminal sliding in the point where it ends, go with them.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "core/number_text.hpp"
#include "simulate/run_engine.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

namespace {

// Of the errors of the states: a guard that is larger is not near zero, so that its gradient need not be asked for.
constexpr double kPlainlySeen = 100;
// A speed whose square is larger, in units of the errors of its guard and one of time, is none that ends.
constexpr double kSlow = 100;
// Of so many surfaces that slide each can be asked what its relay does.
constexpr std::size_t kFewSliding = 16;
// Of a step.
constexpr double kShortPart = 1e-3;

void carry_contacts(const LocationTools& from, LocationTools& to) {
  if (from.contacts) to.contacts->take_over(*from.contacts);
}

// Of sorted lists.
std::vector<Index> union_of(const std::vector<Index>& first, const std::vector<Index>& second) {
  std::vector<Index> both;
  std::set_union(first.begin(), first.end(), second.begin(), second.end(), std::back_inserter(both));
  return both;
}

std::span<const SecondOrder::Bound> bound_in(const LocationTools& tools) {
  if (!tools.staying) return {};
  return tools.staying->of->bound;
}

}  // namespace

std::span<const SecondOrder::Bound> RunEngine::bound() const { return bound_in(*here_); }

std::string RunEngine::order() const {
  Index highest = 2;
  if (here_->staying) {
    for (const SecondOrder::Chain& chain : here_->staying->of->chains)
      highest = std::max(highest, chain.count + 1);
  }
  return highest == 2 ? "second order" : highest == 3 ? "third order" : "order " + std::to_string(highest);
}

LocationTools* RunEngine::second_order_tools(const std::vector<Index>& surfaces) {
  return tools_.in_second_order(location_, surfaces);
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
  std::sort(coming.begin(), coming.end());
  if (has_no_field(coming)) return stay_on(std::move(coming), met);
  coming.erase(std::remove_if(coming.begin(), coming.end(), is_other), coming.end());
  return !coming.empty() && stay_on(std::move(coming), met);
}

// As of a quotient of what is zero there: nothing tells what the relays do.
bool RunEngine::has_no_field(const std::vector<Index>& surfaces) {
  if (in_second_order() || in_pair() || surfaces.empty()) return false;
  Vector there = x_, field(x_.size());
  if (!here_->geometry.project(t_, surfaces, weights_, there)) return false;
  here_->evaluator.field(t_, there, lambda_, field);
  if (field.allFinite()) return false;
  const LocationTools* const tools = second_order_tools(surfaces);
  return tools && !bound_in(*tools).empty();
}

bool RunEngine::stays_where_no_field() {
  if (in_second_order() || in_pair()) return false;
  Vector h(mode_.size());
  here_->evaluator.guards(t_, x_, h);
  const double plainly_seen = kPlainlySeen * std::sqrt(1 / weights_.minCoeff());
  std::vector<Index> near;
  for (Index i = 0; i < mode_.size(); ++i) {
    if (!(std::abs(h[i]) <= plainly_seen)) continue;
    const double unseen = here_->geometry.tolerance(t_, x_, i, weights_);
    if (std::abs(h[i]) <= unseen || h[i] * h[i] <= kSlow * unseen) near.push_back(i);
  }
  EventRecord record;
  record.t = t_;
  record.kind = EventKind::sliding_entry;
  record.from = word();
  record.before = x_;
  mode_.fill_lambda(lambda_);
  if (near.size() < 2 || !has_no_field(near) || !stay_on(near, near)) return false;
  list_entered(record);
  record.to = word();
  record.after = x_;
  record.reason =
      "the fields have no value in the point that nobody can tell from this one, and stay there: sliding "
      "of " +
      order();
  report(std::move(record));
  return true;
}

bool RunEngine::stay_on(std::vector<Index> coming, const std::vector<Index>& met) {
  std::vector<Index> surfaces = union_of(second_order_, coming);
  LocationTools* const tools = second_order_tools(surfaces);
  if (!tools) return false;
  carry_contacts(*here_, *tools);
  Mode mode = mode_;
  for (const SecondOrder::Bound& one : bound()) mode.set(one.surface, side_with(one, mode_));
  for (const SecondOrder::Bound& one : bound_in(*tools)) {
    mode.set(one.surface, Side::plus);
    std::erase(surfaces, one.surface);
    std::erase(coming, one.surface);
  }
  Vector lambda = lambda_;
  mode.fill_lambda(lambda);
  std::optional<Vector> state = state_in_second_order(*tools, surfaces, coming, lambda);
  if (!state) return false;
  Meeting meeting{.at_start = true};
  std::vector<char> is_met(static_cast<std::size_t>(mode_.size()), 0);
  for (const std::vector<Index>* list : {&std::as_const(surfaces), &met})
    for (const Index i : *list) is_met[static_cast<std::size_t>(i)] = 1;
  for (const SecondOrder::Bound& one : bound_in(*tools)) is_met[static_cast<std::size_t>(one.surface)] = 0;
  for (Index i = 0; i < mode.size(); ++i)
    if (is_met[static_cast<std::size_t>(i)] || mode.slides_on(i)) meeting.met.push_back({.surface = i});
  tools->evaluator.keep_field_at(t_, *state);
  const Resolution resolution = tools->resolver.resolve(t_, *state, mode, lambda, meeting, weights_);
  const auto slides = [&](Index i) { return resolution.mode.slides_on(i); };
  if (!resolution.decided || resolution.repelling || !std::all_of(surfaces.begin(), surfaces.end(), slides))
    return false;
  use_in_second_order(*tools, surfaces);
  x_ = *state;
  adopt(resolution);
  for (const Index i : coming) flights_.forget(i);
  forget_turns();
  // What came to it by flights that get ever shorter does not go on in such; after a jump elsewhere the next may be as near as the last.
  if (!pace_.jumped_at(t_)) pace_.go_on();
  return true;
}

// What is left of the speed the relay takes away, in a time in which little else changes: along its own effect. Nobody sees how
// far from the surface that speed would carry. None where somebody does.
std::optional<Vector> RunEngine::state_in_second_order(LocationTools& tools,
                                                       const std::vector<Index>& surfaces,
                                                       const std::vector<Index>& coming, Vector& lambda) {
  SurfaceGeometry& plain = tools_.of_location(location_).geometry;
  Vector x = x_, values(mode_.size()), rates(mode_.size()), minus(x.size()), plus(x.size());
  const auto put_on_surfaces = [&](Vector& state) {
    if (tools.staying) {
      tools.staying->geometry.project(t_, tools.staying->all, weights_, state);
    } else {
      plain.project(t_, surfaces, weights_, state);
    }
    tools.geometry.project(t_, surfaces, weights_, state);
  };
  for (const Index i : coming) {
    tools.evaluator.guards(t_, x, values);
    tools.evaluator.neighbour_fields(t_, x, lambda, i, minus, plus);
    const double speed = values[i];
    if (!minus.allFinite() || !plus.allFinite()) {
      // Beside the surfaces a field need not have a value on the side that is not in force.
      Vector there = x;
      put_on_surfaces(there);
      tools.evaluator.neighbour_fields(t_, there, lambda, i, minus, plus);
    }
    plus -= minus;
    tools.evaluator.guard_directional(t_, x, 0, plus, rates);
    const double time = -speed / rates[i];
    const double excursion =
        tools.staying ? tools.staying->excursion(t_, x, i, speed, rates[i]) : std::abs(speed * time);
    if (!(excursion <= plain.tolerance(t_, x, i, weights_))) return std::nullopt;
    x += time * plus;
  }
  for (int turn = 0; turn < 3; ++turn) put_on_surfaces(x);
  return x;
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

bool RunEngine::comes_to_stay(const Meeting& meeting) {
  const std::vector<Index>& sliding = here_->ode.field().sliding();
  // Along a straight one a point is come to in infinite time.
  if (in_pair() || sliding.empty() || tools_.of_location(location_).evaluator.guards_are_affine())
    return false;
  // From the steps: the sliding velocity may have no value here, and nobody else is to know that it was asked for.
  const double before = t_ - kShortPart * stepper_->last_step_size();
  if (!(before < t_)) return false;
  Vector h(mode_.size()), rates(mode_.size());
  stepper_->evaluate(before, state_);
  here_->evaluator.guards(before, state_, h);
  stepper_->evaluate(t_, state_);
  here_->evaluator.guards(t_, state_, rates);
  rates = (rates - h) / (t_ - before);
  here_->evaluator.guards(t_, x_, h);
  // Where the relay of what slides has no part in its speed the steps tell as little.
  Vector lambda = Vector::Zero(mode_.size());
  mode_.fill_lambda(lambda);
  const Vector sizes = atol_ / options_.rtol;
  const auto is_without_relay = [&](Index i) {
    return here_->geometry.relay_effect(t_, x_, lambda, i, sizes) != RelayEffect::across;
  };
  const auto has_no_velocity = [&] {
    return sliding.size() <= kFewSliding && std::any_of(sliding.begin(), sliding.end(), is_without_relay);
  };
  const double plainly_seen = kPlainlySeen / weights_.minCoeff();
  std::vector<Index> coming, met = sliding;
  for (Index i = 0; i < mode_.size(); ++i) {
    if (mode_.slides_on(i)) continue;
    const bool is_met =
        std::any_of(meeting.met.begin(), meeting.met.end(), [i](const Met& one) { return one.surface == i; });
    if (!is_met && std::abs(h[i]) > plainly_seen) continue;
    const double unseen = here_->geometry.tolerance(t_, x_, i, weights_);
    if (!is_met && std::abs(h[i]) > unseen) continue;
    if (rates[i] * rates[i] <= kSlow * unseen || (is_met && has_no_velocity())) coming.push_back(i);
  }
  if (coming.empty()) return false;
  met.insert(met.end(), coming.begin(), coming.end());
  std::sort(met.begin(), met.end());
  EventRecord record;
  record.t = t_;
  record.kind = EventKind::sliding_entry;
  record.from = word();
  record.before = x_;
  if (!ends_with(coming, met) && !ends_with(met, met)) return false;
  list_entered(record);
  record.to = word();
  record.after = x_;
  record.reason =
      "what slides ends where the speed across the surface is zero, too, and stays there: sliding of " +
      order();
  report(std::move(record));
  return true;
}

bool RunEngine::stays_at_once(const Meeting& meeting) {
  if (in_second_order() || in_pair() || meeting.met.size() < 2) return false;
  std::vector<Index> met;
  for (const Met& one : meeting.met) met.push_back(one.surface);
  if (here_->evaluator.guards_are_affine()) return has_no_field(met) && stay_on(met, met);
  const LocationTools* const tools = second_order_tools(met);
  return tools && !bound_in(*tools).empty() && stay_on(met, met);
}

// The terms of a speed that is zero are rounded, in the units of states they may come from: of that the field alone says nothing.
bool RunEngine::goes_on_in_second_order(const Meeting& meeting) {
  if (instant_.second_order.empty() || in_second_order()) return false;
  std::vector<Index> met, coming;
  for (const Met& one : meeting.met) met.push_back(one.surface);
  std::copy_if(instant_.second_order.begin(), instant_.second_order.end(), std::back_inserter(coming),
               [&](Index i) { return contains(met, i); });
  LocationTools* const tools = coming.empty() ? nullptr : second_order_tools(coming);
  if (!tools) return false;
  Vector speeds(tools->system.surfaces());
  tools->evaluator.guards(t_, x_, speeds);
  const auto moves = [&](Index i) {
    const auto goes_with_another = [i](const SecondOrder::Bound& one) { return one.surface == i; };
    if (std::any_of(bound_in(*tools).begin(), bound_in(*tools).end(), goes_with_another)) return false;
    return !(std::abs(speeds[i]) <= tools->geometry.projected(t_, x_, i, weights_));
  };
  std::erase_if(coming, moves);
  return begin_second_order(std::move(coming), met);
}

void RunEngine::list_entered(EventRecord& record) const {
  record.surfaces.clear();
  record.surface_names.clear();
  for (ShortList<double>* values : {&record.w_minus, &record.w_plus, &record.lambda}) values->clear();
  const Mode now = word();
  for (Index i = 0; i < mode_.size(); ++i) {
    if (now.slides_on(i) && !(record.from && record.from->slides_on(i))) list(i, record);
  }
}

// Whether what slides ends in a point of these surfaces, and stays there.
bool RunEngine::ends_with(const std::vector<Index>& surfaces, const std::vector<Index>& met) {
  const LocationTools* const tools = second_order_tools(union_of(second_order_, surfaces));
  if (!tools) return false;
  const auto slid_before = [&](Index i) { return mode_.slides_on(i) && !slides_in_second_order(i); };
  const auto ends = [&](const SecondOrder::Bound& one) {
    return slid_before(one.surface) || slid_before(one.to);
  };
  const std::span<const SecondOrder::Bound> others = bound_in(*tools);
  return std::any_of(others.begin(), others.end(), ends) && stay_on(surfaces, met);
}

bool RunEngine::leave_second_order(const std::vector<Index>& leaving) {
  const std::vector<Index> surfaces = second_order_;
  for (const SecondOrder::Bound& one : bound()) mode_.set(one.surface, side_with(one, mode_));
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
    for (const SecondOrder::Bound& one : bound()) mode_.set(one.surface, Side::plus);
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
