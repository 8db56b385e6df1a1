// A Stepper that is SUNDIALS CVODE: BDF with Newton's method (newton_system.hpp), or Adams with
// fixed-point iteration, and with CVODE's root-finding (cvode_roots.hpp).
//
// Dense output is CVODE's own interpolating polynomial about its internal time tₙ: x(t) = Σₖ Cₖ ((t − tₙ)/h)ᵏ
// with Cₖ = hᵏ x⁽ᵏ⁾(tₙ)/k! and h the last step.
// It must not know surfaces, modes or Filippov.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>

#include "integrate/checked_ode.hpp"
#include "integrate/clock_tolerances.hpp"
#include "integrate/cvode_history.hpp"
#include "integrate/cvode_roots.hpp"
#include "integrate/newton_system.hpp"
#include "integrate/stepper.hpp"
#include "integrate/sundials_handles.hpp"
#include "slideway/core/types.hpp"

namespace slideway {

class CvodeStepper final : public Stepper {
 public:
  CvodeStepper(SmoothOde& ode, MultistepMethod method, const StepperOptions& options);

  // CVODE keeps a pointer to the stepper.
  CvodeStepper(const CvodeStepper&) = delete;
  CvodeStepper& operator=(const CvodeStepper&) = delete;

  bool start(double t, ConstVectorRef x, double end, double first_step) override;
  StepReport step() override;
  void evaluate(double t, VectorRef x) override;
  Interpolant interpolant() override;
  void error_weights(ConstVectorRef x, VectorRef weights) const override;
  double last_step_size() const override { return dense_.step; }
  double damped_rate() const override;
  std::span<const int> roots() const override { return roots_.functions(); }
  const StepFailure& failure() const override { return failure_; }
  StepperStatistics statistics() const override;

 private:
  enum class Phase { idle, fresh, by_hand, running };

  void create();
  void allocate_lazily_created_parts();
  bool restart_cvode(double first_step);
  StepReport step_by_hand();
  // CVODE's return flag after one step; on a failed first step tries again with smaller ones.
  int advance(double& t);
  int call_cvode(double& t);
  // CVODE has returned at a root: the step goes on to its end, and so does t. Returns the flag of a step without one.
  int go_on_to_end_of_step(double& t);
  void set_shortest_step();
  void renew_jacobian_in_time();
  double first_step_scale() const;
  double climb_factor() const;
  StepReport report(StepStatus status, double start, double end);
  StepReport fail();
  bool runs_away() const;
  void allow_for_clock(ConstVectorRef x, VectorRef weights);
  void explain(int flag);
  void extract_interpolant();
  std::int64_t krylov_iterations() const;

  // The functions that CVODE calls; `self` is the stepper. They return 0, or 1 for "try a smaller step".
  static int weights_callback(N_Vector x, N_Vector weights, void* self);
  static int velocity_callback(double t, N_Vector x, N_Vector dx, void* self);
  static int root_callback(double t, N_Vector x, double* values, void* self);
  static NewtonSystem::Callbacks newton_callbacks();
  static NewtonSystem& newton(void* self) { return *static_cast<CvodeStepper*>(self)->newton_; }
  static int projection_callback(double t, N_Vector x, N_Vector correction, double, N_Vector, void* self);

  // The way from the start to the end.
  struct Way {
    Phase phase = Phase::idle;
    double start = 0;
    double end = 0;
    double reached = 0;
    Vector state = {}, velocity = {};  // at the start
    bool velocity_is_due = false;      // CVODE has yet to ask for the velocity at the start
    bool refuse_velocity = false;
    bool roots_are_left = false;    // CVODE may have more to say about the last step
    bool allows_for_clock = false;  // the last step
  };
  // Dense output of the last step.
  struct Polynomial {
    bool is_current = false;
    Index order = 0;
    double center = 0;
    double step = 0;
    const double* const* columns = nullptr;
    std::array<const double*, 2> line = {};  // of a step by hand
    Vector whole_change = {};
  };
  struct Renewal {
    std::int64_t jacobians = 0;  // evaluated up to the last step
    double step = 0;             // that the last one was evaluated in
    bool is_due = false;         // wherever CVODE next sets up its equations
  };
  struct Counts {
    std::int64_t steps_before = 0;  // of the runs before the last start()
    long steps = 0;                 // since the last start()
    long failures = 0;              // of error tests, since then
    std::int64_t krylov_before = 0;
    std::int64_t restarts = 0;
  };

  SmoothOde& ode_;
  CheckedOde checked_;
  MultistepMethod method_;
  Index states_;
  double rtol_;
  Vector atol_;
  ClockTolerances on_clock_;
  double max_step_;
  LinearSolver linear_solver_;

  Way way_;
  Polynomial dense_;
  Renewal renewal_;
  CvodeRoots roots_;
  StepFailure failure_ = {};
  Counts counts_;

  // Handles are destroyed from the last to the first, and the message outlives them all.
  std::string cvode_message_ = {};
  sundials::ContextHandle context_;
  sundials::VectorHandle state_;
  sundials::VectorHandle work_;
  sundials::VectorHandle weights_;
  std::optional<NewtonSystem> newton_;
  sundials::NonlinearSolverHandle nonlinear_solver_;
  sundials::CvodeHandle cvode_;
  std::optional<sundials::CvodeHistory> history_;
};

}  // namespace slideway
