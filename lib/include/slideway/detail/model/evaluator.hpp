// Values and derivatives of one System at a point, from the best source there is for each:
// the user's analytic derivative, else dual numbers, else finite differences.
//
//     w  = ∂h/∂t + ∂h/∂x·f            normal components (guard rates)
//     ḧ  = d²h/dt² along x' = f(t,x,λ) with λ frozen
//
// A derivative along a direction (field_along, guard_directional, guard_rates, guard_curvatures) uses the
// definition's *_along functions before its matrices: exact too, and one pass instead of a matrix. So do
// normal_dx and, where the pattern says which entries there are, guard_gradient.
//
// Finite differences are central with the step ∛ε·s·√max(1, |x|/s), s the typical size of the component
// (1 unless set), and one-sided where one side is not finite. Where neither side is finite the derivative
// is not finite either.
//
// Where the system tells the pattern of ∂f/∂x, states that share no entry share a direction.
//
// An Evaluator is the counters of one run: not thread-safe. Its scratch memory belongs to the thread and is
// made by the constructor, so nothing is allocated after construction in the same thread.
// It must not know modes, sliding or time stepping.
#pragma once

#include <Eigen/SparseCore>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "slideway/detail/core/compressed_columns.hpp"
#include "slideway/model/system.hpp"

namespace slideway {

// DerivativeSource tells where a derivative comes from.
enum class DerivativeSource { analytic, dual, finite_difference };

// EvaluationCounts counts calls of the user's functions. One dual pass is one call, and so is each evaluation made
// for a finite difference. The calls inside field_dx, field_dlambda and normal_dx are not counted one by one: each
// of these is one Jacobian. Calls that find the coefficients of affine guards and fields, once, are not counted.
struct EvaluationCounts {
  std::int64_t field = 0;
  std::int64_t guards = 0;
  std::int64_t jacobians = 0;
};

class Evaluator {
 public:
  explicit Evaluator(System system);

  const System& system() const { return system_; }
  const EvaluationCounts& counts() const { return counts_; }
  EvaluationCounts& counts() { return counts_; }

  // set_typical_sizes() takes, for each state, the size up to which finite differences take an absolute step (n
  // entries), and the time in which the equations change. All are positive, and 1 until set; nothing else
  // depends on them.
  void set_typical_sizes(ConstVectorRef states, double time = 1);
  // The largest step of differences along a direction that moves no component, nor t, by more than its own step.
  double direction_step(double t, ConstVectorRef x, double t_dot, ConstVectorRef x_dot) const;

  // blend_corners() makes the field between the vertices of the λ-box the combination of its corners from now on
  // (blended_system).
  void blend_corners();
  bool blends_corners() const { return blends_corners_; }

  // breaks_away() tells whether any surface has break-away ratios. break_away() fills in ρ⁺ and ρ⁻ of all m surfaces, 1 where a surface
  // has none. It throws std::runtime_error, which names the surface, where a ratio is below 1.
  bool breaks_away() const { return held_ || system_.breaks_away(); }
  void break_away(double t, ConstVectorRef x, VectorRef above, VectorRef below);
  // hold() counts λ of these surfaces between their break-away ratios from now on. The field at ν stands for f
  // at λᵢ = (ρ⁺ᵢ − ρ⁻ᵢ)/2 + (ρ⁺ᵢ + ρ⁻ᵢ)/2·νᵢ, with derivatives along a direction by the chain rule
  // (held_system). release() ends it.
  void hold(const std::vector<Index>& surfaces);
  void release();

  // `dx`, n entries, is anything that a VectorRef binds to.
  template <class Target>
  void field(double t, ConstVectorRef x, ConstVectorRef lambda, Target&& dx) {
    was_kept_ = t == kept_t_ && field_as_kept(t, x, lambda, dx);
    if (was_kept_) return;
    ++counts_.field;
    system_.field(t, x, lambda, dx);
  }
  // The same at a point that nobody asks for twice.
  void field_in_passing(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef& dx) {
    ++counts_.field;
    system_.field(t, x, lambda, dx);
  }
  // keep_field_at() names a point where the field is asked for at several λ. One evaluation tells f at all of
  // them, to rounding, where ∂f/∂λ is constant (relay_columns). Only the last such point is kept.
  void keep_field_at(double t, ConstVectorRef x);
  // field(), where keep_field() is to follow: until it does there is nothing to tell the field from.
  void field_to_keep(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef dx);
  // keep_field() gives f(t, x, λ) = `dx` at that point; the field at other λ is told from it. Only the first
  // call for a point counts, since the next λ differ less from this one. It has no effect where the last call of
  // field() was for another point.
  void keep_field(ConstVectorRef lambda, ConstVectorRef dx);
  // minus = f at λᵢ = −1 and plus = f at λᵢ = 1, `lambda` being left as it is; one evaluation where relay_columns are known.
  void neighbour_fields(double t, ConstVectorRef x, Vector& lambda, Index surface, Vector& minus,
                        Vector& plus);
  void guards(double t, ConstVectorRef x, VectorRef h) {
    ++counts_.guards;
    system_.guards(t, x, h);
  }

