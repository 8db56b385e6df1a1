// ModeManager where one surface is met alone and nothing is in doubt, as at most events of small models: the fields on both sides tell what
// follows, and no rule but those of every event has a say. Whatever else there may be is left to the rules.

#include <algorithm>
#include <exception>

#include "rules/mode_manager.hpp"
#include "rules/surface_sides.hpp"
#include "simulate/precision.hpp"

namespace slideway {

Index ModeManager::met_alone(const std::vector<char>& slots) const {
  LocationTools& here = *now_.here;
  const Regime& regime = now_.regime;
  const bool is_plain = !here.contacts && here.watch.size() == 0 && now_.agenda.limits.empty() &&
                        !regime.in_pair() && !regime.in_second_order() && !regime.repelling &&
                        here.bound().empty() && here.guards.held_surfaces().empty() &&
                        locator_.scanned().poles.empty() && here.ode.without_value().empty();
  Evaluator& evaluator = here.evaluator;
  if (!is_plain || now_.options.sliding_rule != SlidingRule::filippov || !evaluator.guards_are_affine() ||
      evaluator.breaks_away() || evaluator.blends_corners() ||
      now_.agenda.schedule.next() - now_.t <= location_accuracy(now_.t, 0))
    return -1;
  // The others may lie on their surfaces as well (add_resting_surfaces).
  if (regime.mode().size() > 1 && !evaluator.affine_rates()) return -1;
  if (std::count(slots.begin(), slots.end(), char{0}) + 1 != static_cast<std::ptrdiff_t>(slots.size()))
    return -1;
  const Index surface = (std::find(slots.begin(), slots.end(), char{1}) - slots.begin()) / 2;
  if (has_branches(now_) && !out_of_force(now_, {Met{.surface = surface}}).empty()) return -1;
  const bool others_slide = regime.mode().codimension() > (regime.mode().slides_on(surface) ? 1 : 0);
  return others_slide || !evaluator.relay_columns(now_.t, now_.x, regime.lambda()) ? -1 : surface;
}

std::optional<bool> ModeManager::handle_clear_arrival(const std::vector<char>& slots) {
  const Index i = met_alone(slots);
  if (i < 0 || has_hardly_left(i)) return std::nullopt;
  LocationTools& here = *now_.here;
  Met met{.surface = i, .away = here.guards.away(i, now_.t)};
  const bool slides = now_.regime.mode().slides_on(i);
  if (slides) {
    met.minus_vanishes = slots[static_cast<std::size_t>(ModeOde::first_slot(i))] != 0;
    met.plus_vanishes = !met.minus_vanishes;
  }
  instant_.clear.state = now_.x;
  Resolution resolution;
  bool is_resolved = false;
  bool is_on_surface = false;
  try {
    on_surface_.assign(1, i);
    here.geometry.project(now_.t, on_surface_, now_.weights, now_.x);
    is_on_surface = here.geometry.residual() == 0;
    here.evaluator.keep_field_at(now_.t, now_.x);
    instant_.clear.lambda = slides ? here.ode.field().lambda(now_.t, now_.x) : now_.regime.lambda();
    for (Vector* field : {&instant_.clear.minus, &instant_.clear.plus}) field->resize(now_.x.size());
    here.evaluator.neighbour_fields(now_.t, now_.x, instant_.clear.lambda, i, instant_.clear.minus,
                                    instant_.clear.plus);
    const PointClassifier::BothSides at{
        .minus = instant_.clear.minus,
        .plus = instant_.clear.plus,
        .w_minus = here.evaluator.guard_rate(now_.t, now_.x, instant_.clear.minus, i),
        .w_plus = here.evaluator.guard_rate(now_.t, now_.x, instant_.clear.plus, i),
        .tolerance = here.geometry.tolerance(now_.t, now_.x, i, now_.weights)};
    is_resolved = here.resolver.resolve_clearly(now_.t, now_.x, now_.regime.mode(), instant_.clear.lambda,
                                                met, at, now_.weights, resolution);
  } catch (const std::exception&) {
    // The rules come to the same obstacle, and tell of it.
  }
  if (!is_resolved) {
    now_.x = instant_.clear.state;
    return std::nullopt;
  }
  if (slides) now_.regime.guess(instant_.clear.lambda);
  now_.restart.go_on();
  here.guards.keep_earlier();
  forget_what_has_been_left();
  begin_instant(false);
  if (log_.too_many_events()) return false;
  const double mode_began = now_.regime.since;
  adopt(resolution, is_on_surface);
  here.guards.forget_earlier_of_last();
  here.guards.note_return(true, now_.t - mode_began);
  return goes_on_in_mode(std::move(resolution.event), true);
}

}  // namespace slideway
