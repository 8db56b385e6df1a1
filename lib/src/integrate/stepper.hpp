// Advances a SmoothOde step by step, with dense output of the last step. GuardScan finds the zeros of guards
// along the dense output with certainty; an integrator with root-finding of its own says where it saw one.
//
// It must not know surfaces, modes or Filippov, and names no type of the integrator behind it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>

#include "integrate/smooth_ode.hpp"
#include "slideway/core/types.hpp"
#include "slideway/integrate/linear_solver.hpp"

namespace slideway {

enum class StepStatus {
  advanced,     // one step taken
  reached_end,  // one step taken; `end` is the end time given to `start`
  failed,       // nothing usable: see failure()
};

struct StepReport {
  StepStatus status = StepStatus::advanced;
  double start = 0;  // the dense output holds on [start, end]
  double end = 0;
  // The time of the first zero of the ode's root functions that the integrator itself reported in the step; Stepper::roots() says
  // which functions. NaN where it reported none or has no root-finding.
  double root = std::numeric_limits<double>::quiet_NaN();
};

struct StepFailure {
  bool by_user_function = false;  // the last obstacle was a user function that threw or was not finite
  std::string message = {};       // what failed and where, with the user's exception text if there was one
};

// The interpolating polynomial of the last step: x(t) = Σₖ Cₖ ((t − center)/scale)ᵏ, k = 0 … terms − 1. The Cₖ are where the
// integrator keeps them.
struct Interpolant {
  double center = 0;
  double scale = 1;
  Index states = 0;
  Index terms = 0;
  const double* const* columns = nullptr;  // columns[k]: the entries of Cₖ

  Eigen::Map<const Vector> coefficient(Index k) const { return {columns[k], states}; }
  // σ at t.
  double place(double t) const { return (t - center) / scale; }
};

// Bounds on the last step without its polynomial: the states at its ends, and the largest distance of each from the chord between
// them; kRounding of its sizes at both ends is part of that. The arrays are the integrator's, and null where it knows no such
// thing.
struct StepChords {
  static constexpr double kRounding = 64 * std::numeric_limits<double>::epsilon();
  double start = 0;
  double end = 0;
  const double* first = nullptr;
  const double* last = nullptr;
  const double* off = nullptr;
};

// An affine function of few states along the last step: its values at both ends without what does not depend on the states, and its
// largest distance from the chord between them.
struct FunctionChord {
  double first = 0;
  double last = 0;
  double off = std::numeric_limits<double>::infinity();
};

struct StepperStatistics {
  std::int64_t steps = 0;
  std::int64_t velocity_evaluations = 0;  // asked for by the integrator, its own start-up included
  std::int64_t jacobian_evaluations = 0;
  std::int64_t krylov_iterations = 0;  // of gmres
  std::int64_t restarts = 0;           // calls of start()
  std::int64_t dop853_steps = 0;       // of make_automatic_stepper's steps, those by dop853
  double stiff_from =
      std::numeric_limits<double>::quiet_NaN();  // when make_automatic_stepper's went over to BDF; NaN: never
};

struct StepperOptions {
  double rtol = 1e-6;
  Vector atol = {};                                      // n entries
  double max_step = 0;                                   // 0: no limit
  LinearSolver linear_solver = LinearSolver::automatic;  // of implicit steps
};

class Stepper {
 public:
  // A decay by this part in a step is well inside the region of stability of a one-step method, and of BDF.
  static constexpr double kDampedPerStep = 0.1;

  virtual ~Stepper() = default;

