// The smooth field of one mode, as a smooth extension across the surfaces of the mode:
//     no surface slides:   x' = f(t, x, λ),  λᵢ = ±1
//     surface i slides:    x' = (1 − α) f⁻ + α f⁺,  α = w⁻/(w⁻ − w⁺)          (Filippov)
//     several slide:       x' = f(t, x, λ),  w_S(t, x, λ) = 0 over the sliding entries S
// with f∓ the field at λᵢ = ∓1 and w∓ = ∂hᵢ/∂t + ∇hᵢ·f∓, at the current x and unclipped, so that the field is smooth
// beyond the ends of the sliding region too. Its Jacobian is
//     J = (1 − α) J⁻ + α J⁺ + (f⁺ − f⁻) ∇αᵀ,   ∇α = (w⁻∇w⁺ − w⁺∇w⁻)/(w⁻ − w⁺)²
//     J = ∂f/∂x − ∂f/∂λ_S D⁻¹ ∂w_S/∂x,         D = ∂w_S/∂λ_S                   (several)
// The rule `moments` takes weights of the four fields round two surfaces instead (moments.hpp), and `equivalent_control`
// solves w_S(t, x, λ) = 0 for one surface too, f being as it is between the vertices.
// A field that is not finite beyond a surface, or a hair's breadth beyond, as the root of its guard, is continued from the
// nearest point where it is; so is a Jacobian, a little further inside.
// Where an integrator cannot project, a stabilising term C·(step of a projection) draws the state back onto the surfaces.
//
// It must not know integrators or when to leave a mode.
#pragma once

#include <exception>

#include "core/direct_velocity.hpp"
#include "core/same_numbers.hpp"
#include "filippov/moments.hpp"
#include "filippov/sliding_solver.hpp"
#include "filippov/surface_geometry.hpp"
#include "slideway/core/finite.hpp"
#include "slideway/detail/model/evaluator.hpp"
#include "slideway/filippov/mode.hpp"
#include "slideway/filippov/sliding_rule.hpp"

namespace slideway {

// The two neighbouring fields of one surface at a point.
struct NeighbourFields {
  Vector minus;  // f at λᵢ = −1
  Vector plus;   // f at λᵢ = +1
  double w_minus = 0;
  double w_plus = 0;
};

class ModeField {
 public:
  // The references must outlive the field.
  ModeField(Evaluator& evaluator, const RelayStructure& structure);
  ModeField(const ModeField&) = delete;
  ModeField& operator=(const ModeField&) = delete;

  const Mode& mode() const { return mode_; }
  // set_rule() must be called before the field begins in a mode.
  void set_rule(SlidingRule rule);
  // begin() forgets what was known in another mode. `lambda` holds a first guess for the sliding entries; the others are taken from the mode. Throws std::runtime_error for
  // more than two sliding surfaces under the rule `moments`.
  void begin(const Mode& mode, ConstVectorRef lambda);
  // The surfaces that slide.
  const std::vector<Index>& sliding() const { return sliding_; }
  // λ at (t, x): of the sliding entries by the sliding condition, not clipped. Throws std::runtime_error where there is
  // none. Valid until the next call of a member.
  const Vector& lambda(double t, ConstVectorRef x);

  // The exits of sliding along several surfaces are δ ± δλᵢ: ratio[k] is δ and product[k] is δλᵢ, with i the k-th of sliding().
  // δ ± δλᵢ is zero where λᵢ = ∓1, and has no pole (exit_numerators.hpp). A `sample` along a step leaves what lambda() and
  // velocity() remember as it is. Valid until the next call of a member.
  struct Exits {
    const Vector& ratio;
    const Vector& product;
  };
  Exits exits(double t, ConstVectorRef x, bool is_sample);
  // Returns true once a call of exits() in this mode has found that δ changes.
  bool exit_ratio_varies() const { return solves_for_lambda() && (uses_moments() || solver_.effects_vary()); }

