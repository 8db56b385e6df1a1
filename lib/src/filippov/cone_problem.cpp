#include "filippov/cone_problem.hpp"

#include <algorithm>
#include <boost/math/tools/toms748_solve.hpp>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <optional>

#include "core/factorise.hpp"

namespace slideway {

namespace {

using Plane = Eigen::Vector2d;

// Friction is on the cone within this part of its bound.
constexpr double kOnCone = 1e-12;
// A contact that was found to break away is at its bound within this part of it.
constexpr double kAtBound = 1e-6;
// A force whose effect is this part of what it is without friction does not lift any more.
constexpr double kLifts = 1e-9;
// Angles at which the direction of slip is looked for, and the most steps to its zero between two of them.
constexpr int kAngles = 180;
constexpr std::uintmax_t kMostSteps = 100;
// Angles that differ by this, and more by their rounding, are one.
constexpr double kSameAngle = 1e-16;
// The slip across a direction that is rounding beside the terms that it is made of.
constexpr double kAligned = 1e-15;
// The changes of a turn that are rounding, those that do as an answer after the most turns, and so many of several contacts.
constexpr double kSettled = 1e-14;
constexpr double kAlmostSettled = 1e-11;
constexpr int kMostTurns = 2000;

struct One {
  Eigen::Vector3d z = Eigen::Vector3d::Zero();
  bool sticks = false;
  Plane direction = Plane::Zero();
  bool begins = false;
};

Plane across(const Plane& n) { return {-n[1], n[0]}; }

// One contact that slips: what its friction along −n, with n at an angle from `reference`, makes of its slip.
class Slip {
 public:
  // P is what gives u = 0, or what is given.
  Slip(const Eigen::Matrix3d& B, const Eigen::Vector3d& q, double coefficient, const Plane& reference,
       std::optional<double> given)
      : B_(B), q_(q), coefficient_(coefficient), reference_(reference), given_(given) {}

  // The slip across n, times the lift where P is not given, so that it has no pole.
  double across_direction(double angle) {
    n_ = std::cos(angle) * reference_ + std::sin(angle) * across(reference_);
    const Plane own = q_.tail<2>();
    const Plane by_normal = B_.block<2, 1>(1, 0);
    const Plane by_friction = -coefficient_ * (B_.block<2, 2>(1, 1) * n_);
    lift_ = given_ ? 1 : B_(0, 0) - coefficient_ * (B_(0, 1) * n_[0] + B_(0, 2) * n_[1]);
    const double normal = given_ ? *given_ : -q_[0];
    slip_ = lift_ * own + normal * (by_normal + by_friction);
    const double terms =
        std::abs(lift_) * own.norm() + std::abs(normal) * (by_normal.norm() + by_friction.norm());
    const double value = across(n_).dot(slip_);
    return std::abs(value) <= kAligned * terms ? 0 : value;
  }
  // lifts() tells whether the contact's force lifts against friction in the last direction.
  bool lifts() const { return given_ || lift_ > kLifts * B_(0, 0); }
  bool leads_on() const { return n_.dot(slip_) >= 0; }
  One taken() const {
    const double normal = given_ ? *given_ : -q_[0] / lift_;
    One one;
    one.z << normal, -coefficient_ * normal * n_;
    one.direction = n_;
    return one;
  }

