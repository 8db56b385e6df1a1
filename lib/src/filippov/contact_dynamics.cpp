#include "slideway/filippov/contact_dynamics.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include <Eigen/QR>

#include "slideway/core/state_errors.hpp"
#include "slideway/filippov/complementarity.hpp"

namespace slideway {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr int kProjectionSweeps = 6;
constexpr int kImpactSweeps = 3;
// The part of the largest acceleration, or velocity, of several contacts that is rounding in another.
constexpr double kNegligible = 1e-13;
// The part of the largest acceleration that a force must be able to give to press.
constexpr double kPresses = 1e-9;
// The part of a change by the tolerances that no impact is worth.
constexpr double kCarriedError = 1e-4;

}  // namespace

ContactDynamics::ContactDynamics(const System& system) : definition_(system.contacts()), evaluator_(system) {
  const Index n = system.states();
  for (Vector* vector : {&field_, &along_, &acceleration_, &value_, &gradient_, &impulse_})
    *vector = Vector::Zero(n);
  all_forces_ = Vector::Zero(contacts());
}

void ContactDynamics::set_closed(std::vector<Index> closed) {
  closed_ = std::move(closed);
  std::sort(closed_.begin(), closed_.end());
}

void ContactDynamics::stabilise(double rate, double t, ConstVectorRef x, ConstVectorRef lambda,
                                ConstVectorRef weights) {
  prepare(t, x, lambda, closed_);
  for (std::size_t r = 0; r < closed_.size(); ++r) {
    const auto row = static_cast<Index>(r);
    // A unit of the gap's velocity is b/B of the state.
    const double unit =
        (directions_.col(row).cwiseProduct(weights)).lpNorm<Eigen::Infinity>() / effect_(row, row);
    rate = std::min(rate, 1 / (unit * tolerance(t, x, closed_[r], weights)));
  }
  stabilisation_ = rate;
}

std::string ContactDynamics::names(const std::vector<Index>& contacts) const {
  std::string text;
  for (const Index i : contacts) {
    if (text.size() > 200) return text + ", …";
    text += (text.empty() ? "'" : ", '") + contact(i).name + "'";
  }
  return text;
}

// b, u, a and B at a point.
void ContactDynamics::prepare(double t, ConstVectorRef x, ConstVectorRef lambda,
                              const std::vector<Index>& contacts) {
  const auto k = static_cast<Index>(contacts.size());
  const Index n = x.size();
  if (directions_.cols() != k) {
    directions_.resize(n, k);
    effect_.resize(k, k);
    for (Vector* vector : {&rates_, &accelerations_, &right_side_, &solution_}) vector->resize(k);
  }
  evaluator_.field(t, x, lambda, field_);
  evaluator_.field_along(t, x, lambda, 1, field_, value_, acceleration_);
  directions_.setZero();
  for (Index r = 0; r < k; ++r) {
    const Contact& c = contact(contacts[static_cast<std::size_t>(r)]);
    c.acts_on(t, x, directions_.col(r));
    rates_[r] = c.gap.rate(t, x, 1, field_);
    accelerations_[r] = c.gap.mixed(t, x, 1, field_, 1, field_, acceleration_);
  }
  for (Index j = 0; j < k; ++j) {
    evaluator_.field_along(t, x, lambda, 0, directions_.col(j), value_, along_);
    for (Index i = 0; i < k; ++i) {
      const Contact& c = contact(contacts[static_cast<std::size_t>(i)]);
      effect_(i, j) = c.gap.mixed(t, x, 1, field_, 0, directions_.col(j), along_);
    }
    if (effect_(j, j) > 0) continue;
    const Contact& c = contact(contacts[static_cast<std::size_t>(j)]);
    throw std::runtime_error("the force of contact '" + c.name +
                             "' does not open its gap: a unit force changes the " + "gap's acceleration by " +
                             std::to_string(effect_(j, j)) +
                             ", expected more than 0, at t = " + std::to_string(t) + "; check acts_on");
  }
}

// solution_ = B⁻¹ right_side_.
void ContactDynamics::solve(const std::vector<Index>& contacts) {
  if (contacts.size() == 1) {
    solution_[0] = right_side_[0] / effect_(0, 0);
    return;
  }
  factors_.compute(effect_);
  if (factors_.rcond() > 1e-13) {
    solution_ = factors_.solve(right_side_);
    return;
  }
  // More contacts than directions to hold (a table on four legs): the forces are shared, their effect is not.
  const Eigen::CompleteOrthogonalDecomposition<Matrix> orthogonal(effect_);
  solution_ = orthogonal.solve(right_side_);
  const double left = (effect_ * solution_ - right_side_).lpNorm<Eigen::Infinity>();
  if (left <= 1e-8 * (1 + right_side_.lpNorm<Eigen::Infinity>())) return;
  throw std::runtime_error("no forces keep the contacts " + names(contacts) + " closed");
}