  // The same to a few rounding errors; guards that are affine are not called for it.
  void guards_nearly(double t, ConstVectorRef x, VectorRef h);
  double guard_nearly(double t, ConstVectorRef x, Index surface);
  // guards_are_affine() tells whether the guards are known to be affine in (t, x): their gradients are then
  // constant.
  bool guards_are_affine() const { return affine_; }
  // Affine guards are h = affine_origin + affine_dx·x + affine_dt·t.
  const Eigen::SparseMatrix<double, Eigen::RowMajor>& affine_dx() const { return affine_dx_; }
  const Vector& affine_dt() const { return affine_dt_; }
  const Vector& affine_origin() const { return affine_origin_; }

  // J(i,j) = ∂fᵢ/∂xⱼ, n×n.
  void field_dx(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef jacobian);
  // The same where the system tells its pattern: the entries along its rows.
  void field_dx_entries(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef entries);
  // J(i,j) = ∂fᵢ/∂λⱼ, n×m.
  void field_dlambda(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef jacobian);
  // ∂f/∂λ, n×m, where the system tells that it is constant; null elsewhere. Had at the point of the first call.
  const Eigen::SparseMatrix<double>* relay_columns(double t, ConstVectorRef x, ConstVectorRef lambda) {
    if (!system_.definition().relays_additive) return nullptr;
    if (!relays_learnt_) learn_relay_columns(t, x, lambda);
    return relay_columns_ ? &*relay_columns_ : nullptr;
  }
  // Normal components where guards and field are affine: w = origin + dx·x + dt·t + dlambda·λ.
  struct AffineRates {
    Eigen::SparseMatrix<double, Eigen::RowMajor> dx, dlambda;
    Vector dt, origin;
  };
  // Null where they are not known to be; learnt by the first call.
  const AffineRates* affine_rates();
  // dx = f and dx_dot = its derivative along (t_dot, x_dot) with λ frozen.
  void field_along(double t, ConstVectorRef x, ConstVectorRef lambda, double t_dot, ConstVectorRef x_dot,
                   VectorRef dx, VectorRef dx_dot);

  // J(i,j) = ∂hᵢ/∂xⱼ, m×n.
  void guards_dx(double t, ConstVectorRef x, MatrixRef jacobian);
  // ∂hᵢ/∂xⱼ for one surface i, n entries.
  void guard_gradient(double t, ConstVectorRef x, Index surface, VectorRef gradient);
  // ∂hᵢ/∂t, m entries.
  void guards_dt(double t, ConstVectorRef x, VectorRef derivative);
  // ḣ = ∂h/∂t·t_dot + ∂h/∂x·x_dot, m entries.
  void guard_directional(double t, ConstVectorRef x, double t_dot, ConstVectorRef x_dot, VectorRef h_dot);
  // w = ∂h/∂t + ∂h/∂x·dx, m entries, with dx the velocity of the state.
  void guard_rates(double t, ConstVectorRef x, ConstVectorRef dx, VectorRef rates);
  // wᵢ for these surfaces; the other entries hold nothing.
  void guard_rates_of(const std::vector<Index>& surfaces, double t, ConstVectorRef x, ConstVectorRef dx,
                      VectorRef rates);
  // wᵢ for one surface.
  double guard_rate(double t, ConstVectorRef x, ConstVectorRef dx, Index surface) {
    return affine_ ? affine_row(surface, 1.0, dx) : guard_rate_of_all(t, x, dx, surface);
  }
  // ḧ along the field at λ frozen, m entries; dx must be f(t, x, λ).
  void guard_curvatures(double t, ConstVectorRef x, ConstVectorRef lambda, ConstVectorRef dx,
                        VectorRef curvatures);
  // The same where the derivative of f along (1, dx) is known, by field_along.
  void guard_curvatures(double t, ConstVectorRef x, ConstVectorRef lambda, ConstVectorRef dx,
                        ConstVectorRef acceleration, VectorRef curvatures);
  // J(i,j) = ∂wᵢ/∂xⱼ at λ frozen, m×n.
  void normal_dx(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef jacobian);

