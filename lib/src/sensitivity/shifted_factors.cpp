#include "sensitivity/shifted_factors.hpp"

namespace slideway {

void ShiftedFactors::forget() {
  exist_ = false;
  bordered_.reset();
  sparse_.reset();
}

bool ShiftedFactors::factor(SegmentField& field, double t, ConstVectorRef x, double tau) {
  if (const Pattern* const pattern = field.pattern_of_many_states()) {
    exist_ = factor_sparse(field, *pattern, t, x, tau);
    return exist_;
  }
  const Index n = field.states_of_problem();
  field.jacobian(t, x, jacobian_);
  dense_.compute(Matrix::Identity(n, n) - tau * jacobian_.topLeftCorner(n, n));
  exist_ = true;
  return true;
}

bool ShiftedFactors::factor_sparse(SegmentField& field, const Pattern& pattern, double t, ConstVectorRef x,
                                   double tau) {
  const Index n = field.states_of_problem();
  x_ = x;
  if (!bordered_)
    bordered_.emplace(n, pattern, [this, &field](double time, SplitJacobian& jacobian) {
      field.split_jacobian(time, x_, jacobian);
    });
  const int before = value_.version;
  bordered_->evaluate(t, Matrix(x.size(), 0), value_);
  // The further unknowns of Ĵ have no rates.
  shifted_ = -tau * value_.jacobian;
  for (Index i = 0; i < n; ++i) shifted_.coeffRef(i, i) += 1;
  if (!sparse_ || value_.version != before) sparse_.emplace().analyzePattern(shifted_);
  return sparse_->refactorize(shifted_, false);
}

Vector ShiftedFactors::solve(const Vector& y) {
  if (!sparse_) return dense_.solve(y);
  Vector all = Vector::Zero(shifted_.rows());
  all.head(y.size()) = y;
  sparse_->solve_in_place(all.data(), 1);
  return all.head(y.size());
}

}  // namespace slideway
