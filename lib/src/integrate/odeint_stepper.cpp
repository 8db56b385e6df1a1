#include "integrate/odeint_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/copy_numbers.hpp"
#include "core/wide_loops.hpp"
#include "integrate/clock_resolution.hpp"
#include "integrate/stepper_options.hpp"
#include "slideway/core/finite.hpp"
#include "slideway/core/same_numbers.hpp"

namespace slideway {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr const char* kMaker = "make_odeint_stepper";
// An interval of fewer units in the last place of t than this is one step, whatever the error estimate says.
constexpr double kIndivisible = 100 * kEpsilon;
// The shortest step, in parts of |t| (below it t stops moving) and of the whole time.
constexpr double kShortestStep = 4 * kEpsilon;
constexpr double kShortestStepOfAll = 1e-40;

// Hairer, Nørsett & Wanner I, II.4: the step size is multiplied by 0.93 err^-(0.2 - 0.75β) err_before^β.
constexpr double kSafety = 0.93;
constexpr double kBeta = 0.04;
constexpr double kExponent = 0.2 - 0.75 * kBeta;
constexpr double kSmallestError = 1e-4;
constexpr double kGreatestGrowth = 10;
constexpr double kGreatestReduction = 0.1;
constexpr double kUsualGrowth = 2;
constexpr double kStartingError = 100;
constexpr double kTrialParts = 1000;
constexpr double kReductionOnFailure = 0.25;
const double kLogSmallestError = std::log(kSmallestError);
// What times that should be one may differ by, in parts of a step.
constexpr double kSlightly = 1e-9;
// At this h·|λ| the formula is at the edge of its region of stability.
constexpr double kStabilityLimit = 3.25;
// How many states can be done at a time in the time that one takes by itself.
constexpr Index kScattered = 4;

struct StepEnds {
  StepEnds(const OdeintDopri5::Step& step, const Vector& middle)
      : x(step.x.data()),
        x_new(step.x_new.data()),
        velocity(step.velocity.data()),
        velocity_new(step.velocity_new.data()),
        halfway(middle.data()) {}
  const double *x, *x_new, *velocity, *velocity_new, *halfway;
};

// u, from the differences of one state.
inline double quartic_part(double d, double slope, double end_slope, double halfway) {
  return 16 * (halfway - 0.5 * d - 0.125 * (slope - end_slope));
}

// Of errors in units of the tolerances, which are noted as weights. Of many states in four sums, since each addition waits for the
// one before; of few one by one, as they have been written.
struct SumOfSquares {
  double rtol;
  [[gnu::always_inline]] double operator()(Index states, const double* x, const double* x_new,
                                           const double* atol, const double* error,
                                           double* __restrict weights) const {
    const auto square = [&](Index i) {
      const double weight = 1 / (rtol * std::max(std::abs(x[i]), std::abs(x_new[i])) + atol[i]);
      const double part = error[i] * weight;
      weights[i] = weight;
      return part * part;
    };
    constexpr Index lanes = 4;
    if (states <= kFewEntries) {
      double sum = 0;
      for (Index i = 0; i < states && std::isfinite(sum); ++i) sum += square(i);
      return sum;
    }
    const Index in_lanes = states - states % lanes;
    double sums[lanes] = {};
    for (Index first = 0; first < in_lanes; first += lanes) {
      for (Index k = 0; k < lanes; ++k) sums[k] += square(first + k);
    }
    double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
    for (Index i = in_lanes; i < states; ++i) sum += square(i);
    return sum;
  }
};

// The coefficients of the quartic with these values and slopes, of one state.
struct QuarticOfState {
  double value, first, second, third, fourth;

