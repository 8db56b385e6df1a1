// The derivatives of a large system whose patterns are known, as the entries that can differ from zero:
// ∂f/∂x and ∂w/∂x from one directional derivative per colour of their columns, ∂f/∂λ from the ends of the relays.
//
//     ∂w/∂x = ∂h/∂x·∂f/∂x                   affine guards
//     ∂w/∂x·v = second derivative of h(t + p, x + p f + q v + pq ∂f/∂x·v) by p and q     otherwise
//
// It must not know modes, sliding or time stepping.
#pragma once

#include <memory>
#include <vector>

#include "slideway/detail/core/compressed_columns.hpp"
#include "slideway/detail/model/evaluator.hpp"

namespace slideway {

class SparseDerivatives {
 public:
  // available() tells whether the system tells all patterns that this needs.
  static bool available(const System& system);

  // `evaluator` must outlive this, and its system be `available`.
  explicit SparseDerivatives(Evaluator& evaluator);

  // n×n, n×m and m×n.
  const Pattern& field_pattern() const { return *evaluator_.system().definition().field_dx_pattern; }
  const Pattern& relay_pattern() const { return *evaluator_.system().definition().field_dlambda_pattern; }
  const Pattern& normal_pattern() const { return normal_pattern_; }

  // The entries of ∂f/∂x along the rows of its pattern.
  void field_dx(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef entries);
  // The entries of ∂f/∂λ: exact where f is affine in each relay between its ends.
  void field_dlambda(double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef entries);
  // The entries of ∂w/∂x in the rows of `surfaces`; the others are left as they are. `field_entries` are those of ∂f/∂x at
  // the same point.
  void normal_dx(double t, ConstVectorRef x, ConstVectorRef lambda, ConstVectorRef field_entries,
                 const std::vector<Index>& surfaces, VectorRef entries);

 private:
  void normal_rows_by_gradients(double t, ConstVectorRef x, ConstVectorRef lambda,
                                ConstVectorRef field_entries, const std::vector<Index>& surfaces,
                                VectorRef entries);
  void normal_row_affine(Index surface, ConstVectorRef field_entries, VectorRef entries);

  Evaluator& evaluator_;
  Pattern normal_pattern_;
  CompressedColumns relay_columns_;
  CompressedColumns normal_columns_;  // made when first needed: guards that are affine do without
  bool normal_columns_made_ = false;
  Vector direction_, column_, field_, other_field_, lambda_, rates_;
};

}  // namespace slideway
