// Factors of I − τJ, with J of the field of a segment by the states of the problem: full, or sparse by Ĵ (bordered_jacobian.hpp).
// The steppers use ShiftedSystem (integrate/shifted_system.hpp), which factors J by all states. Here the last states of the extended problem
// are parameters, which ShiftedFactors leaves out.
//
// It must not know what is solved with them.
#pragma once

#include <optional>

#include "core/factorise.hpp"
#include "core/repeated_klu.hpp"
#include "sensitivity/bordered_jacobian.hpp"
#include "sensitivity/segment_field.hpp"

namespace slideway {

class ShiftedFactors {
 public:
  // Another field follows.
  void forget();
  bool exist() const { return exist_; }
  // Makes the factors at t and the extended state x; false if the matrix is singular.
  [[nodiscard]] bool factor(SegmentField& field, double t, ConstVectorRef x, double tau);
  // (I − τJ)⁻¹ y. There are factors.
  Vector solve(const Vector& y);

 private:
  bool factor_sparse(SegmentField& field, const Pattern& pattern, double t, ConstVectorRef x, double tau);

  bool exist_ = false;
  Matrix jacobian_;
  Eigen::PartialPivLU<Matrix> dense_;
  // These serve where J is sparse; empty elsewhere.
  std::optional<BorderedJacobian> bordered_;
  BorderedJacobian::Value value_ = {};
  RepeatedKlu<double>::Matrix shifted_;
  std::optional<RepeatedKlu<double>> sparse_;
  Vector x_;  // that bordered_ evaluates at
};

}  // namespace slideway
