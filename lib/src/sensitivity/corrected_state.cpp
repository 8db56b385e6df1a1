#include "sensitivity/corrected_state.hpp"

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>
#include <utility>

namespace slideway {

namespace {

// ---- The tests of stiff problems pass with other values of each: half and twice kShareOfStep and kMostNewtonTurns, 0.1 and 10 times
// kShareOfDifference, kSameEntry and ten times kPartOfCorrection, a quarter and four times kRoundingOfState, a sixteenth and four times
// kMostStepsBefore, 100 times kBeside, 4 times kStepsOfLook, 5 times kSlowTurn and twice kNearPart.

// τ is this part of a step: slow components move by less than their errors, and fast ones keep an error that is small beside that of x'.
constexpr double kShareOfStep = 0.1;
// The factors serve steps up to twice as long or as short.
constexpr double kNearPart = 2;
// The equation of the first sweep is solved to this part of the correction.
constexpr double kPartOfCorrection = 1e-3;
// The rate of the defect is a difference over this part of a step, and exact to about so much.
constexpr double kShareOfDifference = 1e-3;
// Newton's method with factors of a state nearby takes two or three turns, and one more with new factors.
constexpr int kMostNewtonTurns = 6;
// Factors that leave more than this part of the residual are made anew.
constexpr double kSlowTurn = 0.1;
// A correction of this part of the state is one of rounding errors.
constexpr double kRoundingOfState = 8 * std::numeric_limits<double>::epsilon();
// J is compared with that at a state that differs by this part of the sizes of the states, which is about as much as errors are.
constexpr double kBeside = 1e-6;
// This is done once in so many steps.
constexpr std::ptrdiff_t kStepsOfLook = 8;
// Steps that an arrival without an event has cut off are looked for among so many before a segment.
constexpr std::size_t kMostStepsBefore = 32;

// Entries of J that differ by no more than this part of the largest are the same. Rounding makes a constant J of sliding differ by less, and
// errors of the states of a millionth make of a larger difference no more than its hundred-thousandth.
constexpr double kSameEntry = 1e-11;

template <class Entries>
bool are_same(const Entries& a, const Entries& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  return a.size() == 0 || (a - b).cwiseAbs().maxCoeff() <= kSameEntry * a.cwiseAbs().maxCoeff();
}

bool are_same(const Eigen::SparseMatrix<double>& a, const Eigen::SparseMatrix<double>& b) {
  if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
  const Eigen::SparseMatrix<double> difference = a - b;
  return difference.nonZeros() == 0 ||
         difference.coeffs().abs().maxCoeff() <= kSameEntry * a.coeffs().abs().maxCoeff();
}

bool are_same(const SplitJacobian& a, const SplitJacobian& b) {
  return are_same(a.values, b.values) && are_same(a.left, b.left) && are_same(a.right, b.right) &&
         are_same(a.border_columns, b.border_columns) && are_same(a.border_rows, b.border_rows) &&
         are_same(a.corner, b.corner);
}

// The time from which steps may be longer than a fast component allows an explicit method: those have |λ|h below 7, which no error outgrows.
double implicit_from(Method method, double stiff_from) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  switch (method) {
    case Method::automatic: return std::isnan(stiff_from) ? infinity : stiff_from;
    case Method::bdf:
    case Method::rodas: return -infinity;
    default: return infinity;
  }
}

}  // namespace

CorrectedState::CorrectedState(const Solution& solution, const Options& options, Vector sizes)
    : trajectory_(solution.trajectory),
      implicit_from_(implicit_from(options.method, solution.statistics.stiff_from)),
      sizes_(std::move(sizes)),
      states_(sizes_.size()),
      state_(states_),
      beside_(states_),
      slope_(states_) {}

bool CorrectedState::is_recorded(double t) const { return t < implicit_from_; }

void CorrectedState::take(std::size_t segment, SegmentField& field, Vector extended, const GoesOn& goes_on) {
  segment_ = segment;
  field_ = &field;
  x_ = std::move(extended);
  const std::vector<Segment>& segments = trajectory_.segments();
  if (is_recorded(segments[segment].end)) return;
  velocity_.resize(x_.size());
  // The integrator may start anew without an event.
  const std::size_t own = segments[segment].first_step;
  const std::size_t least = own - std::min(own, kMostStepsBefore);
  std::size_t first = segment;
  while (segments[first].first_step > least && goes_on(first)) --first;
  const std::size_t end =
      segment + 1 < segments.size() ? segments[segment + 1].first_step : trajectory_.steps();
  steps_.clear();
  for (std::size_t i = std::max(segments[first].first_step, least); i < end; ++i) add_step(i);
  own_steps_ = std::partition_point(steps_.begin(), steps_.end(),
                                    [&](const Step& step) { return step.number < own; }) -
               steps_.begin();
  looked_at_ = looked_until_ = std::numeric_limits<double>::quiet_NaN();
  factors_.forget();
}

void CorrectedState::add_step(std::size_t number) {
  const Trajectory::StepPolynomial step = trajectory_.step(number);
  if (!(step.end > step.start)) return;
  const double length = std::max(step.end - step.start, std::abs(step.scale));
  std::size_t longest = steps_.size();
  if (longest > 0 && !step.has_parts) {
    const Step& before = steps_[steps_.back().longest];
    if (before.length > length && before.start + before.length >= step.end) longest = steps_.back().longest;
  }
  steps_.push_back({step.start, step.end, length, number, longest});
}

