// RunEngine where a surface is met in a dip no deeper than the errors of integration may be.
//
// A motion that left a surface along it may come back and touch it exactly (a block that slips between two that stick does so
// at every turn), and its errors then make a dip of the touch. Or it dips, by no more than that, and slides for a short while.
// Both begin with a state that is on the surface, so that one flight with smaller errors tells them apart.

#include <algorithm>
#include <cmath>

#include "simulate/run_engine.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

namespace {

// A dip deeper than this many times the tolerances is none of the errors of a flight integrated far more tightly, though it
// follow on many touches.
constexpr double kDeep = 3;
// A flight that takes more steps is not worth it.
constexpr int kMostSteps = 10000;
// The turn lies this near to the dip that was found, as a part of the flight's duration.
constexpr double kNear = 0.25;
// A depth changes with the square of the distance from the turn.
constexpr int kHalvings = 20;

}  // namespace

void RunEngine::begin_flight() {
  const bool same_flight = flight_.goes_on || t_ > mode_since_;
  flight_.goes_on = false;
  if (!same_flight) flight_.begin(t_, x_, leaving_.surfaces);
}

std::vector<Index> RunEngine::certain_dips(const std::vector<Index>& within_errors) {
  std::vector<Index> dips;
  Vector state;
  for (const Index surface : within_errors) {
    // Elsewhere what had gathered before the flight counts too.
    if (!contains(flight_.left, surface)) return {};
    if (contains(leaving_.earlier, surface)) {
      // Hardly on its side again, it is still in the touch from which the flight began.
      flight_.goes_on = true;
      return {};
    }
    const std::optional<double> depth = depth_of_dip(surface, state);
    if (!depth) return {};
    if (*depth > kDeep * here_->geometry.tolerance(t_, x_, surface, weights_)) dips.push_back(surface);
  }
  if (!dips.empty()) return dips;
  // The next touch is to be judged without the errors up to this one.
  flight_.goes_on = true;
  flight_.start = t_;
  flight_.state = std::move(state);
  return dips;
}

std::optional<double> RunEngine::depth_of_dip(Index surface, Vector& state) {
  const double duration = t_ - flight_.start;
  const double end = std::min(run_.end, t_ + kNear * duration);
  Stepper* const stepper = here_->doubt_step();
  if (!stepper || !(duration > 0) || !(end > t_)) return std::nullopt;
  ModeOde& ode = here_->ode;
  const double side = mode_[surface] == Side::minus ? -1 : 1;
  Vector x = flight_.state;
  Vector velocity(x.size());
  const auto rate = [&](double t) {
    ode.velocity(t, x, velocity);
    return side * here_->evaluator.guard_rate(t, x, velocity, surface);
  };
  if (!stepper->start(flight_.start, x, end, 0)) return std::nullopt;
  double rate_before = rate(flight_.start);
  std::optional<double> depth;
  double turn = 0;
  for (int steps = 0; steps < kMostSteps; ++steps) {
    const StepReport report = stepper->step();
    if (report.status == StepStatus::failed) return std::nullopt;
    if (report.start <= t_ && t_ <= report.end) {
      state.resize(x.size());
      stepper->evaluate(t_, state);
      ode.project(t_, weights_, state);
    }
    stepper->evaluate(report.end, x);
    const double rate_after = rate(report.end);
    if (rate_before < 0 && rate_after >= 0) {
      double low = report.start;
      double high = report.end;
      for (int halving = 0; halving < kHalvings; ++halving) {
        const double middle = 0.5 * (low + high);
        stepper->evaluate(middle, x);
        (rate(middle) < 0 ? low : high) = middle;
      }
      stepper->evaluate(high, x);
      if (!depth || std::abs(high - t_) <= std::abs(turn - t_)) {
        turn = high;
        depth = -side * here_->evaluator.guard_nearly(high, x, surface);
      }
    }
    rate_before = rate_after;
    if (report.end >= t_ && rate_after >= 0) break;
    if (report.status == StepStatus::reached_end) break;
  }
  if (state.size() == 0 || !depth || std::abs(turn - t_) > kNear * duration) return std::nullopt;
  return depth;
}

}  // namespace slideway
