// The motion beside surfaces where a field has no derivative on them, as one with the root of its own guard has none.

#include <algorithm>
#include <cmath>

#include "core/constants.hpp"
#include "filippov/ask_inside.hpp"
#include "filippov/point_classifier.hpp"

namespace slideway {

namespace {

constexpr double kSingularStep = 1e-4;  // of the time in which the state changes
constexpr int kSubsteps = 16;
// The relative accuracy of the motion that is followed.
constexpr double kFollowed = 1e-4;
// A state that rests on the surfaces moves more slowly near them than farther inside, in proportion to the root of
// the distance, and does not get faster.
constexpr double kNearDepth = kEpsilon;
constexpr double kFarDepth = 4096 * kEpsilon;
constexpr double kVanishes = 0.5;
constexpr double kFaster = 8;

}  // namespace

void PointClassifier::field_on_side(double t, ConstVectorRef x, double side, Vector& dx,
                                    ConstVectorRef weights) {
  lambda_[surface_] = side;
  evaluator_.field(t, x, lambda_, dx);
  if (dx.allFinite()) return;
  // The second turn leaves the point on its own surface: no state need be on that side and inside all others.
  for (const double own : {side, 0.0}) {
    const auto move = [&](double depth, Vector&) {
      lambda_[surface_] = own;
      go_inside(t, x, depth, weights);
      lambda_[surface_] = side;
    };
    const auto is_usable = [&] {
      evaluator_.field(t, inside_, lambda_, dx);
      return dx.allFinite();
    };
    if (ask_inside(x, inside_, move, is_usable)) return;
  }
}

// is_singular() tells whether d²h/dt² at λ, which is `curvature` at x, is much smaller beside the surface. It
// grows without bound towards a surface whose root the field contains, and rounding leaves x anywhere near it.
bool PointClassifier::is_singular(double t, ConstVectorRef x, double curvature, ConstVectorRef weights) {
  if (!go_inside(t, x, kFarDepth, weights)) return false;
  Vector& dx = shifted_;
  evaluator_.field(t, inside_, lambda_, dx);
  evaluator_.field_along(t, inside_, lambda_, 1, dx, shifted_field_, acceleration_beside_);
  evaluator_.guard_curvatures(t, inside_, lambda_, dx, acceleration_beside_, curvatures_);
  return std::abs(curvatures_[surface_]) <= kVanishes * std::abs(curvature);
}

// 2(h − wτ)/τ² of the motion that starts at x on the side of λ: the second derivative, had h one.
void PointClassifier::follow_singular(double t, ConstVectorRef x, double side, double w, double w_terms,
                                      double scale, ConstVectorRef weights, NormalMotion& motion) {
  const double duration = kSingularStep * scale;
  const double step = duration / kSubsteps;
  Vector state = x, first(x.size()), second(x.size()), h(lambda_.size());
  double time = t;
  for (int k = 0; k < kSubsteps; ++k) {
    field_on_side(time, state, side, first, weights);
    const Vector ahead = state + step * first;
    field_on_side(time + step, ahead, side, second, weights);
    state += 0.5 * step * (first + second);
    time += step;
  }
  evaluator_.guards(time, state, h);
  motion.curvature = 2 * (h[surface_] - w * duration) / (duration * duration);
  motion.curvature_zero = kFollowed * w_terms / scale;
}

// go_inside() returns false where the region of lambda_ does not reach x.
bool PointClassifier::go_inside(double t, ConstVectorRef x, double depth, ConstVectorRef weights) {
  inside_ = x;
  // Surfaces that x is further inside of are not what makes a field infinite.
  const double near = SurfaceGeometry::plainly_off_zero(x);
  inverse_sizes_ = (x.cwiseAbs() + weights.cwiseInverse()).cwiseInverse();
  return geometry_.move_inside(t, lambda_, depth, inverse_sizes_, near, inside_);
}

bool PointClassifier::is_inside(double t, ConstVectorRef x, const std::vector<Index>& surfaces) {
  Vector h(lambda_.size());
  evaluator_.guards(t, x, h);
  return std::all_of(surfaces.begin(), surfaces.end(), [&](Index i) { return lambda_[i] * h[i] > 0; });
}

// unrest() measures how fast the motion along dx leaves the surfaces and how much it differs from `other`, in
// units of what counts as zero.
PointClassifier::Unrest PointClassifier::unrest(double t, ConstVectorRef x,
                                                const std::vector<Index>& surfaces, ConstVectorRef dx,
                                                ConstVectorRef other, ConstVectorRef weights) {
  Unrest result;
  for (const Index i : surfaces) {
    const double terms = geometry_.gradient(t, x, i).cwiseAbs().dot(dx.cwiseAbs());
    const double rate = std::abs(evaluator_.guard_rate(t, x, dx, i));
    if (!(rate <= 64 * kEpsilon * terms))
      result.leaving = std::max(result.leaving, rate / geometry_.tolerance(t, x, i, weights));
  }
  const Vector sizes = dx.cwiseAbs().cwiseMax(other.cwiseAbs());
  const Vector gap = (dx - other).cwiseAbs();
  if (!((gap.array() <= 64 * kEpsilon * sizes.array()).all()))
    result.parting = gap.cwiseProduct(weights).maxCoeff();
  return result;
}

bool PointClassifier::has_field_beyond(double t, ConstVectorRef x, ConstVectorRef lambda, Index surface,
                                       Side side, ConstVectorRef weights) {
  lambda_ = lambda;
  lambda_[surface] = side == Side::plus ? 1 : -1;
  inside_ = x;
  geometry_.change_guard(t, surface, -lambda_[surface] * geometry_.tolerance(t, x, surface, weights), weights,
                         inside_);
  Vector beyond(x.size());
  evaluator_.field(t, inside_, lambda_, beyond);
  return beyond.allFinite();
}

bool PointClassifier::rests(double t, ConstVectorRef x, ConstVectorRef lambda,
                            const std::vector<Index>& surfaces, ConstVectorRef weights, Index decided) {
  surface_ = surfaces.front();
  // Errors of the state leave no time to the guard of time alone: what moves that is infinite.
  const auto vanishes = [](double at_near, double at_deep) {
    return at_near == 0 || (std::isfinite(at_near) && at_near <= kVanishes * at_deep);
  };
  Vector first(x.size());
  const Index vertices = Index{1} << surfaces.size();
  // One field for each choice of the sides of decided surfaces.
  std::vector<Vector> commons(static_cast<std::size_t>(vertices));
  Index sides_seen = 0;  // the plus sides below, the minus sides above
  for (Index v = 0; v < vertices; ++v) {
    lambda_ = lambda;
    for (std::size_t k = 0; k < surfaces.size(); ++k) lambda_[surfaces[k]] = (v >> k) & 1 ? 1 : -1;
    // Some regions need not come to x, but both sides of every surface do.
    if (!go_inside(t, x, kNearDepth, weights)) continue;
    Vector state = inside_;
    evaluator_.field(t, state, lambda_, first);
    if (!first.allFinite()) return false;
    Vector& common = commons[static_cast<std::size_t>(v & decided)];
    if (common.size() == 0) common = first;
    const Unrest near = unrest(t, state, surfaces, first, common, weights);
    if (!go_inside(t, x, kFarDepth, weights)) continue;
    sides_seen |= v;
    sides_seen |= (~v & (vertices - 1)) * vertices;
    state = inside_;
    evaluator_.field(t, state, lambda_, first);
    const Unrest deep = unrest(t, state, surfaces, first, common, weights);
    if (!first.allFinite() || !vanishes(near.leaving, deep.leaving) || !vanishes(near.parting, deep.parting))
      return false;
    const double step = kSingularStep * time_scale(first, weights) / kSubsteps;
    double time = t;
    // A motion that goes back through one of the surfaces goes on in another region.
    for (int k = 0; k < kSubsteps && is_inside(time, state, surfaces); ++k) {
      field_on_side(time, state, lambda_[surface_], first, weights);
      if (!(unrest(time, state, surfaces, first, first, weights).leaving <= kFaster * deep.leaving))
        return false;
      state += step * first;
      time += step;
    }
  }
  return sides_seen == vertices * vertices - 1;
}

}  // namespace slideway