  // Throws std::runtime_error naming the state when the velocity is not finite, neither here nor at the nearest
  // point of the surfaces that x lies beyond.
  [[gnu::always_inline]] void velocity(double t, ConstVectorRef x, VectorRef&& dx) {
    try {
      raw_velocity(t, x, dx);
      if (all_finite(dx)) return;
    } catch (...) {
      velocity_beyond(t, x, dx, std::current_exception());
      return;
    }
    velocity_beyond(t, x, dx, nullptr);
  }
  // The same where nobody need look whether it is finite: nothing else is tried where it is not, nor where it throws.
  [[gnu::always_inline]] void quick_velocity(double t, ConstVectorRef x, VectorRef& dx) {
    if (sliding_.empty()) {
      evaluator_.field_in_passing(t, x, frozen_lambda_, dx);
    } else {
      sliding_velocity(t, x, dx, false);
    }
  }
  // Sets `direct` to what quick_velocity() calls; false where that is more than one call.
  bool tell_directly(DirectVelocity& direct);
  // J(i,j) = ∂(velocity)ᵢ/∂xⱼ, without the stabilising term.
  void jacobian(double t, ConstVectorRef x, MatrixRef jacobian);
  // product = J·direction without the matrix; by a difference of velocities where λ is solved for.
  void jacobian_times(double t, ConstVectorRef x, ConstVectorRef direction, VectorRef product);
  // f∓ and w∓ of surface i, the other surfaces at their last λ. Valid until the next call of a member.
  const NeighbourFields& neighbours(double t, ConstVectorRef x, Index surface);
  // The same, looked at in every component, for a Jacobian.
  const NeighbourFields& finite_neighbours(double t, ConstVectorRef x, Index surface);

  // λ, where it is solved for, and w∓, where one surface slides, at the point of the last velocity().
  const Vector& last_lambda() const { return lambda_; }
  double last_w_minus() const { return neighbours_.fields.w_minus; }
  double last_w_plus() const { return neighbours_.fields.w_plus; }

  // solves_for_lambda() tells how λ is found: from w_S = 0, or by the moments; otherwise one surface slides, or
  // none.
  bool solves_for_lambda() const {
    return sliding_.size() > 1 || (rule_ == SlidingRule::equivalent_control && sliding_.size() == 1);
  }
  bool uses_moments() const { return rule_ == SlidingRule::moments && sliding_.size() == 2; }
  // Several slide, and their effects on the surfaces are not independent (dependent_relays.hpp).
  bool relays_are_dependent() const {
    return solves_for_lambda() && !uses_moments() && solver_.is_dependent();
  }
  // These are the four fields, their normal components and weights at the last point of lambda(), under the rule
  // `moments`.
  const Matrix& corner_fields() const { return corners_.fields; }
  const VertexTable& corner_table() const { return corners_.table; }
  const MomentsSolution& moments() const { return corners_.moments; }
  // ending() lists surfaces whose relays do not go on from where λ was known last, since their root meets
  // another one. That root is among known_relays().
  std::vector<Index> ending() {
    if (!solves_for_lambda() || uses_moments()) return {};
    return solver_.ending();
  }
  const Vector& known_relays() const { return solver_.known_relays(); }
  // D at (t, x), in the order of sliding().
  const std::vector<Eigen::Triplet<double>>& relay_couplings(double t, ConstVectorRef x);

  // The sizes of the states below which they do not count; ones at first.
  void set_typical_sizes(ConstVectorRef sizes) { typical_sizes_ = sizes; }
  // differentiate_near() calls derivative(x), which returns whether its result is finite. If it is not, as for a
  // root on its surface, it calls it again at the nearest point that can be told from x, on the sides given by λ
  // = ±1.
  template <class Derivative>
  void differentiate_near(double t, ConstVectorRef x, ConstVectorRef lambda, const Derivative& derivative) {
    if (!derivative(x) && move_to_derivative(t, x, lambda)) derivative(buffers_.inside);
  }

  // weights(j) is the reciprocal error scale of state j; rate 0 switches it off.
  void stabilise(double rate, ConstVectorRef weights);

