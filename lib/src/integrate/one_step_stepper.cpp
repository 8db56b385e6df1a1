#include "integrate/one_step_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

#include "core/constants.hpp"
#include "core/copy_numbers.hpp"
#include "core/same_numbers.hpp"
#include "core/wide_loops.hpp"
#include "integrate/clock_resolution.hpp"
#include "integrate/stepper_options.hpp"
#include "slideway/core/finite.hpp"

namespace slideway {

namespace {

constexpr const char* kOneStepMaker = "make_one_step_stepper";
// The shortest step in parts of |t|: below it t stops moving.
constexpr double kShortestOneStep = 4 * kEpsilon;

constexpr double kSmallestError = 1e-4;
constexpr double kUsualGrowth = 2;
constexpr double kReductionOnFailure = 0.25;
const double kLogSmallestError = std::log(kSmallestError);
// The largest difference of times that count as equal, in parts of a step.
constexpr double kSlightly = 1e-9;
// kScattered tells how many states can be done at a time in the time that one takes by itself.
constexpr Index kScattered = 4;

struct ErrorWeights {
  double rtol;
  [[gnu::always_inline]] void operator()(Index states, const double* x, const double* atol,
                                         double* __restrict weights) const {
    for (Index i = 0; i < states; ++i) weights[i] = 1 / (rtol * std::abs(x[i]) + atol[i]);
  }
};

double squared_distance(const Vector& a, const Vector& b) {
  if (a.size() > kFewEntries) return (a - b).squaredNorm();
  double sum = 0;
  for (Index i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return sum;
}

struct ValuesOfPolynomial {
  double s;
  Index terms;
  [[gnu::always_inline]] void operator()(Index states, const double* const* columns,
                                         double* __restrict x) const {
    if (states <= kFewEntries) {
      for (Index i = 0; i < states; ++i) {
        double value = columns[terms - 1][i];
        for (Index k = terms - 2; k >= 0; --k) value = value * s + columns[k][i];
        x[i] = value;
      }
      return;
    }
    const double* const highest = columns[terms - 1];
    for (Index i = 0; i < states; ++i) x[i] = highest[i];
    for (Index k = terms - 2; k >= 0; --k) {
      const double* const column = columns[k];
      for (Index i = 0; i < states; ++i) x[i] = x[i] * s + column[i];
    }
  }
};

}  // namespace

OneStepStepper::OneStepStepper(SmoothOde& ode, const StepperOptions& options, const Control& control,
                               Index terms)
    : states_(checked_size(ode, kOneStepMaker)),
      checked_(ode),
      rtol_(options.rtol),
      atol_(options.atol),
      weights_(Vector::Zero(states_)),
      correction_(Vector::Zero(states_)),
      coefficients_(Matrix::Zero(states_, terms - 1)),
      columns_(static_cast<std::size_t>(terms)),
      off_chord_(Vector::Zero(states_)),
      ode_(ode),
      control_(control),
      max_step_(options.max_step > 0 ? options.max_step : std::numeric_limits<double>::infinity()),
      given_atol_(options.atol),
      on_clock_(options.rtol) {
  check_options(options, states_, kOneStepMaker);
  for (Vector* vector : {&step_.x, &step_.velocity, &step_.x_new, &step_.velocity_new, &step_.error}) {
    *vector = Vector::Zero(states_);
  }
  for (std::size_t k = 1; k < columns_.size(); ++k)
    columns_[k] = coefficients_.col(static_cast<Index>(k) - 1).data();
}

bool OneStepStepper::start(double t, ConstVectorRef x, double end, double first_step) {
  ++restarts_;
  way_.running = way_.on_the_way = false;
  interpolant_is_current_ = false;
  if (allows_for_clock_) atol_ = given_atol_;
  allows_for_clock_ = false;
  failure_.by_user_function = false;
  failure_.message.clear();
  checked_.forget_obstacle();

  if (x.size() != states_ || !all_finite(x) || !std::isfinite(t) || !std::isfinite(end) || !(end > t)) {
    failure_.message = fmt::format(
        "cannot start at t = {}: that needs a finite time, a later finite end (got {}) and {} finite states",
        t, end, states_);
    return false;
  }
  way_.reached = t;
  way_.end = step_.latest = end;
  step_.t = t;
  step_.h = 0;
  copy_numbers(x, step_.x_new);
  if (!checked_.velocity(t, step_.x_new, step_.velocity_new, true)) {
    failure_.by_user_function = true;
    failure_.message = checked_.obstacle();
    return false;
  }
  way_.constrained = ode_.constrained();
  way_.knows_decay = ode_.knows_decay();
  way_.log_error_before = kLogSmallestError;
  way_.next_step = std::min(first_step > 0 ? first_step : starting_step(), max_step_);
  way_.running = way_.on_the_way = true;
  return true;
}

double OneStepStepper::weighted_norm(ConstVectorRef vector) const {
  return std::sqrt(vector.cwiseProduct(weights_).squaredNorm() / static_cast<double>(states_));
}

// starting_step() follows Hairer, Nørsett & Wanner I, II.4, and takes one more velocity. Its step has an error of
// about the tolerance when velocity v and acceleration a suggest the highest derivative. The state has the size
// 1/rtol in units of the tolerances, and things change at the rates a/v and √(a rtol).
double OneStepStepper::starting_step() {
  const double longest = std::min(way_.end - way_.reached, max_step_);
  if (longest <= kIndivisible * std::max(std::abs(way_.reached), std::abs(way_.end))) return longest;
  error_weights(step_.x_new, weights_);
  const double speed = weighted_norm(step_.velocity_new);
  // The state changes by a hundredth in the trial step.
  const double trial = speed * rtol_ * longest > 0.01 ? 0.01 / (speed * rtol_) : longest;
  step_.x = step_.x_new + trial * step_.velocity_new;
  if (!checked_.velocity(std::min(way_.reached + trial, way_.end), step_.x, step_.velocity)) {
    return 0.01 * trial;
  }
  step_.error = step_.velocity - step_.velocity_new;
  const double acceleration = weighted_norm(step_.error) / trial;
  const double rate = std::max(speed > 0 ? acceleration / speed : 0, std::sqrt(acceleration * rtol_));
  double highest = 1;
  for (int k = 2; k < control_.order; ++k) highest *= rate;
  highest *= std::max(acceleration, speed * rate);
  const double estimate = std::isfinite(highest) && highest > 0
                              ? std::pow(control_.starting_error / highest, 1 / control_.order)
                              : longest;
  return std::min({control_.trial_parts * trial, estimate, longest});
}

double OneStepStepper::fitted(double h) const {
  const double left = way_.end - way_.reached;
  if (h >= left * (1 - 1e-9)) return left;
  // Two steps alike rather than one and a sliver.
  h = h > 0.5 * left ? 0.5 * left : h;
  return control_.ends_on_clock ? on_clock(h) : h;
}

// The longest step, up to h, to a time that the clock holds.
double OneStepStepper::on_clock(double h) const {
  const double end = way_.reached + h;
  const double exact =
      end - way_.reached <= h ? end - way_.reached : std::nextafter(end, way_.reached) - way_.reached;
  return exact > 0 ? exact : h;
}

StepReport OneStepStepper::step() {
  if (!way_.running) {
    if (failure_.message.empty()) {
      failure_.message = "there is no step to take before start() or after the end";
    }
    return {StepStatus::failed, way_.reached, way_.reached};
  }
  interpolant_is_current_ = false;
  step_.t = way_.reached;
  step_.x.swap(step_.x_new);
  step_.velocity.swap(step_.velocity_new);
  checked_.forget_obstacle();

  const double whole = std::max(std::abs(way_.reached), std::abs(way_.end));
  const bool indivisible = way_.end - way_.reached <= kIndivisible * whole;
  const double shortest = std::max(kShortestOneStep * std::abs(way_.reached), kShortestStepOfAll * whole);
  const double stable = longest_stable_step();
  const bool is_bounded = stable < std::min(way_.next_step, way_.end - way_.reached);
  double h = std::max(std::min(way_.next_step, stable), shortest);
  bool rejected = false;
  while (true) {
    h = fitted(h);
    step_.h = h;
    corrected_ = false;
    if (rejected || allows_for_clock_) allow_for_clock(h);
    double error = 0;
    const bool usable = advance(error);
    // A state that overflows without an obstacle has gone too far as well; the last velocity was asked for at x_new.
    const bool finite = usable && std::isfinite(error);
    const bool seems_accurate = finite && (error <= 1 || indivisible);
    const bool completed = seems_accurate && complete();
    const double late = completed && !indivisible ? late_error() : 0;
    const bool accurate = seems_accurate && late <= 1;
    if (completed && accurate) {
      if (control_.late_error_guides) error = std::max(error, late);
      const double log_error = std::log(std::max(error, 1e-30));
      const double exponent = 1 / control_.order - 0.75 * control_.beta;
      const double factor =
          control_.safety * std::exp(control_.beta * way_.log_error_before - exponent * log_error);
      const double most = rejected ? 1.0 : control_.growth;
      way_.next_step = std::min(h * std::clamp(factor, control_.reduction, most), max_step_);
      // Steps that grow as fast as they may say nothing about the errors of the next mode.
      if (way_.next_step <= kUsualGrowth * h) way_.usual_step = way_.next_step;
      way_.log_error_before = std::max(log_error, kLogSmallestError);
      break;
    }
    if (h <= shortest) return fail(h, finite && !accurate);
    rejected = true;
    const double factor =
        finite && !accurate
            ? std::max(control_.reduction,
                       control_.safety * std::exp(-(1 / control_.order) * std::log(std::max(error, late))))
            : kReductionOnFailure;
    h = std::max(h * factor, shortest);
  }

  if (is_bounded && !rejected) note_bounded_step();
  ++steps_;
  const double start = way_.reached;
  const bool to_end = h >= way_.end - start;
  way_.reached = to_end ? way_.end : start + h;
  way_.running = way_.on_the_way = !to_end;
  return {to_end ? StepStatus::reached_end : StepStatus::advanced, start, way_.reached};
}

// Hairer & Wanner II, IV.2: the difference of the velocities is the Jacobian times that of the states.
//
// At tight tolerances the stages' distance from the equilibrium of what is stiff, h² times its acceleration, fails the error test
// before the step reaches the limit of stability. The velocity of motion on the time scale 1/|λ| changes by about h|λ| of itself.
void OneStepStepper::note_stiffness(double limit, const Vector& stage_state, const Vector& stage_velocity) {
  constexpr double near_limit = 1.0 / 3;
  constexpr double far_slower = 0.01;
  constexpr double rounding = 16 * kEpsilon;
  const double distance = squared_distance(step_.x_new, stage_state);
  const double change = step_.h * step_.h * squared_distance(step_.velocity_new, stage_velocity);
  const double at_limit = limit * limit * distance;
  const bool is_at_limit = change > at_limit && distance > 0;
  const bool is_held_up = change > near_limit * near_limit * at_limit && distance > 0 &&
                          squared_distance(step_.velocity_new, step_.velocity) * distance <
                              far_slower * far_slower * change * step_.velocity.squaredNorm();
  // Rounding points in any direction and tells nothing of λ, as in a free fall, which the formula follows exactly.
  const bool is_told =
      (is_at_limit || is_held_up) &&
      ((step_.x_new - stage_state).array().abs() > rounding * step_.x_new.array().abs()).any();
  if (is_told) {
    stiffness_.smooth_steps = 0;
    stiffness_.stiff_steps += is_at_limit ? kHeldUpSteps : 1;
  } else if (++stiffness_.smooth_steps >= kSmoothSteps) {
    stiffness_.stiff_steps = 0;
  }
}

void OneStepStepper::note_bounded_step() {
  stiffness_.smooth_steps = 0;
  stiffness_.stiff_steps += kHeldUpSteps;
}

double OneStepStepper::longest_stable_step() {
  if (control_.halves_up_to == 0 || !way_.knows_decay) return std::numeric_limits<double>::infinity();
  double rate = 0;
  try {
    rate = ode_.decay_rate(step_.t, step_.x);
  } catch (const std::exception&) {
    // The step comes to the same obstacle, and tells of it.
  }
  return rate > 0 ? control_.halves_up_to / rate : std::numeric_limits<double>::infinity();
}

bool OneStepStepper::project_onto_surface() {
  const double end = step_.t + step_.h;
  if (!way_.last_was_corrected && !checked_.may_be_moved(end, step_.x_new)) return true;
  copy_numbers(step_.x_new, correction_);
  if (!checked_.project_finite(end, weights_, step_.x_new)) return false;
  way_.last_was_corrected = corrected_ = !are_same(correction_, step_.x_new);
  if (corrected_) correction_ = step_.x_new - correction_;
  return true;
}

StepReport OneStepStepper::fail(double h, bool by_error_test) {
  way_.running = false;
  const bool clock_is_outrun = outruns_clock(way_.reached, step_.velocity, weights_);
  // The valid state is the one that the step began from.
  step_.x.swap(step_.x_new);
  step_.velocity.swap(step_.velocity_new);
  step_.h = 0;
  const std::string where =
      fmt::format("no step from t = {} succeeds, down to step size {:.3g}", way_.reached, h);
  failure_.by_user_function = !by_error_test && checked_.obstructed();
  if (failure_.by_user_function) {
    failure_.message = fmt::format("{} ({})", checked_.obstacle(), where);
  } else if (by_error_test && clock_is_outrun) {
    failure_.message =
        fmt::format("{}: {}{}", where, kOutrunsClock, is_implicit() ? kExplicitForExplosions : "");
  } else {
    failure_.message =
        where + (by_error_test
                     ? ": the error test fails at every step size; the field may jump or be singular here, "
                       "or the problem be stiff: check the size of atol beside that of each state, or use bdf"
                     : ": the state grows beyond all bounds; the solution may end here");
    if (const std::string obstacle = checked_.obstacle(); !obstacle.empty()) {
      failure_.message += fmt::format(" (earlier in the same step {})", obstacle);
    }
  }
  return {StepStatus::failed, way_.reached, way_.reached};
}

void OneStepStepper::make_interpolant() {
  if (interpolant_is_current_) return;
  interpolant_is_current_ = true;
  if (step_.h == 0) {
    coefficients_.setZero();
    columns_[0] = step_.x_new.data();
    return;
  }
  columns_[0] = step_.x.data();
  find_coefficients();
}

Interpolant OneStepStepper::interpolant() {
  make_interpolant();
  return last_interpolant();
}

Interpolant OneStepStepper::interpolant_of(std::span<const int> states) {
  if (interpolant_is_current_ || corrected_ || step_.h == 0) return interpolant();
  columns_[0] = step_.x.data();
  find_coefficients_of(states);
  return last_interpolant();
}

Interpolant OneStepStepper::last_interpolant() const {
  return {step_.t, step_.h == 0 ? 1 : step_.h, states_, static_cast<Index>(columns_.size()), columns_.data()};
}

// A step so short that θ is not 1 where it ends tells nothing.
bool OneStepStepper::has_chords() const {
  const double h = step_.h;
  return h != 0 && std::abs(way_.reached - step_.t - h) <= kSlightly * h;
}

StepChords OneStepStepper::chords_of(std::span<const int> states) {
  if (!has_chords()) return {};
  // Several are done at a time where all are.
  const auto size = static_cast<Index>(states.size());
  if (states_ <= kFewEntries ? size < states_ : kScattered * size < states_) {
    find_chords_of(states);
  } else {
    find_chords();
  }
  return {step_.t, way_.reached, step_.x.data(), step_.x_new.data(), off_chord_.data()};
}

FunctionChord OneStepStepper::chord_of(std::span<const int> states, const double* weights) {
  const StepChords chords = chords_of(states);
  if (!chords.off) return {};
  FunctionChord chord{.off = 0};
  std::size_t k = 0;
  for (const int i : states) {
    const double weight = weights[k++];
    chord.first += weight * chords.first[i];
    chord.last += weight * chords.last[i];
    chord.off += std::abs(weight) * chords.off[i];
  }
  return chord;
}

void OneStepStepper::evaluate(double t, VectorRef x) {
  if (t == way_.reached) {
    copy_numbers(step_.x_new, x);
  } else {
    evaluate_within(step_.h == 0 ? 0 : (t - step_.t) / step_.h, x);
  }
}

void OneStepStepper::evaluate_within(double s, VectorRef x) {
  make_interpolant();
  run_loop(ValuesOfPolynomial{s, static_cast<Index>(columns_.size())}, states_, columns_.data(), x.data());
}

void OneStepStepper::error_weights(ConstVectorRef x, VectorRef weights) const {
  run_loop(ErrorWeights{rtol_}, states_, x.data(), given_atol_.data(), weights.data());
}

void OneStepStepper::allow_for_clock(double h) {
  error_weights(step_.x, off_chord_);
  allows_for_clock_ =
      on_clock_.are_wider(checked_, {step_.t, step_.latest, h, step_.x, step_.velocity, off_chord_});
  atol_ = given_atol_;
  if (allows_for_clock_) atol_ += on_clock_.tolerances() - off_chord_.cwiseInverse();
}

StepperStatistics OneStepStepper::statistics() const {
  StepperStatistics statistics;
  statistics.steps = steps_;
  statistics.velocity_evaluations = checked_.velocity_evaluations();
  statistics.jacobian_evaluations = checked_.jacobian_evaluations();
  statistics.restarts = restarts_;
  return statistics;
}

}  // namespace slideway