  [[gnu::always_inline]] QuarticOfState(double h, const StepEnds& at, Index i)
      : value(at.x[i]), first(h * at.velocity[i]) {
    const double end_slope = h * at.velocity_new[i];
    const double d = at.x_new[i] - at.x[i];
    const double u = quartic_part(d, first, end_slope, at.halfway[i]);
    second = 3 * d - 2 * first - end_slope + u;
    third = first + end_slope - 2 * d - 2 * u;
    fourth = u;
  }
  [[gnu::always_inline]] double at(double s) const {
    return (((fourth * s + third) * s + second) * s + first) * s + value;
  }
};

struct Quartic {
  double h;
  [[gnu::always_inline]] void operator()(Index states, StepEnds at, double* __restrict first,
                                         double* __restrict second, double* __restrict third,
                                         double* __restrict fourth) const {
    for (Index i = 0; i < states; ++i) {
      const QuarticOfState quartic(h, at, i);
      first[i] = quartic.first;
      second[i] = quartic.second;
      third[i] = quartic.third;
      fourth[i] = quartic.fourth;
    }
  }
};

// The values at s, from 0 to 1 along the step: of the coefficients, or without them where nobody else asks for them.
struct ValuesOfQuartic {
  double s;
  [[gnu::always_inline]] void operator()(Index states, const double* value, const double* first,
                                         const double* second, const double* third, const double* fourth,
                                         double* __restrict x) const {
    for (Index i = 0; i < states; ++i)
      x[i] = (((fourth[i] * s + third[i]) * s + second[i]) * s + first[i]) * s + value[i];
  }
};
struct ValuesInStep {
  double h, s;
  [[gnu::always_inline]] void operator()(Index states, StepEnds at, double* __restrict x) const {
    for (Index i = 0; i < states; ++i) x[i] = QuarticOfState(h, at, i).at(s);
  }
};

struct ErrorWeights {
  double rtol;
  [[gnu::always_inline]] void operator()(Index states, const double* x, const double* atol,
                                         double* __restrict weights) const {
    for (Index i = 0; i < states; ++i) weights[i] = 1 / (rtol * std::abs(x[i]) + atol[i]);
  }
};

// How far it can be from its chord, with the rounding of both.
struct BoundOffChord {
  double h;
  [[gnu::always_inline]] double of(const StepEnds& at, Index i) const {
    const double slope = h * at.velocity[i];
    const double end_slope = h * at.velocity_new[i];
    const double d = at.x_new[i] - at.x[i];
    const double u = quartic_part(d, slope, end_slope, at.halfway[i]);
    return 0.25 * std::max(std::abs(slope - d), std::abs(end_slope - d)) + 0.0625 * std::abs(u) +
           StepChords::kRounding * (std::abs(at.x[i]) + std::abs(at.x_new[i]));
  }
  [[gnu::always_inline]] void operator()(Index states, StepEnds at, double* __restrict off) const {
    for (Index i = 0; i < states; ++i) off[i] = of(at, i);
  }
};

}  // namespace

OdeintStepper::OdeintStepper(SmoothOde& ode, const StepperOptions& options)
    : ode_(ode),
      checked_(ode),
      states_(checked_size(ode, kMaker)),
      rtol_(options.rtol),
      atol_(options.atol),
      max_step_(options.max_step > 0 ? options.max_step : std::numeric_limits<double>::infinity()),
      formula_(states_),
      weights_(Vector::Zero(states_)),
      correction_(Vector::Zero(states_)),
      coefficients_(Matrix::Zero(states_, 4)),
      off_chord_(Vector::Zero(states_)) {
  check_options(options, states_, kMaker);
  for (Vector* vector : {&step_.x, &step_.velocity, &step_.x_new, &step_.velocity_new, &step_.error}) {
    *vector = Vector::Zero(states_);
  }
  for (std::size_t k = 1; k < columns_.size(); ++k)
    columns_[k] = coefficients_.col(static_cast<Index>(k) - 1).data();
}

bool OdeintStepper::start(double t, ConstVectorRef x, double end, double first_step) {
  ++restarts_;
  running_ = on_the_way_ = false;
  interpolant_is_current_ = has_evaluated_ = false;
  failure_.by_user_function = false;
  failure_.message.clear();
  checked_.forget_obstacle();

  if (x.size() != states_ || !all_finite(x) || !std::isfinite(t) || !std::isfinite(end) || !(end > t)) {
    failure_.message = fmt::format(
        "cannot start at t = {}: that needs a finite time, a later finite end (got {}) and {} finite states",
        t, end, states_);
    return false;
  }
  reached_ = t;
  end_time_ = step_.latest = end;
  step_.t = t;
  step_.h = 0;
  copy_numbers(x, step_.x_new);
  if (!checked_.velocity(t, step_.x_new, step_.velocity_new, true)) {
    failure_.by_user_function = true;
    failure_.message = checked_.obstacle();
    return false;
  }
  constrained_ = ode_.constrained();
  log_error_before_ = kLogSmallestError;
  next_step_size_ = std::min(first_step > 0 ? first_step : starting_step(), max_step_);
  running_ = on_the_way_ = true;
  return true;
}

double OdeintStepper::weighted_norm(ConstVectorRef vector) const {
  return std::sqrt(vector.cwiseProduct(weights_).squaredNorm() / static_cast<double>(states_));
}