void ContactDynamics::solve_for_forces(double t, ConstVectorRef x, ConstVectorRef lambda,
                                       double stabilisation) {
  prepare(t, x, lambda, closed_);
  right_side_ = -accelerations_;
  if (stabilisation > 0) {
    for (std::size_t r = 0; r < closed_.size(); ++r) {
      const auto row = static_cast<Index>(r);
      right_side_[row] -= stabilisation * (2 * rates_[row] + stabilisation * gap(t, x, closed_[r]));
    }
  }
  solve(closed_);
}

// What draws the state back onto the constraint is no force of the contact: it would release it.
const Vector& ContactDynamics::forces(double t, ConstVectorRef x, ConstVectorRef lambda) {
  all_forces_.setZero();
  if (closed_.empty()) return all_forces_;
  solve_for_forces(t, x, lambda, 0);
  all_forces_(closed_) = solution_;
  return all_forces_;
}

void ContactDynamics::add_forces(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef dx) {
  if (closed_.empty()) return;
  solve_for_forces(t, x, lambda, stabilisation_);
  dx += directions_ * solution_;
}

double ContactDynamics::rate(double t, ConstVectorRef x, ConstVectorRef lambda, Index i) {
  evaluator_.field(t, x, lambda, field_);
  return contact(i).gap.rate(t, x, 1, field_);
}

double ContactDynamics::acceleration(double t, ConstVectorRef x, ConstVectorRef lambda, Index i) {
  impulse_.setZero();
  if (!closed_.empty()) {
    solve_for_forces(t, x, lambda, 0);
    impulse_ = directions_ * solution_;
  }
  evaluator_.field(t, x, lambda, field_);
  evaluator_.field_along(t, x, lambda, 1, field_, value_, acceleration_);
  double result = contact(i).gap.mixed(t, x, 1, field_, 1, field_, acceleration_);
  if (!closed_.empty()) {
    evaluator_.field_along(t, x, lambda, 0, impulse_, value_, along_);
    result += contact(i).gap.mixed(t, x, 1, field_, 0, impulse_, along_);
  }
  return result;
}

double ContactDynamics::rounding(double t, ConstVectorRef x, Index i) {
  contact(i).gap.gradient(t, x, gradient_);
  value_.setZero();
  const double by_time = contact(i).gap.rate(t, x, 1, value_);
  return 16 * kEpsilon * (gradient_.cwiseAbs().dot(x.cwiseAbs()) + std::abs(by_time * t));
}

double ContactDynamics::tolerance(double t, ConstVectorRef x, Index i, ConstVectorRef weights) {
  contact(i).gap.gradient(t, x, gradient_);
  return gradient_.cwiseAbs().cwiseQuotient(weights).sum();
}

double ContactDynamics::rate_rounding(double t, ConstVectorRef x, ConstVectorRef lambda, Index i,
                                      ConstVectorRef weights) {
  value_ = x;
  add_errors(weights, value_);
  evaluator_.field(t, value_, lambda, along_);
  evaluator_.field(t, x, lambda, field_);
  contact(i).gap.gradient(t, x, gradient_);
  value_.setZero();
  const double by_time = contact(i).gap.rate(t, x, 1, value_);
  // Entry by entry: equal errors of two bodies must not cancel.
  const double carried = kCarriedError * gradient_.cwiseAbs().dot((along_ - field_).cwiseAbs());
  return 64 * kEpsilon * (gradient_.cwiseAbs().dot(field_.cwiseAbs()) + std::abs(by_time)) + impact_noise_ +
         (std::isfinite(carried) ? carried : 0.0);
}

void ContactDynamics::flush(VectorRef right_side) const {
  double largest = 0;
  for (Index r = 0; r < right_side.size(); ++r) {
    largest = std::max(largest, std::abs(right_side[r]) / std::sqrt(effect_(r, r)));
  }
  for (Index r = 0; r < right_side.size(); ++r) {
    if (std::abs(right_side[r]) / std::sqrt(effect_(r, r)) <= kNegligible * largest) right_side[r] = 0;
  }
}

