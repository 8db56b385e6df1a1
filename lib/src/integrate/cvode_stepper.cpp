#include "integrate/cvode_stepper.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <new>
#include <stdexcept>

#include "core/constants.hpp"
#include "integrate/clock_resolution.hpp"
#include "integrate/cvode_advice.hpp"
#include "integrate/cvode_vector.hpp"
#include "integrate/stepper_options.hpp"

namespace slideway {

namespace {

// An interval so short that CVODE's products of two times vanish cannot be divided into steps.
constexpr double kShortestInterval = 1e-150;
// The shortest step in parts of |t|: below it t stops moving.
constexpr double kShortestStep = 2 * kEpsilon;
constexpr const char* kCvodeMaker = "make_cvode_stepper";
constexpr int kFirstStepTrials = 4;
constexpr double kFirstStepReduction = 1e-4;
// CVODE keeps a Jacobian for 50 steps, however much they grow. One that is far too large by then, as that of
// x' = -6(x - sin t)/t, makes Newton's corrections so small that they pass for converged, and the answer wrong.
constexpr long kJacobianSteps = 51;
constexpr double kOutgrown = 2;
// BDF climbs from order one to five in at least 2 + 3 + 4 + 5 steps, whose errors have one sign.
constexpr double kClimb = 14;
constexpr long kClimbedBy = static_cast<long>(kClimb * kClimb / 2);
// The steps of the climb are held to no smaller part of the states than this. Tighter climbs gain nothing: at rtol
// 1e-10 the errors of BDF between the climbs of an oscillator are as large as those of its climbs.
constexpr double kFinestClimb = 1e-10;
// Adams' formula of order k is stable for h·|λ|, λ < 0, below the k-th of these, when it evaluates once a step at
// its prediction. CVODE does so wherever the correction is far below the tolerance. The numbers come from the
// roots of the formula at constant steps.
constexpr std::array<double, 12> kAdamsStability = {0.67,  0.50,  0.28,   0.158,  0.085, 0.046,
                                                    0.024, 0.013, 0.0065, 0.0035, 0.002, 0.001};
constexpr double kShareOfStability = 1.0 / 3;

void check(int flag, const char* function) {
  if (flag < 0)
    throw std::runtime_error(fmt::format("{} failed with {}", function, sundials::flag_name(flag)));
}

}  // namespace

CvodeStepper::CvodeStepper(SmoothOde& ode, MultistepMethod method, const StepperOptions& options)
    : ode_(ode),
      checked_(ode),
      method_(method),
      states_(checked_size(ode, kCvodeMaker)),
      rtol_(options.rtol),
      atol_(options.atol),
      on_clock_(options.rtol),
      max_step_(options.max_step > 0 ? options.max_step : std::numeric_limits<double>::infinity()),
      linear_solver_(options.linear_solver),
      roots_(ode) {
  for (Vector* vector : {&way_.state, &way_.velocity, &dense_.whole_change}) *vector = Vector::Zero(states_);
  check_options(options, states_, kCvodeMaker);
  create();
  allocate_lazily_created_parts();
}

void CvodeStepper::create() {
  context_.reset(sundials::create_context());
  if (!context_) throw std::bad_alloc();
  SUNContext context = context_.get();
  state_ = sundials::make_vector(states_, context);
  work_ = sundials::make_vector(states_, context);
  weights_ = sundials::make_vector(states_, context);
  cvode_.reset(CVodeCreate(method_ == MultistepMethod::bdf ? CV_BDF : CV_ADAMS, context));
  if (!cvode_) throw std::bad_alloc();
  void* cvode = cvode_.get();
  sundials::capture_messages(context, cvode, cvode_message_);
  history_.emplace(context);

  sundials::values(state_.get()).setZero();
  check(CVodeInit(cvode, velocity_callback, 0.0, state_.get()), "CVodeInit");
  check(CVodeSetUserData(cvode, this), "CVodeSetUserData");
  check(CVodeWFtolerances(cvode, weights_callback), "CVodeWFtolerances");
  check(roots_.register_with(cvode, root_callback), "CVodeRootInit");
  if (std::isfinite(max_step_)) check(CVodeSetMaxStep(cvode, max_step_), "CVodeSetMaxStep");

  if (method_ == MultistepMethod::bdf) {
    newton_.emplace(ode_, checked_, linear_solver_, newton_callbacks(), cvode, state_.get(), context);
    check(CVodeSetProjFn(cvode, projection_callback), "CVodeSetProjFn");
    // The error estimate is not projected. CVODE would stay at order one on a circular solution with its
    // tangential part only: a hundred times the steps at rtol 1e-10.
    check(CVodeSetProjErrEst(cvode, SUNFALSE), "CVodeSetProjErrEst");
  } else {
    nonlinear_solver_.reset(SUNNonlinSol_FixedPoint(state_.get(), 0, context));
    if (!nonlinear_solver_) throw std::bad_alloc();
    check(CVodeSetNonlinearSolver(cvode, nonlinear_solver_.get()), "CVodeSetNonlinearSolver");
  }
}

// CVODE allocates some of its memory in its first call, just before it asks for the velocity. A velocity
// that refuses makes that call here, so that steps and restarts allocate nothing.
void CvodeStepper::allocate_lazily_created_parts() {
  way_.refuse_velocity = true;
  double t = 0;
  const int flag = CVode(cvode_.get(), 1.0, state_.get(), &t, CV_ONE_STEP);
  way_.refuse_velocity = false;
  if (flag != CV_RHSFUNC_FAIL) check(flag, "the first call of CVode");
}

bool CvodeStepper::start(double t, ConstVectorRef x, double end, double first_step) {
  ++counts_.restarts;
  way_.phase = Phase::idle;
  roots_.forget();
  dense_.is_current = false;
  failure_.by_user_function = false;
  failure_.message.clear();
  checked_.forget_obstacle();

  if (x.size() != states_ || !x.allFinite() || !std::isfinite(t) || !std::isfinite(end) || !(end > t)) {
    failure_.message = fmt::format(
        "cannot start at t = {}: that needs a finite time, a later finite end (got {}) and {} finite states",
        t, end, states_);
    return false;
  }
  way_.start = way_.reached = t;
  way_.end = end;
  way_.state = x;
  if (!checked_.velocity(t, way_.state, way_.velocity)) {
    failure_.by_user_function = true;
    failure_.message = checked_.obstacle();
    return false;
  }

  const double resolution = kIndivisible * std::max(std::abs(t), std::abs(end));
  if (end - t <= std::max(resolution, kShortestInterval)) {
    way_.phase = Phase::by_hand;
    return true;
  }
  way_.phase = Phase::fresh;
  return restart_cvode(first_step);
}

bool CvodeStepper::restart_cvode(double first_step) {
  counts_.steps_before += counts_.steps;
  counts_.krylov_before += krylov_iterations();
  counts_.steps = 0;
  renewal_.step = std::numeric_limits<double>::infinity();
  counts_.failures = 0;
  way_.allows_for_clock = false;
  way_.velocity_is_due = true;
  roots_.begin_run(way_.start);
  way_.roots_are_left = false;
  void* cvode = cvode_.get();
  sundials::values(state_.get()) = way_.state;
  const double initial = first_step > 0 ? std::min(first_step, way_.end - way_.start) : 0.0;
  int flag = CVodeReInit(cvode, way_.start, state_.get());
  if (flag == CV_SUCCESS) flag = CVodeSetStopTime(cvode, way_.end);
  if (flag == CV_SUCCESS) flag = CVodeSetInitStep(cvode, initial);
  if (flag == CV_SUCCESS && method_ == MultistepMethod::bdf) {
    flag = CVodeSetProjFrequency(cvode, ode_.constrained() ? 1 : 0);
  }
  if (flag == CV_SUCCESS) return true;
  explain(flag);
  way_.phase = Phase::idle;
  return false;
}

StepReport CvodeStepper::step() {
  dense_.is_current = false;
  if (way_.phase == Phase::by_hand) return step_by_hand();
  if (way_.phase == Phase::idle) {
    if (failure_.message.empty()) {
      failure_.message = "there is no step to take before start() or after the end";
    }
    return fail();
  }

  const double before = way_.reached;
  double t = before;
  const int flag = advance(t);
  if (flag < 0) {
    explain(flag);
    return fail();
  }

  way_.phase = Phase::running;
  if (flag == CV_TSTOP_RETURN || t >= way_.end) {
    way_.phase = Phase::idle;
    return report(StepStatus::reached_end, before, way_.end);
  }
  return report(StepStatus::advanced, before, t);
}

StepReport CvodeStepper::report(StepStatus status, double start, double end) {
  way_.reached = end;
  return {status, start, end, roots_.time()};
}

int CvodeStepper::advance(double& t) {
  void* cvode = cvode_.get();
  checked_.forget_obstacle();
  cvode_message_.clear();
  set_shortest_step();
  roots_.forget();
  int flag = call_cvode(t);
  // Roots that CVODE has not yet reported of a finished step are skipped: the guards were scanned to its end.
  while (way_.roots_are_left && flag >= 0 && t <= way_.reached) {
    way_.roots_are_left = flag == CV_ROOT_RETURN;
    flag = call_cvode(t);
  }
  if (flag < 0 && way_.phase == Phase::fresh) {
    // The size that CVODE chose, or was given, for the first step can be hopeless: where the field is not
    // finite at the points it was estimated from, say. CVODE itself gives up after a factor of about 1e-6.
    double h = first_step_scale();
    for (int trial = 0; flag < 0 && trial < kFirstStepTrials; ++trial) {
      h *= kFirstStepReduction;
      if (h <= kShortestStep * std::abs(way_.start) || !restart_cvode(h)) break;
      flag = call_cvode(t);
    }
  }
  CVodeGetNumSteps(cvode, &counts_.steps);
  CVodeGetLastStep(cvode, &dense_.step);
  CVodeGetCurrentTime(cvode, &dense_.center);
  if (method_ == MultistepMethod::bdf) renew_jacobian_in_time();
  way_.roots_are_left = flag == CV_ROOT_RETURN;
  return way_.roots_are_left ? go_on_to_end_of_step(t) : flag;
}

int CvodeStepper::call_cvode(double& t) {
  return CVode(cvode_.get(), way_.end, state_.get(), &t, CV_ONE_STEP);
}

int CvodeStepper::go_on_to_end_of_step(double& t) {
  roots_.note(cvode_.get(), t);
  // CVODE's own measure of when it has reached the end.
  const double nothing = 100 * kEpsilon * (std::abs(dense_.center) + std::abs(dense_.step));
  const bool is_at_end = dense_.center >= way_.end - nothing;
  t = is_at_end ? way_.end : dense_.center;
  const int flag = CVodeGetDky(cvode_.get(), t, 0, state_.get());
  return flag < 0 ? flag : is_at_end ? CV_TSTOP_RETURN : CV_SUCCESS;
}

void CvodeStepper::renew_jacobian_in_time() {
  if (checked_.jacobian_evaluations() != renewal_.jacobians) {
    renewal_.jacobians = checked_.jacobian_evaluations();
    renewal_.step = dense_.step;
  }
  const bool outgrown = dense_.step > kOutgrown * renewal_.step;
  if (outgrown == renewal_.is_due) return;
  renewal_.is_due = outgrown;
  CVodeSetJacEvalFrequency(cvode_.get(), outgrown ? 1 : kJacobianSteps);
}

void CvodeStepper::set_shortest_step() {
  const double all = std::max(std::abs(way_.start), std::abs(way_.end));
  const double shortest = std::max(kShortestStep * std::abs(way_.reached), kShortestStepOfAll * all);
  CVodeSetMinStep(cvode_.get(), std::min(shortest, max_step_));
}

// The time in which a state changes by a tenth of its size at the first velocity; at most what is left.
double CvodeStepper::first_step_scale() const {
  const auto tenth = 0.1 * way_.state.array().abs() + atol_.array();
  const double fastest = (way_.velocity.array().abs() / tenth).maxCoeff();
  const double longest = std::min(way_.end - way_.start, max_step_);
  return fastest * longest > 1 ? 1 / fastest : longest;
}

// The next step and its order are what counts: they may be larger than those of the last step.
double CvodeStepper::damped_rate() const {
  double h = 0;
  int order = 0;
  CVodeGetCurrentStep(cvode_.get(), &h);
  CVodeGetCurrentOrder(cvode_.get(), &order);
  if (!(h > 0) || order < 1 || method_ == MultistepMethod::bdf) return Stepper::damped_rate();
  const double edge = kAdamsStability.at(static_cast<std::size_t>(order) - 1);
  return std::min(kDampedPerStep, kShareOfStability * edge) / h;
}

StepReport CvodeStepper::step_by_hand() {
  const double h = way_.end - way_.start;
  dense_.order = 1;
  dense_.center = way_.start;
  dense_.step = h;
  dense_.whole_change = h * way_.velocity;
  roots_.forget();
  dense_.line = {way_.state.data(), dense_.whole_change.data()};
  dense_.columns = dense_.line.data();
  dense_.is_current = true;
  sundials::values(state_.get()) = way_.state + dense_.whole_change;
  ++counts_.steps_before;

  way_.phase = Phase::idle;
  return report(StepStatus::reached_end, way_.start, way_.end);
}

void CvodeStepper::extract_interpolant() {
  if (dense_.is_current) return;
  dense_.order = history_->read(cvode_.get(), dense_.center, dense_.step);
  dense_.columns = history_->columns();
  dense_.is_current = true;
}

void CvodeStepper::evaluate(double t, VectorRef x) {
  // The state is there already; most steps need no more.
  if (t == way_.reached) {
    x = sundials::values(state_.get());
    return;
  }
  extract_interpolant();
  const double s = (t - dense_.center) / dense_.step;
  const auto coefficient = [&](Index k) { return Eigen::Map<const Vector>(dense_.columns[k], states_); };
  x = coefficient(dense_.order);
  for (Index k = dense_.order - 1; k >= 0; --k) x = s * x + coefficient(k);
}

Interpolant CvodeStepper::interpolant() {
  extract_interpolant();
  return {dense_.center, dense_.step, states_, dense_.order + 1, dense_.columns};
}

void CvodeStepper::error_weights(ConstVectorRef x, VectorRef weights) const {
  weights = (rtol_ * x.array().abs() + atol_.array()).inverse();
}

// The count starts at the last start.
std::int64_t CvodeStepper::krylov_iterations() const {
  long iterations = 0;
  if (newton_ && newton_->uses_krylov()) CVodeGetNumLinIters(cvode_.get(), &iterations);
  return iterations;
}

StepperStatistics CvodeStepper::statistics() const {
  StepperStatistics statistics;
  statistics.steps = counts_.steps_before + counts_.steps;
  statistics.velocity_evaluations = checked_.velocity_evaluations();
  statistics.jacobian_evaluations = checked_.jacobian_evaluations();
  statistics.krylov_iterations = counts_.krylov_before + krylov_iterations();
  statistics.restarts = counts_.restarts;
  return statistics;
}

StepReport CvodeStepper::fail() {
  way_.phase = Phase::idle;
  return {StepStatus::failed, way_.reached, way_.reached};
}

// runs_away() reads the state and the velocity of the last step.
bool CvodeStepper::runs_away() const {
  double t = 0;
  void* cvode = cvode_.get();
  Vector weights(states_);
  if (CVodeGetCurrentTime(cvode, &t) != CV_SUCCESS || CVodeGetDky(cvode, t, 0, work_.get()) != CV_SUCCESS)
    return false;
  error_weights(sundials::values(work_.get()), weights);
  if (CVodeGetDky(cvode, t, 1, work_.get()) != CV_SUCCESS) return false;
  return outruns_clock(t, sundials::values(work_.get()), weights);
}

void CvodeStepper::explain(int flag) {
  double h = 0;
  CVodeGetCurrentStep(cvode_.get(), &h);
  const std::string where =
      fmt::format("no step from t = {} succeeds, down to step size {:.3g}", dense_.center, h);
  failure_.by_user_function = checked_.obstructed();
  if (failure_.by_user_function) {
    failure_.message = fmt::format("{} ({})", checked_.obstacle(), where);
    return;
  }
  if (flag == CV_ERR_FAILURE && runs_away()) {
    failure_.message = fmt::format("{}: {}{}", where, kOutrunsClock, kExplicitForExplosions);
    return;
  }
  const CvodeAdvice advice = cvode_advice(flag, method_);
  failure_.message = fmt::format("{}: {}; {}", where, advice.what, advice.remedy);
  if (const std::string obstacle = checked_.obstacle(); !obstacle.empty()) {
    failure_.message += fmt::format(" (earlier in the same step {})", obstacle);
  }
  failure_.message += fmt::format(" [{}: {}]", sundials::flag_name(flag), cvode_message_);
}

// climb_factor() tells how much smaller than the tolerances the error of the next step must be. The shares 2(n +
// 1)/kClimb² of the steps of the climb, n after a start, sum up to one. The errors of k
// starts add up to at most k times that of one, so that the k-th start need not be more than k times as accurate.
double CvodeStepper::climb_factor() const {
  if (counts_.steps >= kClimbedBy) return 1;
  const double share = 2 * (static_cast<double>(counts_.steps) + 1) / (kClimb * kClimb);
  const auto starts = static_cast<double>(counts_.restarts);
  return std::clamp(std::min(1 / share, starts), 1.0, std::max(1.0, rtol_ / kFinestClimb));
}

int CvodeStepper::weights_callback(N_Vector x, N_Vector weights, void* self) {
  auto& stepper = *static_cast<CvodeStepper*>(self);
  stepper.error_weights(sundials::values(x), sundials::values(weights));
  stepper.allow_for_clock(sundials::values(x), sundials::values(weights));
  if (const double factor = stepper.climb_factor(); factor > 1) sundials::values(weights) *= factor;
  return 0;
}

// allow_for_clock() takes the state that CVODE steps from, once its error test has failed.
void CvodeStepper::allow_for_clock(ConstVectorRef x, VectorRef weights) {
  void* cvode = cvode_.get();
  long failures = 0;
  if (method_ != MultistepMethod::bdf || counts_.steps == 0 ||
      CVodeGetNumErrTestFails(cvode, &failures) != CV_SUCCESS)
    return;
  const bool has_failed = failures != std::exchange(counts_.failures, failures);
  double t = 0, h = 0;
  if ((!has_failed && !way_.allows_for_clock) || CVodeGetCurrentTime(cvode, &t) != CV_SUCCESS ||
      CVodeGetLastStep(cvode, &h) != CV_SUCCESS || CVodeGetDky(cvode, t, 1, work_.get()) != CV_SUCCESS)
    return;
  way_.allows_for_clock =
      on_clock_.are_wider(checked_, {t, way_.end, h, x, sundials::values(work_.get()), weights});
  if (way_.allows_for_clock) weights = on_clock_.tolerances().cwiseInverse();
}

int CvodeStepper::velocity_callback(double t, N_Vector x, N_Vector dx, void* self) {
  auto& stepper = *static_cast<CvodeStepper*>(self);
  if (stepper.way_.refuse_velocity) return -1;
  if (stepper.way_.velocity_is_due) {
    stepper.way_.velocity_is_due = false;
    sundials::values(dx) = stepper.way_.velocity;
    return 0;
  }
  return stepper.checked_.velocity(t, sundials::values(x), sundials::values(dx)) ? 0 : 1;
}

int CvodeStepper::root_callback(double t, N_Vector x, double* values, void* self) {
  static_cast<CvodeStepper*>(self)->roots_.evaluate(t, x, values);
  return 0;
}

NewtonSystem::Callbacks CvodeStepper::newton_callbacks() {
  using sundials::Truth;
  return {.fill_dense = [](double t, N_Vector x, N_Vector dx, SUNMatrix jacobian, void* self, N_Vector,
                           N_Vector, N_Vector) { return newton(self).fill_dense(t, x, dx, jacobian); },
          .fill_sparse =
              [](double t, N_Vector x, N_Vector dx, SUNMatrix, Truth keep, Truth* is_new, double gamma,
                 void* self, N_Vector, N_Vector, N_Vector) {
                *is_new = !keep;
                return newton(self).fill_sparse(t, x, dx, keep != 0, gamma);
              },
          .times = [](N_Vector direction, N_Vector product, double t, N_Vector x, N_Vector, void* self,
                      N_Vector) { return newton(self).times(t, x, direction, product); },
          .prepare_preconditioner =
              [](double t, N_Vector x, N_Vector dx, Truth keep, Truth* is_new, double gamma, void* self) {
                *is_new = !keep;
                return newton(self).prepare_preconditioner(t, x, dx, keep != 0, gamma);
              },
          .precondition = [](double t, N_Vector x, N_Vector, N_Vector r, N_Vector z, double, double, int,
                             void* self) { return newton(self).precondition(t, x, r, z); }};
}

int CvodeStepper::projection_callback(double t, N_Vector x, N_Vector correction, double, N_Vector,
                                      void* self) {
  auto& stepper = *static_cast<CvodeStepper*>(self);
  if (CVodeGetErrWeights(stepper.cvode_.get(), stepper.weights_.get()) != CV_SUCCESS) return -1;
  sundials::values(stepper.weights_.get()) /= stepper.climb_factor();
  auto projected = sundials::values(stepper.work_.get());
  projected = sundials::values(x);
  if (!stepper.checked_.project(t, sundials::values(stepper.weights_.get()), projected)) return 1;
  sundials::values(correction) = projected - sundials::values(x);
  return 0;
}

std::unique_ptr<Stepper> make_cvode_stepper(SmoothOde& ode, MultistepMethod method,
                                            const StepperOptions& options) {
  return std::make_unique<CvodeStepper>(ode, method, options);
}

}  // namespace slideway
