#include "integrate/dop853_stepper.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/wide_loops.hpp"

namespace slideway {

namespace {

// The formula is at the edge of its region of stability at this h·|λ|.
constexpr double kDop853StabilityLimit = 6.1;
// The formula's function of stability has |R(z)| ≤ 1/2 on −6.00 ≤ z ≤ −0.69, and decays like exp(z) above.
constexpr double kDop853Halves = 6;
// The maximum of θ⁴(1−θ)³, and a little more.
constexpr double kGreatestLastPart = 0.0084;
// The error of a step is taken for so many times its estimate: then runs are about as accurate as those of dopri5 at the same tolerance.
constexpr double kCaution = 3;
// The part of the polynomial with θ⁴(1−θ)³ is 7 to 50 tolerances in steps of smooth motion whose error is one
// tolerance. It is many times that where a velocity has no derivative within the step, while the estimate, a
// product of two, sometimes sees nothing.
constexpr double kRoughPart = 100;

// The state at the end of a step from the velocities of the stages 6 … 12, and both its errors in units of the tolerances, which are
// noted as weights. All sums are of differences to the velocity at the start: the weights are up to 6 and all but cancel, and so
// would the digits of motion that is all but even.
struct EndOfStep {
  double h, rtol;
  [[gnu::always_inline]] void operator()(Index states, const double* x, const double* velocity,
                                         std::array<const double*, 7> stages, const double* atol,
                                         double* __restrict x_new, double* __restrict weights,
                                         double* __restrict fifth, double* __restrict third) const {
    for (Index i = 0; i < states; ++i) {
      const double even = h * velocity[i];
      double change = 0;
      double of_order_five = 0;
      double of_order_three = 0;
      for (std::size_t j = 0; j < stages.size(); ++j) {
        const double difference = h * stages[j][i] - even;
        change += dop853::b[5 + j] * difference;
        of_order_five += dop853::error_fifth[j] * difference;
        of_order_three += dop853::error_third[j] * difference;
      }
      const double end = x[i] + (even + change);
      const double weight = 1 / (rtol * std::max(std::abs(x[i]), std::abs(end)) + atol[i]);
      x_new[i] = end;
      fifth[i] = weight * of_order_five;
      third[i] = weight * of_order_three;
      weights[i] = weight;
    }
  }
};

// x + h Σ aⱼ kⱼ.
template <std::size_t kSize>
struct SumOfStages {
  std::array<double, kSize> weights;
  [[gnu::always_inline]] void operator()(Index states, double* __restrict sum, const double* x,
                                         std::array<const double*, kSize> stages) const {
    for (Index i = 0; i < states; ++i) {
      double change = 0;
      for (std::size_t j = 0; j < kSize; ++j) change += weights[j] * stages[j][i];
      sum[i] = x[i] + change;
    }
  }
};

// The coefficients of a step's polynomial, of all states.
struct StepParts {
  double h;
  const double *x, *x_new, *velocity, *velocity_new;
  std::array<const double*, 11> stages;  // 6 … 16
};

StepParts step_parts(const RungeKuttaStep& step, const std::array<const double*, 7>& k,
                     const std::array<Vector, 3>& extension) {
  return {step.h,
          step.x.data(),
          step.x_new.data(),
          step.velocity.data(),
          step.velocity_new.data(),
          {k[0], k[1], k[2], k[3], k[4], k[5], k[6], step.velocity_new.data(), extension[0].data(),
           extension[1].data(), extension[2].data()}};
}

struct PolynomialOfState {
  double d, slope, end_slope;        // d, h f₀, h f₁
  std::array<double, 4> parts = {};  // h dᵢ

