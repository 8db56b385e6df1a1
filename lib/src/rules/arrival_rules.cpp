#include "rules/arrival_rules.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "core/number_text.hpp"
#include "rules/surface_sides.hpp"
#include "rules/touching_contacts.hpp"
#include "simulate/reasons.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

Decision ArrivalRules::decide(const Arrivals& arrivals) const {
  using Rule = Decision (ArrivalRules::*)(const Arrivals&) const;
  static constexpr Rule before_the_instant[] = {
      &ArrivalRules::has_values_again, &ArrivalRules::passes_poles, &ArrivalRules::passes_out_of_force,
      &ArrivalRules::only_turns,       &ArrivalRules::only_touches, &ArrivalRules::begins};
  static constexpr Rule in_the_instant[] = {&ArrivalRules::notes, &ArrivalRules::turns_friction,
                                            &ArrivalRules::jumps, &ArrivalRules::has_turned_friction,
                                            &ArrivalRules::meets};
  if (arrivals.stage == Arrivals::Stage::over) return {};
  const bool has_begun = arrivals.stage != Arrivals::Stage::arrived;
  const std::span<const Rule> rules =
      has_begun ? std::span<const Rule>(in_the_instant) : std::span<const Rule>(before_the_instant);
  for (const Rule rule : rules) {
    if (Decision decision = (this->*rule)(arrivals)) return decision;
  }
  return {};
}

bool ArrivalRules::has_no_part(Index surface) const {
  return !out_of_force(now_, {Met{.surface = surface}}).empty();
}

Decision ArrivalRules::has_values_again(const Arrivals& arrivals) const {
  if (arrivals.with_value_again.empty()) return {};
  TurnSides sides;
  const double t = now_.t + location_accuracy(now_.t, now_.stepper->last_step_size());
  Vector state(now_.x.size()), h(now_.regime.mode().size());
  now_.stepper->evaluate(t, state);
  now_.here->evaluator.guards(t, state, h);
  for (const Index i : arrivals.with_value_again) {
    const Side side = h[i] < 0 ? Side::minus : Side::plus;
    if (!std::isfinite(h[i]) || now_.regime.mode().slides_on(i) || side == now_.regime.mode()[i]) continue;
    sides.turns.push_back({i, side, has_no_part(i) ? "" : reason::kHasValueAgain});
  }
  return sides;
}

// Surfaces have another side beyond a pole, which is a crossing where the motion leads through it.
Decision ArrivalRules::passes_poles(const Arrivals&) const {
  if (!poles_.passes_surface()) return {};
  TurnSides sides{.past_poles = true};
  for (const Index slot : locator_.scanned().poles) {
    // One without a value in the pole itself may have its new side already.
    if (slot >= ModeOde::first_slot(now_.regime.mode().size()) || poles_.guard_of(slot, now_.t) > 0) continue;
    const Index i = slot / 2;
    const Side side = now_.regime.mode()[i] == Side::plus ? Side::minus : Side::plus;
    const bool has_effect = now_.here->ode.has_effect(now_.t, now_.x, i);
    const bool jumps = poles_.jumps(slot);
    const auto end = [&](const std::string& why) -> Decision {
      sides.end = End{Status::user_function_failed,
                      "the guard of surface '" + now_.surface_name(i) + "' " +
                          (jumps ? "jumps to the other sign" : "changes its sign in a pole") +
                          " at t = " + number_text(now_.t) + ", " + why};
      return sides;
    };
    const bool leads_on =
        !has_effect || (jumps ? poles_.stays_beyond(i, side) : poles_.both_fields_lead_on(i, side));
    if (!leads_on)
      return end(std::string(
                     "where the motion does not lead through it on both sides: what follows can be told only "
                     "where a guard is zero; write it as one that is, ") +
                 (jumps ? "such as y for atan2(y, x) where x < 0" : "such as its reciprocal"));
    if (has_effect && !poles_.has_finite_integral(i, side))
      return end("and so does the derivative of a state, whose integral is infinite there");
    sides.turns.push_back({i, side, has_no_part(i) ? "" : reason::passes_pole(jumps, has_effect)});
  }
  return sides;
}

// Surfaces out of force have another side beyond the zeros of their guards, and nothing else follows. Others that are met with them may
// slide, and hold them at zero.
Decision ArrivalRules::passes_out_of_force(const Arrivals& arrivals) const {
  TurnSides sides{.out_of_force = out_of_force(now_, arrivals.meeting.met)};
  if (sides.out_of_force.empty()) return {};
  Meeting others = arrivals.meeting;
  std::erase_if(others.met, [&](const Met& one) { return contains(sides.out_of_force, one.surface); });
  if (!others.met.empty()) {
    now_.here->evaluator.keep_field_at(now_.t, now_.x);
    const Resolution found = now_.here->resolver.resolve(now_.t, now_.x, now_.regime.mode(),
                                                         now_.regime.lambda(), others, now_.weights);
    const auto slides = [&](const Met& one) { return found.mode.slides_on(one.surface); };
    if (!found.decided || std::any_of(others.met.begin(), others.met.end(), slides)) return {};
  }
  const double t = now_.t + location_accuracy(now_.t, now_.stepper->last_step_size());
  Vector state(now_.x.size()), h(now_.regime.mode().size());
  now_.stepper->evaluate(t, state);
  now_.here->evaluator.guards(t, state, h);
  for (const Index i : sides.out_of_force) {
    const Side side = h[i] < 0 ? Side::minus : Side::plus;
    if (std::isfinite(h[i]) && side != now_.regime.mode()[i]) sides.turns.push_back({i, side, ""});
  }
  return sides;
}

Decision ArrivalRules::only_turns(const Arrivals& arrivals) const {
  if (arrivals.any_turned && arrivals.only_records() && arrivals.records.empty()) return PassBy();
  return {};
}

Decision ArrivalRules::only_touches(const Arrivals& arrivals) const {
  if (!arrivals.only_hits()) return {};
  const auto touches = [&](Index c) { return slideway::only_touches(now_, c); };
  if (std::all_of(arrivals.hits.begin(), arrivals.hits.end(), touches)) return TouchGaps();
  return {};
}

Decision ArrivalRules::begins(const Arrivals&) const { return BeginThere(); }

Decision ArrivalRules::notes(const Arrivals& arrivals) const {
  if (arrivals.stage == Arrivals::Stage::begun) return NoteEvents();
  return {};
}

Decision ArrivalRules::turns_friction(const Arrivals& arrivals) const {
  if (arrivals.stick_slip.empty()) return {};
  return TurnFriction();
}

Decision ArrivalRules::jumps(const Arrivals& arrivals) const {
  if (arrivals.hits.empty() && arrivals.jumps.empty() && !arrivals.is_due) return {};
  return TakeJumps();
}

Decision ArrivalRules::has_turned_friction(const Arrivals& arrivals) const {
  if (!arrivals.turned_friction) return {};
  if (!arrivals.turned_friction->turned.empty()) return FollowFriction();
  if (arrivals.releases.empty() && arrivals.meeting.met.empty()) return PassBy();
  return {};
}

Decision ArrivalRules::meets(const Arrivals&) const { return FollowSurfaces(); }

}  // namespace slideway