 private:
  void raw_velocity(double t, ConstVectorRef x, VectorRef& dx) {
    if (sliding_.empty()) {
      evaluator_.field(t, x, frozen_lambda_, dx);
    } else {
      sliding_velocity(t, x, dx, true);
    }
  }
  // The result for a λ that has been solved for need not be finite unless the call `looks`.
  void sliding_velocity(double t, ConstVectorRef x, VectorRef& dx, bool looks);
  // slide_on_constant_relay() uses f⁻ alone, along one surface with an affine guard whose relay has the same
  // effect everywhere.
  bool slide_on_constant_relay(double t, ConstVectorRef x, VectorRef& dx);
  // velocity_beyond() is called where the velocity threw, or is not finite.
  void velocity_beyond(double t, ConstVectorRef x, VectorRef dx, std::exception_ptr failure);
  // Throws NotFinite, naming the first state whose derivative in `dx` is not finite.
  [[noreturn]] void throw_not_finite(double t, ConstVectorRef x, ConstVectorRef dx) const;
  void solve_several(double t, ConstVectorRef x);
  void solve_newton(double t, ConstVectorRef x, VectorRef dx, bool looks = true);
  bool is_solved_at(double t, ConstVectorRef x) const {
    return solved_.is_known && t == solved_.t && are_same(x, solved_.x);
  }
  void add_stabilisation(double t, ConstVectorRef x, VectorRef dx);
  bool move_to_nearest_surface(double t, VectorRef x);
  // The reciprocal sizes of states.
  Vector weights_at(ConstVectorRef x) const { return x.cwiseAbs().cwiseMax(typical_sizes_).cwiseInverse(); }
  // move_to_derivative() sets buffers_.inside and returns whether that is another point than x.
  bool move_to_derivative(double t, ConstVectorRef x, ConstVectorRef lambda);
  // Moves x to where λᵢhᵢ is at least `depth` times the size of hᵢ's terms for every λᵢ = ±1; whether it had to.
  bool move_inside(double t, ConstVectorRef lambda, double depth, VectorRef x);
  // f and w at λ = side of a sliding surface, beside x where that is not finite.
  void neighbour_inside(double t, ConstVectorRef x, Index surface, double side, Vector& field, double& w);

  void solve_by_moments(double t, ConstVectorRef x);
  void jacobian_by_moments(double t, ConstVectorRef x, MatrixRef jacobian);
  void set_corner(Index vertex);
  // look_round_corners() sets corners_.lambda, corners_.fields and corners_.table to the corners round x, each
  // as seen from its own side. It returns false where a corner is not finite there either, or there are too
  // many.
  bool look_round_corners(double t, ConstVectorRef x);
  // solve_in_corners() finds λ and the velocity along several surfaces from those corners.
  bool solve_in_corners(double t, ConstVectorRef x, VectorRef dx);
  bool jacobian_in_corners(double t, ConstVectorRef x, MatrixRef jacobian);
  void raw_jacobian_several(double t, ConstVectorRef x, MatrixRef jacobian);

  // A term that draws the state back onto the surfaces at this rate.
  struct Stabilisation {
    double rate = 0;
    Vector weights = {};
  };
  // ConstantRelay describes one surface with an affine guard whose relay has the same effect everywhere. `relay`
  // is null where that is not so, or not known yet.
  struct ConstantRelay {
    bool looked_for = false;
    const Eigen::SparseMatrix<double>* relay = nullptr;  // ∂f/∂λ
    double gap = 0;                                      // w⁻ − w⁺
    bool way_back_known = false;
    Vector way_back = {};  // per unit of h
  };
  // The neighbours at the last point asked for: guards, velocity and Jacobian share them.
  struct KnownNeighbours {
    NeighbourFields fields = {};
    double t = 0;
    Vector x = {};
    Index surface = -1;
    bool look_closely = false;  // at all of a field, and not at its normal component alone
  };
  // The velocity of sliding along several surfaces at the last point asked for.
  struct Solved {
    bool is_known = false;
    double t = 0;
    Vector x = {}, velocity = {};
  };
  // The exits along a step.
  struct Sampled {
    bool any = false;  // in this mode
    Vector lambda = {}, ratio = {}, product = {};
    double first_determinant = 0;  // of the moments, in this mode; 0 before the first
  };
  // The fields round the intersection, and λ at one of them: by the moments, and where the field at λ itself is not finite.
  struct Corners {
    VertexTable table = {};
    Matrix fields = {};
    MomentsSolution moments = {};
    Vector lambda = {};
  };
  // Buffers serve one function at a time.
  struct Buffers {
    Vector shifted, image_minus, image_plus, rates, guard_values, gradient, state, difference, slope, inside;
    Matrix jacobian_minus, jacobian_plus, normal_minus, normal_plus, relay_columns;
  };

  Evaluator& evaluator_;
  SurfaceGeometry geometry_;
  SlidingSolver solver_;
  SlidingRule rule_ = SlidingRule::filippov;
  Mode mode_;
  std::vector<Index> sliding_;
  Vector lambda_;
  // frozen_lambda_ refers to λ. It is made once, since making a reference takes as long as evaluating a small
  // field.
  const Eigen::Ref<const Vector> frozen_lambda_;
  // λ with −1 for the only surface that slides, likewise.
  Vector lower_lambda_;
  const Eigen::Ref<const Vector> frozen_lower_lambda_;
  Vector typical_sizes_;
  Stabilisation stabilisation_;
  ConstantRelay constant_;
  KnownNeighbours neighbours_;
  Solved solved_;
  Sampled sampled_;
  Corners corners_;
  Buffers buffers_;
};

}  // namespace slideway