  // Begins afresh at (t, x) heading for `end` > t; nothing of an earlier history is used. The right-hand side is
  // never evaluated beyond `end`. `first_step` = 0 lets the integrator choose. Returns false, with the
  // reason in failure(), if there is no first step to be had.
  virtual bool start(double t, ConstVectorRef x, double end, double first_step) = 0;
  // Takes one step.
  virtual StepReport step() = 0;
  // The state at t in the closed interval of the last step, not projected.
  virtual void evaluate(double t, VectorRef x) = 0;
  // The last step's polynomial; valid until the next step().
  virtual Interpolant interpolant() = 0;
  // The same, where only the entries of these states are looked at.
  virtual Interpolant interpolant_of(std::span<const int> states) {
    static_cast<void>(states);
    return interpolant();
  }
  // The last step's polynomial as a record keeps it: all but the coefficients, and these one after the other, states × terms numbers.
  virtual Interpolant interpolant_shape() { return interpolant(); }
  virtual void copy_coefficients(double* to) {
    const Interpolant from = interpolant();
    for (Index k = 0; k < from.terms; ++k, to += from.states)
      std::copy_n(from.columns[k], static_cast<std::size_t>(from.states), to);
  }
  // chords_of() bounds the last step; only the entries of these states, which are in order, are set. The arrays are
  // valid until the next step().
  virtual StepChords chords_of(std::span<const int> states) {
    static_cast<void>(states);
    return {};
  }
  // The chord of Σ weights[k] x[states[k]] along the whole of the last step; `off` is infinite where it is not known.
  virtual FunctionChord chord_of(std::span<const int> states, const double* weights) {
    static_cast<void>(states);
    static_cast<void>(weights);
    return {};
  }
  // The weights in which an error of 1 is just tolerated in each state, at x: weights(i) = 1 / (rtol |xᵢ| + atolᵢ).
  virtual void error_weights(ConstVectorRef x, VectorRef weights) const = 0;
  virtual double last_step_size() const = 0;
  // A rate of decay, in 1/time, that the next step follows well inside the formula's region of stability.
  virtual double damped_rate() const { return kDampedPerStep / last_step_size(); }
  // A first step for where the solution goes on with another field: what the last steps that were limited by their errors
  // suggest; 0 if there were none, or where a start must be careful anyway.
  virtual double usual_step() const { return 0; }
  // stages_span_step() tells whether the velocities that the last step asked for were spread over it, near the
  // solution: a one-step method's stages are.
  virtual bool stages_span_step() const { return false; }

  // The root functions of the ode that vanish at StepReport::root of the last step; valid until the next one.
  virtual std::span<const int> roots() const { return {}; }

  virtual const StepFailure& failure() const = 0;
  // has_another_method() tells, after a step that failed, whether step() goes on from the same state by another
  // method when it is called again.
  virtual bool has_another_method() const { return false; }
  // method_at_work() is the number of the present method of a stepper that chooses among methods; work_with() takes
  // that one at the next start.
  virtual int method_at_work() const { return 0; }
  virtual void work_with(int method) { static_cast<void>(method); }
  // Sums over all restarts.
  virtual StepperStatistics statistics() const = 0;
  // steps() returns the steps alone, which are asked for after every step.
  virtual std::int64_t steps() const { return statistics().steps; }
};

// CVODE's two multistep methods.
enum class MultistepMethod { bdf, adams };

// The ode must outlive the stepper. Throws std::invalid_argument for tolerances that make no sense, and for a linear solver
// that needs the pattern of the Jacobian where the ode has none.
std::unique_ptr<Stepper> make_cvode_stepper(SmoothOde& ode, MultistepMethod method,
                                            const StepperOptions& options);

// One-step methods are at full order at once after a start. The methods of Dormand and Prince are for problems
// that are not stiff: order 5, and order 8, which takes fewer evaluations where tolerances are tight. RODAS of
// Hairer and Wanner, of order 4, is for stiff problems. It takes a Jacobian and its factors in every step, so it
// needs a linear solver other than gmres. Heun's formula of order 2 has no stage outside a convex domain of the field.
enum class OneStepMethod { dopri5, dop853, rodas, heun };

// make_one_step_stepper() has the same demands as make_cvode_stepper().
std::unique_ptr<Stepper> make_one_step_stepper(SmoothOde& ode, OneStepMethod method,
                                               const StepperOptions& options);

// make_automatic_stepper() begins with dopri5. It takes dop853 where rtol is at most 1e-7 and starts leave room
// for several steps. It goes over to BDF for good where the problem turns out to be stiff. Its demands are those of
// make_cvode_stepper().
std::unique_ptr<Stepper> make_automatic_stepper(SmoothOde& ode, const StepperOptions& options);

}  // namespace slideway
