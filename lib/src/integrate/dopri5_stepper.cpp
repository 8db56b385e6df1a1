#include "integrate/dopri5_stepper.hpp"

#include <algorithm>
#include <cmath>

#include "core/wide_loops.hpp"

namespace slideway {

namespace {

// The formula is at the edge of its region of stability at this h·|λ|.
constexpr double kDopri5StabilityLimit = 3.25;

// The dense output of a step is a polynomial of the fourth degree, which has so many coefficients for each state.
constexpr Index kTerms = 5;

// The formula's function of stability has |R(z)| ≤ 1/2 on −2.93 ≤ z ≤ −0.69, and decays like exp(z) above.
constexpr double kDopri5Halves = 2.9;

struct StepEnds {
  StepEnds(const RungeKuttaStep& step, const Vector& middle)
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

// SumOfSquares adds errors in units of the tolerances, which are given as weights. Many states use four sums,
// since each addition waits for the one before; few use one, since they have just been written.
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

// The values at s, from 0 to 1 along the step, without the coefficients: where nobody else asks for them.
struct ValuesInStep {
  double h, s;
  [[gnu::always_inline]] void operator()(Index states, StepEnds at, double* __restrict x) const {
    for (Index i = 0; i < states; ++i) x[i] = QuarticOfState(h, at, i).at(s);
  }
};

// BoundOffDopri5Chord bounds the distance from the chord, with the rounding of both ends.
struct BoundOffDopri5Chord {
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

Dopri5Stepper::Dopri5Stepper(SmoothOde& ode, const StepperOptions& options)
    : OneStepStepper(ode, options,
                     {.order = 5,
                      .beta = 0.04,
                      .safety = 0.93,
                      .growth = 10,
                      .reduction = 0.1,
                      .trial_parts = 1000,
                      .starting_error = 100,
                      .halves_up_to = kDopri5Halves},
                     kTerms),
      formula_(states_) {}

bool Dopri5Stepper::start(double t, ConstVectorRef x, double end, double first_step) {
  formula_.begin();
  return OneStepStepper::start(t, x, end, first_step);
}

bool Dopri5Stepper::advance(double& error) {
  has_evaluated_ = false;
  if (!formula_.advance(checked_, step_)) return false;
  error = error_norm();
  return true;
}

// The velocity stays that of the state before its projection: what that changes is less than the error of the step.
bool Dopri5Stepper::complete() {
  if (watches_stiffness_)
    note_stiffness(kDopri5StabilityLimit, formula_.last_stage_state(), formula_.last_stage());
  return project();
}

// The rms norm of CVODE.
double Dopri5Stepper::error_norm() {
  const double sum = run_loop(SumOfSquares{rtol_}, states_, step_.x.data(), step_.x_new.data(), atol_.data(),
                              step_.error.data(), weights_.data());
  return std::sqrt(sum / static_cast<double>(states_));
}

void Dopri5Stepper::find_coefficients() {
  double* const c = coefficients_.data();
  run_loop(Quartic{step_.h}, states_, StepEnds(step_, formula_.halfway(step_)), c, c + states_,
           c + 2 * states_, c + 3 * states_);
  if (!corrected_) return;
  // The correction by projection grows with the cubic, which leaves the slopes alone.
  coefficients_.col(1) += 8 * correction_;
  coefficients_.col(2) -= 16 * correction_;
  coefficients_.col(3) += 8 * correction_;
}

void Dopri5Stepper::find_coefficients_of(std::span<const int> states) {
  const StepEnds ends(step_, formula_.halfway(step_, states));
  for (const Index i : states) {
    const QuarticOfState quartic(step_.h, ends, i);
    coefficients_.row(i) << quartic.first, quartic.second, quartic.third, quartic.fourth;
  }
}

void Dopri5Stepper::find_chords_of(std::span<const int> states) {
  const BoundOffDopri5Chord bound{step_.h};
  const StepEnds ends(step_, formula_.halfway(step_, states));
  for (const Index i : states)
    off_chord_[i] = bound.of(ends, i) + (corrected_ ? 0.5 * std::abs(correction_[i]) : 0);
}

Interpolant Dopri5Stepper::interpolant_shape() {
  return {.center = step_.t, .scale = step_.h == 0 ? 1 : step_.h, .states = states_, .terms = kTerms};
}

void Dopri5Stepper::copy_coefficients(double* to) {
  if (interpolant_is_current_ || corrected_ || step_.h == 0) {
    Stepper::copy_coefficients(to);
    return;
  }
  const Index n = states_;
  const StepEnds ends(step_, formula_.halfway(step_));
  if (n > kFewEntries) {
    std::copy_n(step_.x.data(), static_cast<std::size_t>(n), to);
    run_loop(Quartic{step_.h}, n, ends, to + n, to + 2 * n, to + 3 * n, to + 4 * n);
    return;
  }
  for (Index i = 0; i < n; ++i) {
    const QuarticOfState quartic(step_.h, ends, i);
    double* const of_state = to + i;
    of_state[0] = quartic.value;
    of_state[n] = quartic.first;
    of_state[2 * n] = quartic.second;
    of_state[3 * n] = quartic.third;
    of_state[4 * n] = quartic.fourth;
  }
}

FunctionChord Dopri5Stepper::chord_of(std::span<const int> states, const double* weights) {
  if (!has_chords()) return {};
  const BoundOffDopri5Chord bound{step_.h};
  const StepEnds ends(step_, formula_.halfway(step_, states));
  FunctionChord chord{.off = 0};
  std::size_t k = 0;
  for (const Index i : states) {
    const double weight = weights[k++];
    chord.first += weight * ends.x[i];
    chord.last += weight * ends.x_new[i];
    chord.off += std::abs(weight) * (bound.of(ends, i) + (corrected_ ? 0.5 * std::abs(correction_[i]) : 0));
  }
  return chord;
}

void Dopri5Stepper::find_chords() {
  run_loop(BoundOffDopri5Chord{step_.h}, states_, StepEnds(step_, formula_.halfway(step_)),
           off_chord_.data());
  if (corrected_) off_chord_ += 0.5 * correction_.cwiseAbs();
}

void Dopri5Stepper::evaluate_within(double s, VectorRef x) {
  // Most steps with an event are asked for its state alone.
  if (interpolant_is_current_ || has_evaluated_ || corrected_ || step_.h == 0) {
    OneStepStepper::evaluate_within(s, x);
    return;
  }
  has_evaluated_ = true;
  run_loop(ValuesInStep{step_.h, s}, states_, StepEnds(step_, formula_.halfway(step_)), x.data());
}

}  // namespace slideway