// After Hairer, Nørsett & Wanner I, II.4: the step that makes an error of about the tolerance when the fifth
// derivative is what velocity v and acceleration a suggest, which takes one more velocity. With all sizes in
// units of the tolerances the state itself has the size 1/rtol, and the rates at which things change are a/v
// and √(a rtol).
double OdeintStepper::starting_step() {
  const double longest = std::min(end_time_ - reached_, max_step_);
  if (longest <= kIndivisible * std::max(std::abs(reached_), std::abs(end_time_))) return longest;
  error_weights(step_.x_new, weights_);
  const double speed = weighted_norm(step_.velocity_new);
  // In the trial step the state changes by a hundredth.
  const double trial = speed * rtol_ * longest > 0.01 ? 0.01 / (speed * rtol_) : longest;
  step_.x = step_.x_new + trial * step_.velocity_new;
  if (!checked_.velocity(std::min(reached_ + trial, end_time_), step_.x, step_.velocity)) {
    return 0.01 * trial;
  }
  step_.error = step_.velocity - step_.velocity_new;
  const double acceleration = weighted_norm(step_.error) / trial;
  const double rate = std::max(speed > 0 ? acceleration / speed : 0, std::sqrt(acceleration * rtol_));
  const double fifth = rate * rate * rate * std::max(acceleration, speed * rate);
  const double estimate = std::isfinite(fifth) && fifth > 0 ? std::pow(kStartingError / fifth, 0.2) : longest;
  return std::min({kTrialParts * trial, estimate, longest});
}

// The rms norm of CVODE, with the weights of the greater state at either end: a state on its way through zero
// needs no more accuracy than before and after.
double OdeintStepper::error_norm() {
  const double sum = run_loop(SumOfSquares{rtol_}, states_, step_.x.data(), step_.x_new.data(), atol_.data(),
                              step_.error.data(), weights_.data());
  return std::sqrt(sum / static_cast<double>(states_));
}

double OdeintStepper::fitted(double h) const {
  const double left = end_time_ - reached_;
  if (h >= left * (1 - 1e-9)) return left;
  // Two steps alike rather than one and a sliver.
  return h > 0.5 * left ? 0.5 * left : h;
}

StepReport OdeintStepper::step() {
  if (!running_) {
    if (failure_.message.empty()) {
      failure_.message = "there is no step to take before start() or after the end";
    }
    return {StepStatus::failed, reached_, reached_};
  }
  interpolant_is_current_ = has_evaluated_ = false;
  step_.t = reached_;
  step_.x.swap(step_.x_new);
  step_.velocity.swap(step_.velocity_new);
  checked_.forget_obstacle();

  const double whole = std::max(std::abs(reached_), std::abs(end_time_));
  const bool indivisible = end_time_ - reached_ <= kIndivisible * whole;
  const double shortest = std::max(kShortestStep * std::abs(reached_), kShortestStepOfAll * whole);
  double h = std::max(next_step_size_, shortest);
  bool rejected = false;
  while (true) {
    h = fitted(h);
    step_.h = h;
    corrected_ = false;
    const bool usable = formula_.advance(checked_, step_);
    const double error = usable ? error_norm() : 0;
    // What overflows without an obstacle has gone too far as well; the last velocity was asked for at x_new.
    const bool finite = usable && std::isfinite(error);
    const bool accurate = finite && (error <= 1 || indivisible);
    if (accurate) {
      if (watches_stiffness_) note_stiffness();
      if (!constrained_ || project()) {
        const double log_error = std::log(std::max(error, 1e-30));
        const double factor = kSafety * std::exp(kBeta * log_error_before_ - kExponent * log_error);
        const double most = rejected ? 1.0 : kGreatestGrowth;
        next_step_size_ = std::min(h * std::clamp(factor, kGreatestReduction, most), max_step_);
        // Steps that grow as fast as they may say nothing about the errors of the next mode.
        if (next_step_size_ <= kUsualGrowth * h) usual_step_ = next_step_size_;
        log_error_before_ = std::max(log_error, kLogSmallestError);
        break;
      }
    }
    if (h <= shortest) return fail(h, finite && !accurate);
    rejected = true;
    const double factor = finite && !accurate
                              ? std::max(kGreatestReduction, kSafety * std::exp(-0.2 * std::log(error)))
                              : kReductionOnFailure;
    h = std::max(h * factor, shortest);
  }

  ++steps_;
  const double start = reached_;
  const bool to_end = h >= end_time_ - start;
  reached_ = to_end ? end_time_ : start + h;
  running_ = on_the_way_ = !to_end;
  return {to_end ? StepStatus::reached_end : StepStatus::advanced, start, reached_};
}

// Hairer & Wanner II, IV.2.
void OdeintStepper::note_stiffness() {
  if (formula_.is_stiffer_than(kStabilityLimit, step_)) {
    smooth_steps_ = 0;
    ++stiff_steps_;
  } else if (++smooth_steps_ >= kSmoothSteps) {
    stiff_steps_ = 0;
  }
}

// The velocity stays that of the state before: what that changes is less than the error of the step. The weights are those
// that its norm was taken with.
bool OdeintStepper::project() {
  const double end = step_.t + step_.h;
  if (!last_was_corrected_ && !checked_.may_be_moved(end, step_.x_new)) return true;
  copy_numbers(step_.x_new, correction_);
  if (!checked_.project_finite(end, weights_, step_.x_new)) return false;
  last_was_corrected_ = corrected_ = !are_same(correction_, step_.x_new);
  if (corrected_) correction_ = step_.x_new - correction_;
  return true;
}

