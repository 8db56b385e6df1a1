#include "sensitivity/transposed_jacobian.hpp"

#include "core/factorise.hpp"

namespace slideway {

namespace {

constexpr Index kFewExtended = 64;  // with fewer a full matrix is the faster one

}  // namespace

void TransposedJacobian::compute(SegmentField& field, double t, ConstVectorRef x) {
  const Index n = field.states_of_problem();
  parameters_ = x.size() - n;
  pattern_ = x.size() >= kFewExtended ? field.sparse_pattern() : nullptr;
  if (!pattern_) {
    field.jacobian(t, x, dense_);
    states_ = dense_.topLeftCorner(n, n).transpose();
    return;
  }
  field.split_jacobian(t, x, split_);
  states_ = Matrix::Zero(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index e = pattern_->start[static_cast<std::size_t>(i)];
         e < pattern_->start[static_cast<std::size_t>(i) + 1]; ++e) {
      const Index j = pattern_->column[static_cast<std::size_t>(e)];
      if (j < n) states_(j, i) += split_.values[e];
    }
  if (split_.left.cols() > 0) states_ += split_.right.topRows(n) * split_.left.topRows(n).transpose();
  if (!split_.has_border()) return;
  border_by_all_ = Matrix(split_.corner).partialPivLu().solve(Matrix(split_.border_rows));
  states_ -= border_by_all_.leftCols(n).transpose() * Matrix(split_.border_columns).topRows(n).transpose();
}

void TransposedJacobian::add_parameters(double factor, const Matrix& v, Matrix& sum) const {
  if (parameters_ == 0) return;
  const Index n = v.rows();
  if (!pattern_) {
    sum.noalias() += factor * (dense_.topRightCorner(n, parameters_).transpose() * v);
    return;
  }
  for (Index i = 0; i < n; ++i)
    for (Index e = pattern_->start[static_cast<std::size_t>(i)];
         e < pattern_->start[static_cast<std::size_t>(i) + 1]; ++e) {
      const Index j = pattern_->column[static_cast<std::size_t>(e)];
      if (j >= n) sum.row(j - n) += factor * split_.values[e] * v.row(i);
    }
  if (split_.left.cols() > 0)
    sum += factor * split_.right.bottomRows(parameters_) * (split_.left.topRows(n).transpose() * v);
  if (split_.has_border())
    sum -= factor * border_by_all_.rightCols(parameters_).transpose() *
           (Matrix(split_.border_columns).topRows(n).transpose() * v);
}

}  // namespace slideway