  [[gnu::always_inline]] PolynomialOfState(const StepParts& step, Index i)
      : d(step.x_new[i] - step.x[i]),
        slope(step.h * step.velocity[i]),
        end_slope(step.h * step.velocity_new[i]) {
    for (std::size_t j = 0; j < step.stages.size(); ++j) {
      const double change = step.h * step.stages[j][i] - slope;
      for (std::size_t k = 0; k < parts.size(); ++k) parts[k] += dop853::d[k][j] * change;
    }
  }
  // The coefficients are those of the powers of θ from one on.
  [[gnu::always_inline]] std::array<double, 7> coefficients() const {
    const double bend = slope - d;
    const double twist = 2 * d - slope - end_slope;
    return {slope,
            twist - bend + parts[0],
            -twist - 2 * parts[0] + parts[1] + parts[2],
            parts[0] - 2 * parts[1] - 3 * parts[2] + parts[3],
            parts[1] + 3 * parts[2] - 3 * parts[3],
            -parts[2] + 3 * parts[3],
            -parts[3]};
  }
  // The greatest values of θ²(1−θ)², θ³(1−θ)², θ³(1−θ)³ and θ⁴(1−θ)³ are 1/16, 108/3125, 1/64 and 6912/823543.
  [[gnu::always_inline]] double off_chord() const {
    return 0.25 * std::max(std::abs(slope - d), std::abs(end_slope - d)) + 0.0625 * std::abs(parts[0]) +
           0.03456 * std::abs(parts[1]) + 0.015625 * std::abs(parts[2]) +
           kGreatestLastPart * std::abs(parts[3]);
  }
};

// The part with θ⁴(1−θ)³ at its greatest, in units of the tolerances.
struct LastPart {
  [[gnu::always_inline]] void operator()(Index states, const StepParts& step, const double* weights,
                                         double* __restrict part) const {
    for (Index i = 0; i < states; ++i) {
      const double even = step.h * step.velocity[i];
      double sum = 0;
      for (std::size_t j = 0; j < step.stages.size(); ++j)
        sum += dop853::d[3][j] * (step.h * step.stages[j][i] - even);
      part[i] = weights[i] * kGreatestLastPart * sum;
    }
  }
};

struct Polynomial {
  [[gnu::always_inline]] void operator()(Index states, const StepParts& step,
                                         double* __restrict columns) const {
    for (Index i = 0; i < states; ++i) {
      const std::array<double, 7> c = PolynomialOfState(step, i).coefficients();
      for (std::size_t k = 0; k < c.size(); ++k) columns[static_cast<Index>(k) * states + i] = c[k];
    }
  }
};

// The bound includes the rounding of both ends.
struct BoundOffDop853Chord {
  [[gnu::always_inline]] double of(const StepParts& step, Index i) const {
    return PolynomialOfState(step, i).off_chord() +
           StepChords::kRounding * (std::abs(step.x[i]) + std::abs(step.x_new[i]));
  }
  [[gnu::always_inline]] void operator()(Index states, const StepParts& step, double* __restrict off) const {
    for (Index i = 0; i < states; ++i) off[i] = of(step, i);
  }
};

}  // namespace

Dop853Stepper::Dop853Stepper(SmoothOde& ode, const StepperOptions& options)
    : OneStepStepper(ode, options,
                     {.order = 8,
                      .beta = 0,
                      .safety = 0.9,
                      .growth = 6,
                      .reduction = 1.0 / 3,
                      .trial_parts = 3000,
                      .starting_error = 1e4,
                      .halves_up_to = kDop853Halves},
                     8),
      formula_(states_),
      third_error_(Vector::Zero(states_)),
      state_within_(Vector::Zero(states_)),
      within_(state_within_) {
  for (std::size_t k = 0; k < stages_.size(); ++k)
    stages_[k] = formula_.stage(6 + static_cast<int>(k)).data();
  for (Vector& velocity : extension_) velocity = Vector::Zero(states_);
}

bool Dop853Stepper::advance(double& error) {
  if (!formula_.advance(checked_, step_)) return false;
  error = end_step();
  return true;
}

// dop853.f: E₅²/√(E₅² + E₃²/100).
double Dop853Stepper::end_step() {
  run_loop(EndOfStep{step_.h, rtol_}, states_, step_.x.data(), step_.velocity.data(), stages_, atol_.data(),
           step_.x_new.data(), weights_.data(), step_.error.data(), third_error_.data());
  const double fifth = step_.error.squaredNorm();
  const double both = fifth + 0.01 * third_error_.squaredNorm();
  return both > 0 ? kCaution * fifth / std::sqrt(both * static_cast<double>(states_)) : both;
}

bool Dop853Stepper::complete() {
  if (!project() || !extend()) return false;
  if (watches_stiffness_)
    note_stiffness(kDop853StabilityLimit, formula_.last_stage_state(), formula_.stage(12));
  return true;
}

template <std::size_t kSize>
bool Dop853Stepper::extend_to(double c, const std::array<double, kSize>& a,
                              const std::array<const double*, kSize>& velocities, Vector& velocity) {
  SumOfStages<kSize> sum{a};
  for (double& weight : sum.weights) weight *= step_.h;
  run_loop(sum, states_, state_within_.data(), step_.x.data(), velocities);
  return checked_.velocity(std::min(step_.t + c * step_.h, step_.latest), *within_, velocity);
}

bool Dop853Stepper::extend() {
  if (!checked_.velocity(std::min(step_.t + step_.h, step_.latest), step_.x_new, step_.velocity_new))
    return false;
  const double* const k1 = step_.velocity.data();
  const double* const k13 = step_.velocity_new.data();
  const auto& [k6, k7, k8, k9, k10, k11, k12] = stages_;
  auto& [v14, v15, v16] = extension_;
  using namespace dop853;
  return extend_to<8>(c14, a14, {k1, k7, k8, k9, k10, k11, k12, k13}, v14) &&
         extend_to<8>(c15, a15, {k1, k6, k7, k8, k11, k12, k13, v14.data()}, v15) &&
         extend_to<8>(c16, a16, {k1, k6, k7, k8, k9, k13, v14.data(), v15.data()}, v16);
}

double Dop853Stepper::late_error() {
  run_loop(LastPart(), states_, step_parts(step_, stages_, extension_), weights_.data(), third_error_.data());
  const double error = std::sqrt(third_error_.squaredNorm() / static_cast<double>(states_)) / kRoughPart;
  return std::isnan(error) ? std::numeric_limits<double>::infinity() : error;
}

void Dop853Stepper::find_coefficients() {
  run_loop(Polynomial(), states_, step_parts(step_, stages_, extension_), coefficients_.data());
}

void Dop853Stepper::find_coefficients_of(std::span<const int> states) {
  const StepParts step = step_parts(step_, stages_, extension_);
  for (const Index i : states) {
    const std::array<double, 7> c = PolynomialOfState(step, i).coefficients();
    for (Index k = 0; k < 7; ++k) coefficients_(i, k) = c[static_cast<std::size_t>(k)];
  }
}

void Dop853Stepper::find_chords_of(std::span<const int> states) {
  const StepParts step = step_parts(step_, stages_, extension_);
  for (const Index i : states) off_chord_[i] = BoundOffDop853Chord().of(step, i);
}

void Dop853Stepper::find_chords() {
  run_loop(BoundOffDop853Chord(), states_, step_parts(step_, stages_, extension_), off_chord_.data());
}

}  // namespace slideway
