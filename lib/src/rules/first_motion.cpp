#include "rules/first_motion.hpp"

#include <cmath>
#include <exception>
#include <limits>
#include <utility>

#include "simulate/precision.hpp"

namespace slideway {

namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

// Follows a motion from one point by Runge and Kutta's method of order four.
class Followed {
 public:
  Followed(const GuardMotion& motion, double t, Vector x)
      : motion_(motion), start_(t), origin_(std::move(x)), x_(origin_) {
    for (Vector* slope : {&k1_, &k2_, &k3_, &k4_}) *slope = Vector::Zero(origin_.size());
    begin_ = guard(start_, origin_);
  }

  // g(τ) − g(0), where the motion was last followed to τ/2; at first in one step.
  double change_at(double tau) {
    x_ = step(start_ + passed_, x_, tau - passed_);
    passed_ = tau;
    return guard(start_ + tau, x_) - begin_;
  }
  // The same by one step from the origin: the difference is more than the error of two.
  double change_by_one_step(double tau) { return guard(start_ + tau, step(start_, origin_, tau)) - begin_; }

 private:
  // Both are not-a-number where a function of the user throws.
  double guard(double t, const Vector& x) const {
    try {
      return motion_.guard(t, x);
    } catch (const std::exception&) {
      return kNoValue;
    }
  }
  Vector step(double t, const Vector& x, double h) {
    try {
      motion_.velocity(t, x, k1_);
      motion_.velocity(t + 0.5 * h, x + 0.5 * h * k1_, k2_);
      motion_.velocity(t + 0.5 * h, x + 0.5 * h * k2_, k3_);
      motion_.velocity(t + h, x + h * k3_, k4_);
    } catch (const std::exception&) {
      k4_.setConstant(kNoValue);
    }
    return x + h / 6 * (k1_ + 2 * k2_ + 2 * k3_ + k4_);
  }

  const GuardMotion& motion_;
  double start_;
  double passed_ = 0;
  double begin_ = 0;  // g(0)
  Vector origin_, x_, k1_, k2_, k3_, k4_;
};

}  // namespace

int first_motion(const GuardMotion& motion, const std::vector<Displacement>& displacements, double rounding,
                 const TimesToLookAt& times) {
  Followed point(motion, motion.t, motion.x);
  std::vector<Followed> neighbours;
  for (const Displacement& one : displacements)
    neighbours.emplace_back(motion, motion.t + one.dt, motion.x + one.dx);
  for (double tau = times.first; tau <= times.last; tau *= 2) {
    const double change = point.change_at(tau);
    double noise = std::abs(change - point.change_by_one_step(tau));
    if (!std::isfinite(change) || !std::isfinite(noise)) return 0;
    for (Followed& neighbour : neighbours) {
      // A neighbour beyond the end of a domain, as of a root, tells nothing.
      const double difference = std::abs(neighbour.change_at(tau) - change);
      if (std::isfinite(difference)) noise += difference;
    }
    if (std::abs(change) > kBeyondNoise * noise + rounding) return change > 0 ? 1 : -1;
  }
  return 0;
}

}  // namespace slideway