 private:
  const Eigen::Matrix3d& B_;
  const Eigen::Vector3d& q_;
  double coefficient_;
  Plane reference_;
  std::optional<double> given_;
  Plane n_ = Plane::Zero(), slip_ = Plane::Zero();
  double lift_ = 0;
};

// The direction nearest to `reference` that the slip keeps under its own friction, with P at least `least`.
std::optional<One> slipping(const Eigen::Matrix3d& B, const Eigen::Vector3d& q, const ConeRows& contact,
                            const Plane& reference, std::optional<double> given) {
  Slip slip(B, q, contact.coefficient, reference, given);
  const double part = 2 * std::numbers::pi / kAngles;
  std::optional<One> nearest;
  double distance = 0;
  const auto take = [&](double angle) {
    slip.across_direction(angle);
    if (!slip.lifts() || !slip.leads_on()) return;
    if (nearest && std::abs(angle) >= distance) return;
    const One one = slip.taken();
    if (one.z[0] < contact.least * (1 - kOnCone)) return;
    nearest = one;
    distance = std::abs(angle);
  };
  const auto meet = [](double a, double b) {
    return std::abs(a - b) <= kSameAngle * (1 + 4 * std::max(std::abs(a), std::abs(b)));
  };
  double low = -std::numbers::pi;
  double at_low = slip.across_direction(low);
  bool low_lifts = slip.lifts();
  for (int k = -kAngles / 2; k < kAngles / 2; ++k) {
    const double high = (k + 1) * part;
    const double at_high = slip.across_direction(high);
    const bool high_lifts = slip.lifts();
    if (low_lifts && at_low == 0) {
      take(low);
    } else if (low_lifts && high_lifts && at_high != 0 && (at_low < 0) != (at_high < 0)) {
      std::uintmax_t steps = kMostSteps;
      const auto [first, last] =
          boost::math::tools::toms748_solve([&](double angle) { return slip.across_direction(angle); }, low,
                                            high, at_low, at_high, meet, steps);
      take(0.5 * (first + last));
    }
    low = high;
    at_low = at_high;
    low_lifts = high_lifts;
  }
  return nearest;
}

// The friction where the contact's force is what it is at least.
std::optional<One> at_least(const Eigen::Matrix3d& B, const Eigen::Vector3d& q, const ConeRows& contact) {
  const Plane own = q.tail<2>() + contact.least * B.block<2, 1>(1, 0);
  const double bound = contact.coefficient * contact.least;
  Plane reference = contact.slip;
  const Eigen::FullPivLU<Eigen::Matrix2d> factors(B.block<2, 2>(1, 1));
  if (factors.isInvertible()) {
    const Plane held = factors.solve(-own);
    if (held.norm() <= bound * (1 + kOnCone))
      return One{.z = {contact.least, held[0], held[1]}, .sticks = true};
    if (reference.isZero(0)) reference = -held.normalized();
  }
  if (reference.isZero(0)) reference = own.isZero(0) ? Plane(1, 0) : Plane(own.normalized());
  return slipping(B, q, contact, reference, contact.least);
}

std::optional<One> solve_one(const Eigen::Matrix3d& B, const Eigen::Vector3d& q, const ConeRows& contact) {
  if (contact.least > 0) {
    const std::optional<One> least = at_least(B, q, contact);
    const double terms =
        std::abs(q[0]) + (least ? B.row(0).cwiseAbs().dot(least->z.cwiseAbs().transpose()) : 0.0);
    if (least && q[0] + B.row(0).dot(least->z) >= -kSettled * terms) return least;
  } else if (!(q[0] < 0)) {
    return One();
  }
  const Eigen::FullPivLU<Eigen::Matrix3d> factors(B);
  Plane reference = contact.slip;
  if (factors.isInvertible()) {
    const Eigen::Vector3d held = factors.solve(-q);
    const double friction = held.tail<2>().norm();
    const double bound = contact.coefficient * held[0];
    const bool is_within = held[0] >= contact.least * (1 - kOnCone) && held[0] >= 0 &&
                           friction <= contact.ratio * bound * (1 + kOnCone);
    const bool is_at_bound =
        contact.breaks_away && friction >= contact.ratio * bound * (1 - kAtBound) && friction > 0;
    if (is_within && !is_at_bound) return One{.z = held, .sticks = true};
    if (reference.isZero(0) && friction > 0) reference = -held.tail<2>() / friction;
    // It begins to slip with no acceleration, but for errors of the state.
    if (held[0] > 0 && is_at_bound && contact.ratio == 1) {
      One begins{.z = held, .direction = -held.tail<2>() / friction, .begins = true};
      begins.z.tail<2>() *= bound / friction;
      return begins;
    }
  }
  if (reference.isZero(0)) reference = q.tail<2>();
  reference = reference.isZero(0) ? Plane(1, 0) : Plane(reference.normalized());
  return slipping(B, q, contact, reference, std::nullopt);
}

}  // namespace

ConeAnswer solve_cones(const Matrix& B, const Vector& q, const std::vector<ConeRows>& contacts) {
  ConeAnswer answer;
  answer.z = Vector::Zero(q.size());
  answer.sticks.assign(contacts.size(), 0);
  answer.begins.assign(contacts.size(), 0);
  answer.directions.assign(contacts.size(), Plane::Zero());
  Vector w = q;
  Vector sizes = q.cwiseAbs();
  for (int turn = 0; turn < kMostTurns; ++turn) {
    double largest = 0;
    for (std::size_t k = 0; k < contacts.size(); ++k) {
      const ConeRows& contact = contacts[k];
      const Index count = contact.tangential < 0 ? 1 : 3;
      const auto row = [&](Index i) { return i == 0 ? contact.normal : contact.tangential + i - 1; };
      Eigen::Matrix3d own = Eigen::Matrix3d::Identity();
      Eigen::Vector3d left = Eigen::Vector3d::Zero();
      for (Index i = 0; i < count; ++i) {
        left[i] = w[row(i)];
        for (Index j = 0; j < count; ++j) own(i, j) = B(row(i), row(j));
        for (Index j = 0; j < count; ++j) left[i] -= own(i, j) * answer.z[row(j)];
      }
      One found;
      if (count == 1) {
        found.z[0] = std::max(contact.least, -left[0] / own(0, 0));
      } else {
        const std::optional<One> solved = solve_one(own, left, contact);
        if (!solved) return answer;
        found = *solved;
      }
      answer.sticks[k] = found.sticks ? 1 : 0;
      answer.directions[k] = found.direction;
      answer.begins[k] = found.begins ? 1 : 0;
      for (Index j = 0; j < count; ++j) {
        const double change = found.z[j] - answer.z[row(j)];
        if (change == 0) continue;
        answer.z[row(j)] = found.z[j];
        w += change * B.col(row(j));
        sizes = sizes.cwiseMax((found.z[j] * B.col(row(j))).cwiseAbs());
        const double size = sizes[row(j)];
        largest = std::max(largest, size > 0 ? std::abs(change * own(j, j)) / size : 0.0);
      }
    }
    answer.solved = contacts.size() == 1 || largest <= kAlmostSettled;
    if (contacts.size() == 1 || largest <= kSettled) return answer;
  }
  return answer;
}

}  // namespace slideway