const CorrectedState::Step& CorrectedState::step_at(double t) const {
  const auto step = std::lower_bound(steps_.begin() + own_steps_, steps_.end() - 1, t,
                                     [](const Step& one, double time) { return one.end < time; });
  return *step;
}

void CorrectedState::find_defect(double t, const Step& step, Vector& state, Vector& defect) {
  if (&step == &steps_[step.longest]) {
    trajectory_.evaluate(segment_, t, state);
    trajectory_.derivative(segment_, t, slope_);
  } else {
    const Trajectory::StepPolynomial of = trajectory_.step(steps_[step.longest].number);
    const double s = (t - of.center) / of.scale;
    state.setZero();
    slope_.setZero();
    for (Index k = of.coefficients.cols() - 1; k >= 0; --k) {
      slope_ = slope_ * s + state;
      state = state * s + of.coefficients.col(k);
    }
    slope_ /= of.scale;
  }
  x_.head(states_) = state;
  field_->velocity(t, x_, velocity_);
  defect = velocity_.head(states_) - slope_;
}

// The defect jumps between steps, so that its rate is that inside the step.
Vector CorrectedState::rate_of_defect(double t, const Step& step) {
  const double apart =
      std::min(kShareOfDifference * steps_[step.longest].length, 0.25 * (step.end - step.start));
  const double beside = t - step.start > 2 * apart ? t - apart : t + apart;
  find_defect(beside, step, beside_, defect_beside_);
  return (defect_beside_ - defect_) / (beside - t);
}

double CorrectedState::size_of(const Vector& change) const {
  return (change.array().abs() / state_.cwiseAbs().cwiseMax(sizes_).array()).maxCoeff();
}

const Vector& CorrectedState::recorded(double t) {
  trajectory_.evaluate(segment_, t, state_);
  x_.head(states_) = state_;
  return x_;
}

void CorrectedState::find_jacobian(double t, Matrix& full, SplitJacobian& parts) {
  if (field_->pattern_of_many_states()) {
    field_->split_jacobian(t, x_, parts);
  } else {
    field_->jacobian(t, x_, full);
  }
}

bool CorrectedState::depends_on_state(double t) {
  find_jacobian(t, jacobian_, parts_);
  x_.head(states_) += kBeside * state_.cwiseAbs().cwiseMax(sizes_);
  find_jacobian(t, jacobian_beside_, parts_beside_);
  x_.head(states_) = state_;
  return field_->pattern_of_many_states() ? !are_same(parts_, parts_beside_)
                                          : !are_same(jacobian_, jacobian_beside_);
}

const Vector& CorrectedState::for_jacobian(double t) {
  if (is_recorded(t) || !has_steps()) return recorded(t);
  if (!(t >= looked_at_ && t <= looked_until_)) {
    const Step* const step = &step_at(t);
    const std::ptrdiff_t left = steps_.data() + steps_.size() - 1 - step;
    looked_at_ = step->start;
    looked_until_ = step[std::min(kStepsOfLook, left)].end;
    recorded(t);
    varies_ = depends_on_state(t);
  }
  return varies_ ? (*this)(t) : recorded(t);
}

const Vector& CorrectedState::operator()(double t) {
  if (is_recorded(t) || !has_steps()) return recorded(t);
  const Step& step = step_at(t);
  const double wanted = kShareOfStep * steps_[step.longest].length;
  find_defect(t, step, state_, defect_);
  const Vector slope = slope_;
  const Vector rate = rate_of_defect(t, step);
  x_.head(states_) = state_;
  const bool is_near = factors_.exist() && tau_ < kNearPart * wanted && wanted < kNearPart * tau_;
  if (!is_near) tau_ = wanted;
  if ((is_near || factors_.factor(*field_, t, x_, tau_)) && correct(t, slope, rate)) return x_;
  // Without a solution the record is the best that there is. Factors of a state that Newton's method fled to serve no other one.
  factors_.forget();
  return recorded(t);
}

bool CorrectedState::find_velocity(double t) {
  if (!x_.allFinite()) return false;
  try {
    field_->velocity(t, x_, velocity_);
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

bool CorrectedState::find_factors(double t) {
  try {
    return factors_.factor(*field_, t, x_, tau_);
  } catch (const std::exception&) {
    return false;
  }
}

bool CorrectedState::correct(double t, const Vector& slope, const Vector& rate) {
  const Vector wanted = slope + tau_ * factors_.solve(rate);
  Vector first = factors_.solve(tau_ * (defect_ + slope - wanted));
  double last = size_of(first);
  // Newton's method for x₁. Its last change is the residual of all turns.
  for (int turn = 0; turn < kMostNewtonTurns; ++turn) {
    x_.head(states_) = state_ + first;
    if (!find_velocity(t)) return false;
    const Vector change = factors_.solve(tau_ * (velocity_.head(states_) - wanted) - first);
    if (!change.allFinite()) return false;
    first += change;
    const double size = size_of(change);
    if (size <= kPartOfCorrection * size_of(first) || size <= kRoundingOfState) {
      // The residual of the second sweep is the correction of the first one, so that it takes no velocity.
      x_.head(states_) = state_ + first + factors_.solve(first);
      return true;
    }
    if (size > kSlowTurn * last && !find_factors(t)) return false;
    last = size;
  }
  return false;
}

}  // namespace slideway
