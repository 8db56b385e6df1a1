#include "integrate/rodas_stepper.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "integrate/rodas_coefficients.hpp"

namespace slideway {

namespace {

// The slopes of the formula's extension are off by one or two tolerances for motion that is not stiff.
constexpr double kStiffSlopes = 30;

template <std::size_t kSize>
double sum_of_parts(const std::array<double, kSize>& weights, std::size_t count, const RodasStepper::Parts& g,
                    Index i) {
  double sum = 0;
  for (std::size_t j = 0; j < count; ++j) sum += weights[j] * g[j][i];
  return sum;
}

RodasStepper::Parts parts_of(const std::array<Vector, 6>& g) {
  return {g[0].data(), g[1].data(), g[2].data(), g[3].data(), g[4].data(), g[5].data()};
}

}  // namespace

// Cubic is dθ + θ(1−θ)(p + qθ). It is Hermite's cubic with the slopes of both ends, which leaves a surface that
// the solution leaves as t² on the right side. The slopes of stiff states come from the step's errors, so the
// formula's own extension is better for them.
struct RodasStepper::Cubic {
  double d, p, q;
  double by_slopes = 0;  // about how much the slopes of both ends move the middle
  bool is_stiff;
  Cubic(const RungeKuttaStep& step, const Parts& g, double weight, Index i)
      : d(step.x_new[i] - step.x[i]),
        p(sum_of_parts(rodas::p, rodas::p.size(), g, i)),
        q(sum_of_parts(rodas::q, rodas::q.size(), g, i)) {
    const double to_start = step.h * step.velocity[i] - d - p;
    const double to_end = d - p - q - step.h * step.velocity_new[i];
    is_stiff = weight * std::max(std::abs(to_start), std::abs(to_end)) > kStiffSlopes;
    if (is_stiff) return;
    by_slopes = 0.125 * (std::abs(to_start) + std::abs(to_end));
    p += to_start;
    q += to_end - to_start;
  }
  double off_chord() const { return 0.25 * std::max(std::abs(p), std::abs(p + q)); }
  double middle(double start) const { return start + 0.5 * d + 0.25 * (p + 0.5 * q); }
  // The slope is that by θ.
  double slope_in_middle() const { return d + 0.25 * q; }
};

RodasStepper::RodasStepper(SmoothOde& ode, const StepperOptions& options)
    : OneStepStepper(ode, options,
                     {.order = 4,
                      .beta = 0,
                      .safety = 0.9,
                      .growth = 6,
                      .reduction = 0.2,
                      .trial_parts = 1000,
                      .starting_error = 100,
                      .late_error_guides = true,
                      .ends_on_clock = true},
                     4),
      context_(sundials::create_context()),
      shifted_(ode, checked_, options.linear_solver, context_.get()),
      slope_in_time_(Vector::Zero(states_)),
      stage_state_(Vector::Zero(states_)),
      stage_velocity_(Vector::Zero(states_)),
      right_(Vector::Zero(states_)),
      off_middle_(Vector::Zero(states_)) {
  for (Vector& g : g_) g = Vector::Zero(states_);
}

bool RodasStepper::start(double t, ConstVectorRef x, double end, double first_step) {
  has_jacobian_ = false;
  return OneStepStepper::start(t, x, end, first_step);
}

bool RodasStepper::find_derivatives() {
  if (!has_jacobian_ || jacobian_at_ != step_.t) {
    has_jacobian_ = false;
    if (!shifted_.find_jacobian(step_.t, step_.x, step_.velocity)) return false;
    jacobian_at_ = step_.t;
    has_jacobian_ = true;
  }
  // slope_in_time_ is the derivative at 0 of the cubic through f at thirds of the step, with an error of the
  // formula's order. A shorter time would multiply rounding, and separate what linear laws hold together. The
  // clock rounds the thirds far from t = 0, where ∂f/∂t may be large, so `at` holds the times of the clock.
  std::array<double, 3> at = {};
  for (std::size_t k = 0; k < at.size(); ++k) at[k] = clock_at(static_cast<double>(k + 1) / 3) - step_.t;
  if (!(0 < at[0] && at[0] < at[1] && at[1] < at[2])) at = {step_.h / 3, step_.h * 2 / 3, step_.h};
  slope_in_time_.setZero();
  for (std::size_t k = 0; k < at.size(); ++k) {
    const double one = at[(k + 1) % at.size()];
    const double other = at[(k + 2) % at.size()];
    const double weight = one * other / (at[k] * (at[k] - one) * (at[k] - other));
    if (!checked_.velocity(step_.t + at[k], step_.x, stage_velocity_)) return false;
    slope_in_time_ += weight * (stage_velocity_ - step_.velocity);
  }
  return true;
}

double RodasStepper::clock_at(double part) const { return std::min(step_.t + part * step_.h, step_.latest); }

// f at stage_state_ and a part of the step; from the time that the clock rounds it to it is brought there by ∂f/∂t.
bool RodasStepper::find_stage_velocity(double part) {
  const double t = clock_at(part);
  if (!checked_.velocity(t, stage_state_, stage_velocity_)) return false;
  const double late = (t - step_.t) - part * step_.h;
  if (late != 0) stage_velocity_ -= late * slope_in_time_;
  return true;
}

// gᵢ, where the velocity of the stage is known.
bool RodasStepper::solve_stage(std::size_t stage) {
  const double shift = rodas::gamma * step_.h;
  const double in_time = rodas::in_time[stage] * step_.h;
  const Parts g = parts_of(g_);
  for (Index i = 0; i < states_; ++i) {
    right_[i] = shift * (stage_velocity_[i] + in_time * slope_in_time_[i]) +
                rodas::gamma * sum_of_parts(rodas::c[stage], stage, g, i);
  }
  return shifted_.solve(right_, g_[stage]);
}

bool RodasStepper::advance(double& error) {
  if (!find_derivatives()) return false;
  shifted_.shift(rodas::gamma * step_.h);
  if (!shifted_.factor()) return false;
  const Parts g = parts_of(g_);
  stage_velocity_ = step_.velocity;
  if (!solve_stage(0)) return false;
  for (std::size_t stage = 1; stage < g_.size(); ++stage) {
    for (Index i = 0; i < states_; ++i)
      stage_state_[i] = step_.x[i] + sum_of_parts(rodas::a[stage], stage, g, i);
    if (!find_stage_velocity(rodas::times[stage]) || !solve_stage(stage)) return false;
  }
  double sum = 0;
  for (Index i = 0; i < states_; ++i) {
    const double end = stage_state_[i] + g_[5][i];
    const double weight = 1 / (rtol_ * std::max(std::abs(step_.x[i]), std::abs(end)) + atol_[i]);
    step_.x_new[i] = end;
    weights_[i] = weight;
    sum += (weight * g_[5][i]) * (weight * g_[5][i]);
  }
  error = std::sqrt(sum / static_cast<double>(states_));
  return true;
}

bool RodasStepper::complete() {
  if (!project()) return false;
  return checked_.velocity(std::min(step_.t + step_.h, step_.latest), step_.x_new, step_.velocity_new);
}

// late_error() is the error at the middle of the step, where it is largest. A stiff state follows its equilibrium
// φ(t): the formula ends there with almost no error, but its extension is off by h⁴ φ⁽⁴⁾ in between. One Newton
// step with the factors of the stages, (I/(γh) − J) δ = f − x', brings stiff states to their equilibrium. For
// other states it is the difference of two polynomials of the same order, which is a part of the tolerance.
double RodasStepper::late_error() {
  const Parts g = parts_of(g_);
  bool has_stiff = false;
  for (Index i = 0; i < states_; ++i) {
    const Cubic cubic = cubic_of(g, i);
    has_stiff = has_stiff || cubic.is_stiff;
    stage_state_[i] = cubic.middle(step_.x[i]);
    right_[i] = cubic.slope_in_middle();
  }
  constexpr double infinite = std::numeric_limits<double>::infinity();
  if (has_stiff) {
    if (!find_stage_velocity(0.5)) return infinite;
    right_ = rodas::gamma * (step_.h * stage_velocity_ - right_);
    if (!shifted_.solve(right_, off_middle_)) return infinite;
  }
  double sum = 0;
  for (Index i = 0; i < states_; ++i) {
    const Cubic cubic = cubic_of(g, i);
    const double off = weights_[i] * (cubic.is_stiff ? off_middle_[i] : cubic.by_slopes);
    sum += off * off;
  }
  const double error = std::sqrt(sum / static_cast<double>(states_));
  return std::isnan(error) ? infinite : error;
}

RodasStepper::Cubic RodasStepper::cubic_of(const Parts& g, Index i) const {
  return {step_, g, weights_[i], i};
}

void RodasStepper::find_coefficients() {
  const Parts g = parts_of(g_);
  for (Index i = 0; i < states_; ++i) find_coefficients_of(g, i);
}

void RodasStepper::find_coefficients_of(std::span<const int> states) {
  const Parts g = parts_of(g_);
  for (const Index i : states) find_coefficients_of(g, i);
}

void RodasStepper::find_coefficients_of(const Parts& g, Index i) {
  const Cubic cubic = cubic_of(g, i);
  coefficients_.row(i) << cubic.d + cubic.p, cubic.q - cubic.p, -cubic.q;
}

void RodasStepper::find_chords() {
  const Parts g = parts_of(g_);
  for (Index i = 0; i < states_; ++i) find_chord_of(g, i);
}

void RodasStepper::find_chords_of(std::span<const int> states) {
  const Parts g = parts_of(g_);
  for (const Index i : states) find_chord_of(g, i);
}

void RodasStepper::find_chord_of(const Parts& g, Index i) {
  off_chord_[i] =
      cubic_of(g, i).off_chord() + StepChords::kRounding * (std::abs(step_.x[i]) + std::abs(step_.x_new[i]));
}

}  // namespace slideway
