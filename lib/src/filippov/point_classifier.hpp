// Classifies a point of a system on one of its surfaces, the relays of all others frozen: the numbers for `classify`
// from the fields at λᵢ = ∓1, with the sizes that decide what counts as zero.
//     w counts as 0 when |w| ≤ 16ε·terms or w² ≤ 2|ḧ|δᵣ.
// It must not know integrators or how the point was found.
#pragma once

#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "filippov/surface_geometry.hpp"
#include "slideway/filippov/classify.hpp"

namespace slideway {

// kGlobalError tells how many times the tolerances the accumulated error of a state may be. A method of order five
// at most takes more steps the tighter they are, by rtol^(−1/6), and its errors add up.
constexpr double kGlobalError = 30;
double gathered_errors(double rtol);

// The knowledge of a meeting with a surface before the fields are evaluated.
struct Met {
  Index surface = 0;
  bool minus_vanishes =
      false;  // w⁻ is zero here: its root was located, or the solution has hardly left the surface
  bool plus_vanishes = false;
  bool dips = false;  // the solution is known to pass through the surface, however little
  double away = 0;    // the time since the surface was met before, where that is known
};

struct ClassifiedPoint {
  PointClass point = {};
  double w_minus = 0;
  double w_plus = 0;
  bool minus_tangent = false;  // w⁻ counts as zero
  bool plus_tangent = false;
  bool same_fields = false;  // both components vanish and the fields on both sides are one and the same
  // How the components change along the fields where both vanish.
  TwoFoldRates rates = {};
  bool touch = false;      // a dip through the surface that errors may have made of a touch
  double w_into = 0;       // … the component that leads into it …
  double turns_after = 0;  // … for about this long …
  double depth = 0;        // … and this deep, by a parabola
  bool same_way =
      false;  // … where both fields go through and come back: the surface need not have been met at all
};

class PointClassifier {
 public:
  // The references must outlive the classifier.
  PointClassifier(Evaluator& evaluator, const RelayStructure& structure, double rtol);

  // The time in which the equations change where the state, at rest, does not tell; 1 at first.
  void set_typical_time(double time) { typical_time_ = time; }

  // x is on the surface. `lambda` holds the other relays. `before` is the side the solution comes from, nothing at a
  // start. weights(j) is the reciprocal error scale of state j. Throws NotFinite where the field has no value on a side of the surface
  // and the other side does not tell how the solution goes on.
  ClassifiedPoint classify_at(double t, ConstVectorRef x, ConstVectorRef lambda, const Met& met,
                              const Side* before, ConstVectorRef weights);

  // The fields of both sides at a point of one surface, whose guard is affine and whose relay acts alike everywhere.
  struct BothSides {
    const Vector& minus;
    const Vector& plus;
    double w_minus = 0;
    double w_plus = 0;
    double tolerance = 0;  // of the guard there
  };
  // The answer of classify_at() where it needs no closer look: the components are far from zero, no dip can be as short, and a component
  // that vanishes falls steeply. Nothing elsewhere.
  std::optional<PointClass> classify_clearly(double t, ConstVectorRef x, ConstVectorRef lambda,
                                             const BothSides& at, const Met& met, Side before,
                                             ConstVectorRef weights);

  // has_field_beyond() tells whether the field of one side has a value a tolerance beyond the surface.
  bool has_field_beyond(double t, ConstVectorRef x, ConstVectorRef lambda, Index surface, Side side,
                        ConstVectorRef weights);

  // rests() tells whether the surfaces, all met at x, are held by one motion that is the same on all their
  // sides. The speeds across them, and the differences of the fields, vanish on the surfaces like roots of the
  // distances, and do not grow beside them. The fields may differ by the relays of surfaces k in the set of bits `decided`: something else
  // says on which side of them the state is.
  bool rests(double t, ConstVectorRef x, ConstVectorRef lambda, const std::vector<Index>& surfaces,
             ConstVectorRef weights, Index decided);

