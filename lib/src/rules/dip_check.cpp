#include "rules/dip_check.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/copy_numbers.hpp"
#include "core/number_text.hpp"
#include "simulate/precision.hpp"
#include "simulate/reasons.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

void DipCheck::begin_flight() {
  const bool same_flight = flight_.goes_on || now_.t > now_.regime.since;
  flight_.goes_on = false;
  if (same_flight) return;
  flight_.start = now_.t;
  copy_numbers(now_.x, flight_.state);
  now_.here->guards.list_surfaces_left(flight_.left);
}

std::vector<Index> DipCheck::certain_dips(Resolution& resolution) {
  std::vector<Index> certain;
  Vector state;
  bool all_told = true;
  bool shows = false;
  std::string reason;
  for (const Dip& dip : resolution.dips) {
    const double tolerance = now_.here->geometry.tolerance(now_.t, now_.x, dip.surface, now_.weights);
    const double gathered = gathered_errors(now_.options.rtol) * tolerance;
    const bool starts_there = contains(flight_.left, dip.surface);
    const auto touches = [&](std::optional<double> depth, double counts_from) {
      reason += (reason.empty() ? "" : "; ") + why_touched(dip, depth, counts_from);
    };
    if (now_.here->guards.surface(dip.surface).left_earlier) {
      // Hardly on its side again, it is still in the touch from which the flight began.
      if (starts_there) flight_.goes_on = true;
      return {};
    }
    // The flight begins at an event elsewhere, where the guard already has errors. It was zero when its surface was met, and each
    // step since then adds at most one tolerance.
    if (!starts_there && now_.here->guards.surface(dip.surface).along) {
      const auto steps =
          static_cast<double>(now_.restart.steps_in_run() - now_.here->guards.surface(dip.surface).met_step);
      const double since = std::min(gathered, steps * tolerance);
      if (dip.depth > since) {
        certain.push_back(dip.surface);
        continue;
      }
      all_told = false;
      touches({}, since);
      continue;
    }
    // The errors of the second integration gather as well.
    const double part = now_.here->reintegration_part();
    const double resolved = gathered_errors(part * now_.options.rtol) * part * tolerance;
    const std::optional<double> depth = depth_of_dip(dip, state);
    // The numbers at hand decide where the integration gave no answer; they may be those of an exact touch.
    const double counts_from = depth ? std::max(tolerance, resolved)
                               : starts_there || !now_.here->reintegration_step() ? gathered
                                                                                  : tolerance;
    if (depth.value_or(dip.depth) > counts_from) {
      certain.push_back(dip.surface);
      continue;
    }
    all_told = all_told && depth;
    shows = shows || (depth && *depth > resolved);
    touches(depth, counts_from);
  }
  if (!certain.empty()) return certain;
  if (all_told) {
    // The next touch is to be judged without the errors up to this one.
    flight_.goes_on = true;
    flight_.start = now_.t;
    flight_.state = std::move(state);
    for (const Dip& dip : resolution.dips) {
      if (!contains(flight_.left, dip.surface)) flight_.left.push_back(dip.surface);
    }
  }
  if (resolution.event.kind == EventKind::grazing) {
    resolution.eventful = resolution.eventful || shows;
    resolution.event.reason = std::move(reason);
  }
  return {};
}

std::string DipCheck::why_touched(const Dip& dip, std::optional<double> integrated,
                                  double counts_from) const {
  const std::string component = now_.regime.mode()[dip.surface] == Side::minus ? "w- = " : "w+ = ";
  return reason::touched(component + number_text(dip.w), integrated.value_or(dip.depth),
                         integrated.has_value(), counts_from);
}

std::optional<double> DipCheck::depth_of_dip(const Dip& dip, Vector& state) {
  const Index surface = dip.surface;
  const double duration = now_.t - flight_.start;
  // A flight that began only just before the dip is shorter than the dip.
  const double near = std::max(kNearDip * duration, 2 * dip.turns_after);
  const double end = std::min(now_.run.end, now_.t + near);
  Stepper* const stepper = now_.here->reintegration_step();
  if (!stepper || !(duration > 0) || !(end > now_.t)) return std::nullopt;
  ModeOde& ode = now_.here->ode;
  const double side = now_.regime.mode()[surface] == Side::minus ? -1 : 1;
  Vector x = flight_.state;
  Vector velocity(x.size());
  const auto rate = [&](double t) {
    ode.velocity(t, x, velocity);
    return side * now_.here->evaluator.guard_rate(t, x, velocity, surface);
  };
  if (!stepper->start(flight_.start, x, end, 0)) return std::nullopt;
  double rate_before = rate(flight_.start);
  std::optional<double> depth;
  double turn = 0;
  for (int steps = 0; steps < kMostReintegrationSteps; ++steps) {
    const StepReport report = stepper->step();
    if (report.status == StepStatus::failed) return std::nullopt;
    if (report.start <= now_.t && now_.t <= report.end) {
      state.resize(x.size());
      stepper->evaluate(now_.t, state);
      ode.project(now_.t, now_.weights, state);
    }
    stepper->evaluate(report.end, x);
    const double rate_after = rate(report.end);
    if (rate_before < 0 && rate_after >= 0) {
      double low = report.start;
      double high = report.end;
      for (int halving = 0; halving < kDipHalvings; ++halving) {
        const double middle = 0.5 * (low + high);
        stepper->evaluate(middle, x);
        (rate(middle) < 0 ? low : high) = middle;
      }
      stepper->evaluate(high, x);
      if (!depth || std::abs(high - now_.t) <= std::abs(turn - now_.t)) {
        turn = high;
        depth = -side * now_.here->evaluator.guard_nearly(high, x, surface);
      }
    }
    rate_before = rate_after;
    if (report.end >= now_.t && rate_after >= 0) break;
    if (report.status == StepStatus::reached_end) break;
  }
  if (state.size() == 0 || !depth || std::abs(turn - now_.t) > near) return std::nullopt;
  return depth;
}

}  // namespace slideway