std::vector<Index> ContactDynamics::staying_closed(double t, ConstVectorRef x, ConstVectorRef lambda,
                                                   const std::vector<Index>& touching) {
  std::vector<Index> closed;
  if (touching.empty()) return closed;
  prepare(t, x, lambda, touching);
  const auto k = static_cast<Index>(touching.size());
  const Vector lower = Vector::Zero(k);
  const Vector upper = Vector::Constant(k, std::numeric_limits<double>::infinity());
  flush(accelerations_);
  const ComplementarityAnswer answer = solve_box_complementarity(effect_, accelerations_, lower, upper);
  if (!answer.solved) {
    throw std::runtime_error("no forces that only push satisfy the contacts " + names(touching) +
                             " at t = " + std::to_string(t));
  }
  const double scale = accelerations_.lpNorm<Eigen::Infinity>();
  for (Index r = 0; r < k; ++r) {
    // A gap that opens has an acceleration of its own; anything else stays.
    if (answer.residual[r] <= 1e-12 * scale) closed.push_back(touching[static_cast<std::size_t>(r)]);
  }
  return closed;
}

ContactDynamics::Pressed ContactDynamics::pressed_with(Index i, double t, ConstVectorRef x,
                                                       ConstVectorRef lambda,
                                                       const std::vector<Index>& touching) {
  Pressed pressed;
  prepare(t, x, lambda, touching);
  const auto k = static_cast<Index>(touching.size());
  const double scale = accelerations_.lpNorm<Eigen::Infinity>();
  if (k == 1) {
    if (accelerations_[0] < 0) pressed = {{i}, {-accelerations_[0]}};
    return pressed;
  }
  flush(accelerations_);
  const ComplementarityAnswer answer = solve_box_complementarity(
      effect_, accelerations_, Vector::Zero(k), Vector::Constant(k, std::numeric_limits<double>::infinity()));
  if (!answer.solved) return pressed;
  const auto presses = [&](Index r) { return answer.z[r] * effect_(r, r) > kPresses * scale; };
  // Those that i is connected with, row by row.
  std::vector<Index> rows;
  std::vector<char> is_in(touching.size(), 0);
  for (Index r = 0; r < k; ++r) {
    if (touching[static_cast<std::size_t>(r)] == i && presses(r)) rows.push_back(r);
  }
  for (const Index r : rows) is_in[static_cast<std::size_t>(r)] = 1;
  for (std::size_t next = 0; next < rows.size(); ++next) {
    for (Index r = 0; r < k; ++r) {
      if (is_in[static_cast<std::size_t>(r)] || effect_(r, rows[next]) == 0 || !presses(r)) continue;
      is_in[static_cast<std::size_t>(r)] = 1;
      rows.push_back(r);
    }
  }
  if (rows.empty()) return pressed;
  std::sort(rows.begin(), rows.end());
  const Matrix inverse = Matrix(effect_(rows, rows)).completeOrthogonalDecomposition().pseudoInverse();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto row = static_cast<Index>(r);
    pressed.contacts.push_back(touching[static_cast<std::size_t>(rows[r])]);
    pressed.accelerations.push_back(answer.z[rows[r]] / inverse(row, row));
  }
  return pressed;
}

