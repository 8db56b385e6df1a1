// The motion beside a surface where a field has no derivative on it, as one with the root of its own guard has none.

#include <cmath>
#include <limits>

#include "slideway/filippov/point_classifier.hpp"

namespace slideway {

namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
// How far inside a field is asked for where it is not finite, in units of the size of the guard's terms.
constexpr double kDepths[] = {kEpsilon, 4 * kEpsilon, 16 * kEpsilon, 64 * kEpsilon};
// Surfaces further off, in units of the state, are not what makes it so.
constexpr double kNear = 1e-10;
constexpr double kSingularStep = 1e-4;  // of the time in which the state changes
constexpr int kSubsteps = 16;
// What the followed motion is good to.
constexpr double kFollowed = 1e-4;

}  // namespace

void PointClassifier::field_on_side(double t, ConstVectorRef x, double side, Vector& dx) {
  lambda_[surface_] = side;
  evaluator_.field(t, x, lambda_, dx);
  if (dx.allFinite()) return;
  Vector h(lambda_.size());
  for (const double depth : kDepths) {
    inside_ = x;
    evaluator_.guards(t, inside_, h);
    const double near = kNear * (1 + inside_.lpNorm<Eigen::Infinity>());
    for (Index i = 0; i < h.size(); ++i) {
      if (std::abs(lambda_[i]) != 1 || !(std::abs(h[i]) <= near)) continue;
      const double size = geometry_.size(t, inside_, i) + geometry_.tolerance(t, inside_, i, weights_);
      const double missing = depth * size - lambda_[i] * h[i];
      if (missing > 0) geometry_.change_guard(t, i, lambda_[i] * missing, inside_);
    }
    evaluator_.field(t, inside_, lambda_, dx);
    if (dx.allFinite()) return;
  }
}

// 2(h − wτ)/τ² of the motion that starts at x on the side of λ: the second derivative, had h one.
void PointClassifier::follow_singular(double t, ConstVectorRef x, double side, double w, double w_terms,
                                      double scale, NormalMotion& motion) {
  const double duration = kSingularStep * scale;
  const double step = duration / kSubsteps;
  Vector state = x, first(x.size()), second(x.size()), h(lambda_.size());
  double time = t;
  for (int k = 0; k < kSubsteps; ++k) {
    field_on_side(time, state, side, first);
    const Vector ahead = state + step * first;
    field_on_side(time + step, ahead, side, second);
    state += 0.5 * step * (first + second);
    time += step;
  }
  evaluator_.guards(time, state, h);
  motion.curvature = 2 * (h[surface_] - w * duration) / (duration * duration);
  motion.curvature_zero = kFollowed * w_terms / scale;
}

}  // namespace slideway
