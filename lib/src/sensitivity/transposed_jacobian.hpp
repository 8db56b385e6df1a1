// Jᵀ of an extended problem in its two parts: that of the states as a matrix, and that of the parameters as a product. With many parameters
// J is sparse, where the system tells its pattern.
//
// It must not know what it is used for.
#pragma once

#include "core/split_jacobian.hpp"
#include "sensitivity/segment_field.hpp"
#include "slideway/core/types.hpp"

namespace slideway {

class TransposedJacobian {
 public:
  // compute() is at t, where the extended state is x.
  void compute(SegmentField& field, double t, ConstVectorRef x);
  // ∂f/∂x, transposed, of the n states.
  const Matrix& states() const { return states_; }
  // sum += factor · (∂f/∂p)ᵀ v, with v of n rows.
  void add_parameters(double factor, const Matrix& v, Matrix& sum) const;

 private:
  const Pattern* pattern_ = nullptr;
  SplitJacobian split_;
  Matrix border_by_all_;  // K⁻¹ C, where there is a border
  Matrix dense_, states_;
  Index parameters_ = 0;
};

}  // namespace slideway
