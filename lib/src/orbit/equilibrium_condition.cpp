#include "orbit/equilibrium_condition.hpp"

#include <cmath>
#include <optional>
#include <stdexcept>

#include <Eigen/SVD>

#include "core/factorise.hpp"
#include "orbit/eigenvalue_pairs.hpp"

namespace slideway {

namespace {

// A border that turned by more than this from the one before is still on its side.
void align(Vector& border, const Vector& before) {
  if (before.size() == border.size() && before.dot(border) < 0) border = -border;
}

}  // namespace

EquilibriumCondition::EquilibriumCondition(EquilibriumFamily& family, EquilibriumBifurcation kind,
                                           Index limit)
    : family_(family), kind_(kind), limit_(limit) {}

void EquilibriumCondition::prepare(const Vector& u) {
  if (kind_ == EquilibriumBifurcation::hopf) {
    const std::optional<Equilibrium> found = family_.describe(u);
    if (found) size_ = largest_of(found->eigenvalues);
  } else if (kind_ == EquilibriumBifurcation::fold) {
    Vector value;
    Matrix wide;
    family_.evaluate(u, value, wide);
    // At a fold a whole row of F_z may vanish, while that of all derivatives does not.
    row_units_ = wide.rowwise().lpNorm<Eigen::Infinity>();
    for (double& unit : row_units_)
      if (!(unit > 0)) unit = 1;
    const Matrix square = row_units_.cwiseInverse().asDiagonal() * wide.leftCols(value.size());
    const Eigen::JacobiSVD<Matrix> svd(square, Eigen::ComputeFullU | Eigen::ComputeFullV);
    Vector left = svd.matrixU().rightCols(1), right = svd.matrixV().rightCols(1);
    align(left, left_);
    align(right, right_);
    left_ = left;
    right_ = right;
  }
}

double EquilibriumCondition::singular_value(const Vector& u) {
  Vector value;
  Matrix wide;
  family_.evaluate(u, value, wide);
  const Index k = value.size();
  Matrix bordered = Matrix::Zero(k + 1, k + 1);
  bordered.topLeftCorner(k, k) = row_units_.cwiseInverse().asDiagonal() * wide.leftCols(k);
  bordered.col(k).head(k) = left_;
  bordered.row(k).head(k) = right_.transpose();
  Vector solved = bordered.fullPivLu().solve(Vector(Vector::Unit(k + 1, k)));
  null_ = solved.head(k);
  return solved[k];
}

double EquilibriumCondition::value_at(const Vector& u) {
  if (kind_ == EquilibriumBifurcation::fold) return singular_value(u);
  const std::optional<Equilibrium> found = family_.describe(u);
  if (!found) throw std::runtime_error("a surface that is slid along has no effect");
  return product_of_sums(found->eigenvalues, size_);
}

void EquilibriumCondition::evaluate(const Vector& u, double& value, Vector& by_u) {
  if (kind_ == EquilibriumBifurcation::boundary_equilibrium) {
    Vector margins;
    Matrix by_margins;
    family_.evaluate_limits(u, margins, by_margins);
    value = margins[limit_];
    by_u = by_margins.row(limit_).transpose();
    return;
  }
  by_u.resize(u.size());
  for (Index j = 0; j < u.size(); ++j) {
    const EquilibriumFamily::Sides sides = family_.beside(u, j);
    by_u[j] = (value_at(sides.above) - value_at(sides.below)) / (sides.above[j] - sides.below[j]);
  }
  value = value_at(u);
}

}  // namespace slideway