 private:
  // motion() leaves the derivatives out where w is clearly not zero beside w_scale, unless in_full asks for
  // them.
  NormalMotion motion(double t, ConstVectorRef x, double side, ConstVectorRef dx, double w, double w_scale,
                      bool vanishes, ConstVectorRef weights, bool in_full = false);
  // dips_and_returns() tells whether both fields lead from `before` through the surface and back, no farther
  // than the tolerances show. The dip must be much shorter than the motion before it: in a spiral one turn takes
  // about as long as the next.
  bool dips_and_returns(double t, ConstVectorRef x, Side before, const ClassifiedPoint& at, double tolerance,
                        double away, ConstVectorRef weights);
  // only_touches() tells whether the guard itself, where the motion from `before` turns back, is not beyond zero. Where its gradient
  // vanishes on the surface, as that of 1 + cos(x), neither the gradient nor the tolerances tell how exact it is.
  bool only_touches(double t, ConstVectorRef x, Side before, const ClassifiedPoint& at, double away,
                    ConstVectorRef weights);
  // turns_unseen() tells whether both fields bring the guard back to `before`, and its values show nothing of the turns: its gradient
  // vanishes here, and the other side is not there at all, however the fields beside the point are directed.
  bool turns_unseen(double t, ConstVectorRef x, Side before, const ClassifiedPoint& at,
                    ConstVectorRef weights);
  // has_no_gradient() tells whether the gradient is nearly zero beside the gradient a short way along a field. Such a point is no part of
  // a surface along which a motion could slide.
  bool has_no_gradient(double t, ConstVectorRef x, ConstVectorRef weights);
  double third_derivative(double t, ConstVectorRef x, ConstVectorRef dx, ConstVectorRef ddx,
                          double time_scale);
  // f at λ = side, beside x where it is not finite on the surface.
  void field_on_side(double t, ConstVectorRef x, double side, Vector& dx, ConstVectorRef weights);
  bool go_inside(double t, ConstVectorRef x, double depth, ConstVectorRef weights);
  bool is_inside(double t, ConstVectorRef x, const std::vector<Index>& surfaces);
  struct Unrest {
    double leaving = 0, parting = 0;
  };
  Unrest unrest(double t, ConstVectorRef x, const std::vector<Index>& surfaces, ConstVectorRef dx,
                ConstVectorRef other, ConstVectorRef weights);
  bool is_singular(double t, ConstVectorRef x, double curvature, ConstVectorRef weights);
  // The curvature, where it is not finite or that of one point.
  void follow_singular(double t, ConstVectorRef x, double side, double w, double w_terms, double scale,
                       ConstVectorRef weights, NormalMotion& motion);
  // only_reaches_limit() tells whether the component at λ = `side`, which is zero here, would go beyond zero by
  // no more than its rounding.
  bool only_reaches_limit(double t, ConstVectorRef x, double side, ConstVectorRef dx, double w_scale,
                          const NormalMotion& own, ConstVectorRef weights);
  // d²h/dt² of the surface where rates are affine, and how large the terms are that it is the sum of.
  std::pair<double, double> affine_curvature(const Evaluator::AffineRates& rates, ConstVectorRef dx) const;
  TwoFoldRates two_fold_rates(double t, ConstVectorRef x, ConstVectorRef weights);
  double component(double t, ConstVectorRef x, double side);
  struct Components {
    double own, other;
  };
  Components components(double t, ConstVectorRef x, double side);
  double curvature(double t, ConstVectorRef x, double side);
  // The same along `dx`, the field there, which is known.
  double curvature_along(double t, ConstVectorRef x, double side, ConstVectorRef dx);
  template <class Function>
  double tolerance_of(const Function& function, ConstVectorRef x, double value, double interesting,
                      ConstVectorRef weights);
  bool other_vanishes_too(double t, ConstVectorRef x, double side, double own, double other,
                          ConstVectorRef weights);
  double time_scale(ConstVectorRef dx, ConstVectorRef weights) const;
  void learn_gradient(double t, ConstVectorRef x);
  template <class Function>
  double sum_along_gradient(const Function& function) const;

  Evaluator& evaluator_;
  SurfaceGeometry geometry_;
  double rtol_;
  double typical_time_ = 1;
  Index surface_ = 0;
  double surface_rounding_ = 0;
  double dip_ = 0;  // as deep as the errors of the state, gathered, make one
  Eigen::Matrix<signed char, Eigen::Dynamic, Eigen::Dynamic> signs_;  // ±1, of random choices
  Vector lambda_, field_minus_, field_plus_, acceleration_, curvatures_, shifted_, shifted_field_, rates_,
      inside_, acceleration_beside_, inverse_sizes_;
  // ∂h/∂xⱼ that is not zero, without its sign.
  struct Slope {
    Index state;
    double size;
  };
  std::vector<Slope> gradient_;
};

}  // namespace slideway