  // ∂w/∂x·x_dot at λ frozen, m entries.
  void normal_along(double t, ConstVectorRef x, ConstVectorRef lambda, ConstVectorRef x_dot,
                    VectorRef rates_dot);

  DerivativeSource field_dx_source() const;
  DerivativeSource field_dlambda_source() const;
  // `analytic` takes ∂f/∂t, and `guard_rates` ∂h/∂t where it is not given, from finite differences.
  DerivativeSource field_along_source() const;
  DerivativeSource guards_dx_source() const;
  DerivativeSource guards_dt_source() const;
  DerivativeSource guard_rates_source() const;
  DerivativeSource guard_curvatures_source() const;
  DerivativeSource normal_dx_source() const;

 private:
  double state_step(ConstVectorRef x, Index state) const;

  // These derivatives are finite differences.
  void guard_difference(double t, ConstVectorRef x, double t_dot, ConstVectorRef x_dot, double widening,
                        VectorRef h_dot);
  void rate_difference(double t, ConstVectorRef x, ConstVectorRef lambda, double t_dot, ConstVectorRef x_dot,
                       double step, VectorRef rates_dot);
  void second_difference(double t, ConstVectorRef x, ConstVectorRef lambda, ConstVectorRef dx,
                         VectorRef curvatures);
  void normal_dx_affine(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef jacobian);
  void normal_dx_mixed(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef jacobian);

  void learn_field_colours();
  bool field_dx_by_colours(double t, ConstVectorRef x, ConstVectorRef lambda, MatrixRef jacobian);
  template <class Visit>
  void for_field_colours(double t, ConstVectorRef x, ConstVectorRef lambda, Visit&& visit);

  void learn_affine_guards();
  bool field_as_kept(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef dx);
  void learn_relay_columns(double t, ConstVectorRef x, ConstVectorRef lambda);
  double guard_rate_of_all(double t, ConstVectorRef x, ConstVectorRef dx, Index surface);
  double affine_row(Index surface, double t_dot, ConstVectorRef x_dot) const {
    const int* const start = affine_dx_.outerIndexPtr() + surface;
    const int* const column = affine_dx_.innerIndexPtr();
    const double* const slope = affine_dx_.valuePtr();
    double sum = t_dot * affine_dt_[surface];
    for (int k = start[0]; k < start[1]; ++k) sum += slope[k] * x_dot[column[k]];
    return sum;
  }
  void affine_directional(double t_dot, ConstVectorRef x_dot, VectorRef h_dot) const;

  System system_;
  bool blends_corners_ = false;
  // While surfaces are held, system_ is held_system_, mask_ tells these surfaces, and free_system_ is the system
  // otherwise.
  bool held_ = false;
  std::shared_ptr<std::vector<char>> mask_;
  std::optional<System> held_system_, free_system_;
  EvaluationCounts counts_;
  std::shared_ptr<const CompressedColumns> field_columns_;  // none without a pattern
  // Affine guards are kept as ∂h/∂x by compressed rows, ∂h/∂t, and h at the origin.
  bool affine_ = false;
  Eigen::SparseMatrix<double, Eigen::RowMajor> affine_dx_;
  Vector affine_dt_, affine_origin_;
  std::optional<AffineRates> affine_rates_;
  bool affine_rates_looked_for_ = false;
  bool relays_learnt_ = false;
  std::optional<Eigen::SparseMatrix<double>> relay_columns_;
  // f at the point that is kept and one λ, once it has been asked for; no time is equal to NaN.
  double kept_t_ = std::numeric_limits<double>::quiet_NaN();
  bool kept_ = false;       // kept_field_ is that of kept_lambda_
  bool was_kept_ = false;   // what field() was asked for last
  bool is_chosen_ = false;  // kept_lambda_ is what keep_field() was given
  Vector kept_x_, kept_lambda_, kept_field_;
  Vector typical_sizes_;
  double typical_time_ = 1;
};

}  // namespace slideway