StepReport OdeintStepper::fail(double h, bool by_error_test) {
  running_ = false;
  const std::string where =
      fmt::format("no step from t = {} succeeds, down to step size {:.3g}", reached_, h);
  failure_.by_user_function = !by_error_test && checked_.obstructed();
  if (failure_.by_user_function) {
    failure_.message = fmt::format("{} ({})", checked_.obstacle(), where);
  } else if (by_error_test && outruns_clock(reached_, step_.velocity, weights_)) {
    failure_.message = fmt::format("{}: {}", where, kOutrunsClock);
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
  return {StepStatus::failed, reached_, reached_};
}

void OdeintStepper::make_interpolant() {
  if (interpolant_is_current_) return;
  interpolant_is_current_ = true;
  if (step_.h == 0) {
    coefficients_.setZero();
    columns_[0] = step_.x_new.data();
    return;
  }
  columns_[0] = step_.x.data();
  double* const c = coefficients_.data();
  run_loop(Quartic{step_.h}, states_, StepEnds(step_, formula_.halfway(step_)), c, c + states_,
           c + 2 * states_, c + 3 * states_);
  if (!corrected_) return;
  // The correction by projection grows with the cubic, which leaves the slopes alone.
  coefficients_.col(1) += 8 * correction_;
  coefficients_.col(2) -= 16 * correction_;
  coefficients_.col(3) += 8 * correction_;
}

Interpolant OdeintStepper::interpolant_of(std::span<const int> states) {
  if (interpolant_is_current_ || corrected_ || step_.h == 0) return interpolant();
  columns_[0] = step_.x.data();
  const StepEnds ends(step_, formula_.halfway(step_, states));
  for (const Index i : states) {
    const QuarticOfState quartic(step_.h, ends, i);
    coefficients_.row(i) << quartic.first, quartic.second, quartic.third, quartic.fourth;
  }
  return last_interpolant();
}

StepChords OdeintStepper::chords_of(std::span<const int> states) {
  const double h = step_.h;
  // A step so short that θ is not 1 where it ends tells nothing.
  if (h == 0 || std::abs(reached_ - step_.t - h) > kSlightly * h) return {};
  const BoundOffChord bound{h};
  // Several are done at a time where all are.
  const auto size = static_cast<Index>(states.size());
  if (states_ <= kFewEntries ? size < states_ : kScattered * size < states_) {
    const StepEnds ends(step_, formula_.halfway(step_, states));
    for (const Index i : states)
      off_chord_[i] = bound.of(ends, i) + (corrected_ ? 0.5 * std::abs(correction_[i]) : 0);
  } else {
    run_loop(bound, states_, StepEnds(step_, formula_.halfway(step_)), off_chord_.data());
    if (corrected_) off_chord_ += 0.5 * correction_.cwiseAbs();
  }
  return {step_.t, reached_, step_.x.data(), step_.x_new.data(), off_chord_.data()};
}

void OdeintStepper::evaluate(double t, VectorRef x) {
  if (t == reached_) {
    std::copy_n(step_.x_new.data(), states_, x.data());
    return;
  }
  const double s = step_.h == 0 ? 0 : (t - step_.t) / step_.h;
  // Most steps with an event are asked for its state alone.
  if (!interpolant_is_current_ && !has_evaluated_ && !corrected_ && step_.h != 0) {
    has_evaluated_ = true;
    run_loop(ValuesInStep{step_.h, s}, states_, StepEnds(step_, formula_.halfway(step_)), x.data());
    return;
  }
  make_interpolant();
  run_loop(ValuesOfQuartic{s}, states_, columns_[0], columns_[1], columns_[2], columns_[3], columns_[4],
           x.data());
}

Interpolant OdeintStepper::interpolant() {
  make_interpolant();
  return last_interpolant();
}

Interpolant OdeintStepper::last_interpolant() const {
  return {step_.t, step_.h == 0 ? 1 : step_.h, states_, static_cast<Index>(columns_.size()), columns_.data()};
}

void OdeintStepper::error_weights(ConstVectorRef x, VectorRef weights) const {
  run_loop(ErrorWeights{rtol_}, states_, x.data(), atol_.data(), weights.data());
}

StepperStatistics OdeintStepper::statistics() const {
  StepperStatistics statistics;
  statistics.steps = steps_;
  statistics.velocity_evaluations = checked_.velocity_evaluations();
  statistics.jacobian_evaluations = checked_.jacobian_evaluations();
  statistics.restarts = restarts_;
  return statistics;
}

std::unique_ptr<Stepper> make_odeint_stepper(SmoothOde& ode, const StepperOptions& options) {
  return std::make_unique<OdeintStepper>(ode, options);
}

}  // namespace slideway
