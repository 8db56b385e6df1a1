#include "rules/surface_sides.hpp"

#include <cmath>

#include "core/constants.hpp"
#include "simulate/precision.hpp"
#include "simulate/run_shared.hpp"
#include "slideway/detail/model/explained_field.hpp"

namespace slideway {

namespace {

// A guard after a jump is rounded like the states before it: two speeds that cancel in an impact leave more than the rounding of
// their difference.
double jump_rounding(const RunState& now, const Instant& instant, Index surface) {
  if (!instant.moved || instant.before.size() != now.x.size()) return 0;
  const Vector change = (now.x - instant.before).cwiseAbs();
  return kRoundingFactor * kEpsilon *
         now.here->geometry.gradient(now.t, now.x, surface).cwiseAbs().dot(change);
}

// reaches_zero() tells whether the guard of a surface vanishes at this instant, as far as that can be located.
bool reaches_zero(const RunState& now, Index surface, double h) {
  Vector velocity(now.x.size());
  now.here->evaluator.field(now.t, now.x, now.regime.lambda(), velocity);
  const double side = now.regime.mode()[surface] == Side::minus ? -1 : 1;
  const double rate = side * now.here->evaluator.guard_rate(now.t, now.x, velocity, surface);
  const double accuracy = location_accuracy(now.t, now.stepper ? now.stepper->last_step_size() : 0);
  return rate < 0 && std::abs(h) <= -rate * accuracy;
}

}  // namespace

bool has_branches(const RunState& now) {
  const auto* const field = now.here->system.definition().field.target<ExplainedField>();
  return field && field->has_branches();
}

std::vector<Index> out_of_force(const RunState& now, const std::vector<Met>& met) {
  std::vector<Index> surfaces;
  LocationTools& here = *now.here;
  if (met.empty() || !has_branches(now)) return surfaces;
  const auto* const field = here.system.definition().field.target<ExplainedField>();
  Vector lambda = now.regime.lambda();
  Vector h(now.regime.mode().size());
  here.evaluator.guards(now.t, now.x, h);
  const double near = SurfaceGeometry::plainly_off_zero(now.x);
  // Either side may be in force of what slides, or rests at zero.
  for (Index i = 0; i < lambda.size(); ++i)
    if (now.regime.mode().slides_on(i) ||
        (std::abs(h[i]) <= near && std::abs(h[i]) <= here.geometry.projected(now.t, now.x, i, now.weights)))
      lambda[i] = 0;
  for (const Met& one : met) lambda[one.surface] = 0;
  for (const Met& one : met)
    if (!now.regime.mode().slides_on(one.surface) && !field->is_in_force(lambda, one.surface))
      surfaces.push_back(one.surface);
  return surfaces;
}

Index needed_without_value(const RunState& now, const Mode& mode, ConstVectorRef h) {
  Regime regime = now.regime;
  regime.take(mode);
  ModeOde& ode = now.here->asked_in(regime);
  for (Index i = 0; i < h.size(); ++i)
    if (!std::isfinite(h[i]) && ode.has_effect(now.t, now.x, i)) return i;
  return -1;
}

Sides find_sides(const RunState& now, const Instant& instant, bool keep) {
  Sides sides{.mode = now.regime.mode()};
  LocationTools& here = *now.here;
  Vector h(here.system.surfaces());
  here.evaluator.guards(now.t, now.x, h);
  const double near = SurfaceGeometry::plainly_off_zero(now.x);
  const bool starts = now.t == now.run.start && instant.round == 0;
  bool any_without_value = false;
  for (Index i = 0; i < h.size(); ++i) {
    if (!std::isfinite(h[i])) {
      any_without_value = true;
      if (!keep || now.regime.mode().slides_on(i)) sides.mode.set(i, Side::plus);
      continue;
    }
    // The size of a guard takes its gradient, so a guard that is plainly off zero is not asked for it. A state that slid
    // along its own zero is zero only within the rounding of its error scale. It may have slid in another run, which has ended where
    // this one starts.
    const bool met = (keep && now.regime.mode().slides_on(i)) || h[i] == 0 ||
                     (std::abs(h[i]) <= near &&
                      (std::abs(h[i]) <= here.geometry.rounding(now.t, now.x, i) ||
                       std::abs(h[i]) <= jump_rounding(now, instant, i) ||
                       ((starts || now.regime.mode().slides_on(i)) &&
                        std::abs(h[i]) <= here.geometry.projected(now.t, now.x, i, now.weights))));
    if (met || (keep && std::abs(h[i]) <= near && reaches_zero(now, i, h[i])))
      sides.met.push_back({.surface = i});
    if (!keep || now.regime.mode().slides_on(i)) sides.mode.set(i, h[i] < 0 ? Side::minus : Side::plus);
  }
  if (!any_without_value) return sides;
  const Index needed = needed_without_value(now, sides.mode, h);
  if (needed >= 0) sides.without_value = {needed, h[needed]};
  return sides;
}

void follow_others(const System& system, double t, VectorRef x) {
  if (const auto* const field = system.definition().field.target<ExplainedField>()) field->follow(t, x);
}

Index derivative_never_set(const RunState& now, ConstVectorRef h) {
  Vector lambda(h.size());
  for (Index i = 0; i < h.size(); ++i) lambda[i] = h[i] > 0 ? 1 : -1;
  Vector over_nothing = Vector::Constant(now.x.size(), kNotANumber);
  Vector over_zero = Vector::Zero(now.x.size());
  try {
    now.here->system.field(now.t, now.x, lambda, over_nothing);
    if (all_finite(over_nothing)) return -1;
    now.here->system.field(now.t, now.x, lambda, over_zero);
  } catch (...) {
    return -1;
  }
  for (Index j = 0; j < now.x.size(); ++j) {
    if (std::isnan(over_nothing[j]) && !std::isnan(over_zero[j])) return j;
  }
  return -1;
}

}  // namespace slideway