ContactDynamics::Impact ContactDynamics::impact(double t, ConstVectorRef lambda,
                                                const std::vector<Index>& touching, bool elastic,
                                                VectorRef x) {
  prepare(t, x, lambda, touching);
  const auto k = static_cast<Index>(touching.size());
  Impact result;
  Vector start = rates_;
  for (Index r = 0; r < k; ++r) {
    const double speed = -rates_[r];
    result.approach.push_back(speed);
    double restitution = std::numeric_limits<double>::quiet_NaN();
    if (speed > 0) {
      const Contact& c = contact(touching[static_cast<std::size_t>(r)]);
      restitution = elastic ? c.restitution(speed) : 0;
      if (!(restitution >= 0 && restitution <= 1)) {
        throw std::runtime_error("the restitution of contact '" + c.name + "' is " +
                                 std::to_string(restitution) + " at an approach speed of " +
                                 std::to_string(speed) + ", expected a number in [0, 1]");
      }
      start[r] += restitution * rates_[r];
    }
    result.restitution.push_back(restitution);
  }
  double terms = rates_.lpNorm<Eigen::Infinity>();
  if (k == 1) {
    solution_[0] = std::max(0.0, -start[0] / effect_(0, 0));
  } else {
    flush(start);
    const Vector lower = Vector::Zero(k);
    const Vector upper = Vector::Constant(k, std::numeric_limits<double>::infinity());
    const ComplementarityAnswer answer = solve_box_complementarity(effect_, start, lower, upper);
    if (!answer.solved) {
      throw std::runtime_error("no impulses that only push satisfy the impact of " + names(touching) +
                               " at t = " + std::to_string(t));
    }
    solution_ = answer.z;
  }
  const Vector after = rates_ + effect_ * solution_;
  terms = std::max(terms, (effect_.cwiseAbs() * solution_.cwiseAbs()).maxCoeff());
  impact_noise_ = std::max(impact_noise_, 64 * kEpsilon * terms);
  std::vector<Index> stopped;
  for (Index r = 0; r < k; ++r) {
    const double rounding = 16 * kEpsilon * (std::abs(rates_[r]) + std::abs(effect_(r, r) * solution_[r]));
    result.departure.push_back(std::abs(after[r]) <= rounding ? 0.0 : after[r]);
    if (solution_[r] > 0 && result.departure.back() == 0)
      stopped.push_back(touching[static_cast<std::size_t>(r)]);
  }
  x += directions_ * solution_;
  // What stops does so exactly, not up to the rounding of the velocities before.
  for (int sweep = 0; sweep < kImpactSweeps && !stopped.empty(); ++sweep) {
    prepare(t, x, lambda, stopped);
    right_side_ = -rates_;
    if (right_side_.isZero(0)) break;
    solve(stopped);
    x += directions_ * solution_;
  }
  return result;
}

const Vector& ContactDynamics::stopping_impulse(double t, ConstVectorRef x, ConstVectorRef lambda, Index i) {
  prepare(t, x, lambda, {i});
  impulse_ = directions_.col(0) * (-rates_[0] / effect_(0, 0));
  return impulse_;
}

bool ContactDynamics::correct_gaps(double t, const std::vector<Index>& contacts, ConstVectorRef weights,
                                   VectorRef x) {
  const auto k = static_cast<Index>(contacts.size());
  gradients_.resize(k, x.size());
  gaps_.resize(k);
  bool is_there = true;
  for (Index r = 0; r < k; ++r) {
    const Guard& function = contact(contacts[static_cast<std::size_t>(r)]).gap;
    gaps_[r] = function.value(t, x);
    function.gradient(t, x, gradient_);
    gradients_.row(r) = gradient_.cwiseQuotient(weights).transpose();
    // A state that is zero on the surface has no rounding of its own; that of its error scale stands in.
    const double unit = gradient_.cwiseAbs().dot(x.cwiseAbs()) + gradients_.row(r).cwiseAbs().sum();
    is_there = is_there && std::abs(gaps_[r]) <= 4 * kEpsilon * unit;
  }
  if (is_there) return true;
  if (k == 1) {
    x -= gradients_.row(0).transpose().cwiseQuotient(weights) * (gaps_[0] / gradients_.row(0).squaredNorm());
  } else {
    x -= (gradients_.transpose() *
          (gradients_ * gradients_.transpose()).completeOrthogonalDecomposition().solve(gaps_))
             .cwiseQuotient(weights);
  }
  return false;
}

bool ContactDynamics::project(double t, const std::vector<Index>& contacts, ConstVectorRef lambda,
                              ConstVectorRef weights, VectorRef x) {
  if (contacts.empty()) return true;
  original_ = x;
  for (int sweep = 0; sweep < kProjectionSweeps; ++sweep) {
    const bool is_there = correct_gaps(t, contacts, weights, x);
    if (!x.allFinite()) break;
    prepare(t, x, lambda, contacts);
    right_side_ = -rates_;
    solve(contacts);
    x += directions_ * solution_;
    if (is_there) return true;
  }
  x = original_;
  return false;
}

System with_contact_forces(const System& system, std::shared_ptr<ContactDynamics> dynamics) {
  SystemDefinition definition = system.definition();
  // The derivatives of the forces are left to differences, and every contact may couple everything.
  definition.field_dx = {};
  definition.field_dlambda = {};
  definition.field_along = {};
  definition.normal_dx = {};
  definition.field_dx_pattern.reset();
  definition.field_dlambda_pattern.reset();
  definition.field = [system, dynamics = std::move(dynamics)](double t, ConstVectorRef x,
                                                              ConstVectorRef lambda, VectorRef dx) {
    system.field(t, x, lambda, dx);
    dynamics->add_forces(t, x, lambda, dx);
  };
  return System(std::move(definition));
}

}  // namespace slideway
