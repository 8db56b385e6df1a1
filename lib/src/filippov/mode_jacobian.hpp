// The Jacobian of a mode's field (mode_field.hpp) for large systems that tell their patterns, as S + U Vᵀ − B K⁻¹ C.
//
//     no surface slides:  S = ∂f/∂x
//     surface i slides:   S = (1 − α) J⁻ + α J⁺,  and (f⁺ − f⁻) ∇αᵀ
//     several slide:      S = ∂f/∂x,              and −∂f/∂λ_S D⁻¹ ∂w_S/∂x
//
// Relays that see few others, act on few states and watch few are local: their part of the second term is kept in S, whose
// pattern has room for it. The parts of all others are of low rank, one for each that slides and whose w depends on the state,
// and are kept as U Vᵀ; of more than a few they are kept as they stand, B = ∂f/∂λ_S, K = D, C = ∂w_S/∂x.
//
// With contacts f holds the forces of those that are closed (contact_dynamics_along.cpp); while none is, it is the field alone. Local
// ones (contact_patterns.hpp) have room in S. Where others are closed their forces Λ are solved for together with λ:
//
//     c = (w_S, r) = 0,  z = (λ_S, Λ):      S = ∂f/∂x at z,              and −∂f/∂z (∂c/∂z)⁻¹ ∂c/∂x
//
// It must not know integrators or when to leave a mode.
#pragma once

#include <Eigen/SparseCore>
#include <optional>
#include <vector>

#include "core/split_jacobian.hpp"
#include "filippov/contact_dynamics.hpp"
#include "filippov/mode_field.hpp"
#include "model/sparse_derivatives.hpp"

namespace slideway {

class ModeJacobian {
 public:
  // available() tells whether the system tells what this needs.
  static bool available(const System& system) { return SparseDerivatives::available(system); }

  // The references must outlive this, and so must `contacts`, whose forces are part of the evaluator's system.
  ModeJacobian(ModeField& field, Evaluator& evaluator, const RelayStructure& structure,
               ContactsInForce contacts);

  // pattern() is that of S in any mode, the diagonal included.
  const Pattern& pattern() const { return pattern_; }
  void compute(double t, ConstVectorRef x, SplitJacobian& jacobian);

 private:
  bool slides_along_one() const { return field_.sliding().size() == 1 && !field_.solves_for_lambda(); }
  void make_pattern();
  void add_field(double weight, Vector& entries) const;
  void compute_one(double t, ConstVectorRef x, SplitJacobian& jacobian);
  void compute_several(double t, ConstVectorRef x, SplitJacobian& jacobian);
  void compute_with_far_contacts(double t, ConstVectorRef x, SplitJacobian& jacobian);
  void compute_moments(double t, ConstVectorRef x, SplitJacobian& jacobian);
  // entries −= F D⁻¹ W of the sliding surfaces sliding()[k], k in `group`, which are local.
  void subtract_local(const std::vector<Index>& group, Vector& entries);
  // B and C of the sliding surfaces sliding()[k], k in `group`.
  Eigen::SparseMatrix<double> columns_of_relays(const std::vector<Index>& group) const;
  Eigen::SparseMatrix<double> rows_of_surfaces(const std::vector<Index>& group) const;
  Index slot(Index row, Index column) const;

  ModeField& field_;
  Evaluator& evaluator_;
  const RelayStructure& structure_;
  SparseDerivatives derivatives_;
  Pattern pattern_;
  Pattern relay_rows_;             // the states that each relay acts on
  std::vector<Index> field_slot_;  // where each entry of ∂f/∂x is in S
  std::vector<char> local_;        // per surface
  std::vector<char> is_member_;
  std::vector<Index> position_;  // of a surface in sliding()

  Vector field_entries_, normal_minus_, normal_plus_, relays_, lambda_;
  Eigen::SparseMatrix<double, Eigen::RowMajor> relay_matrix_;  // D
  std::vector<Index> one_;

  ContactsInForce contacts_;
  std::optional<SparseDerivatives> without_contacts_;
  std::vector<Index> slot_without_contacts_;
};

}  // namespace slideway
