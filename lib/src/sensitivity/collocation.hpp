// The equations of one step of S' = J(t) S by Radau IIA of order 5: linear, one system for its three stages. S has N rows, of which
// those behind the states are constant.
//
// It must not know how long steps are.
#pragma once

#include <Eigen/LU>
#include <Eigen/SparseCore>
#include <Eigen/SparseLU>
#include <functional>
#include <vector>

#include "slideway/core/split_jacobian.hpp"
#include "slideway/core/types.hpp"

namespace slideway {

struct Radau {
  static const double nodes[3];
  static const double weights[3][3];
};

class Collocation {
 public:
  virtual ~Collocation() = default;
  // J S at t.
  virtual Matrix slope(double t, const Matrix& s) = 0;
  // The slopes at the three stages of a step from a, of length h, and S, its upper rows, at the end.
  virtual void solve(double a, double h, const Matrix& s, Matrix (&slopes)[3], Matrix& end) = 0;
  // (I − h/4 J)⁻¹ of a defect, with J of the first stage of the last step.
  virtual Matrix damped(double h, const Matrix& defect) = 0;
};

class DenseCollocation final : public Collocation {
 public:
  // J at t, N×N.
  using Jacobian = std::function<void(double t, Matrix& jacobian)>;
  DenseCollocation(Index states, Jacobian jacobian) : states_(states), jacobian_(std::move(jacobian)) {}

  Matrix slope(double t, const Matrix& s) override;
  void solve(double a, double h, const Matrix& s, Matrix (&slopes)[3], Matrix& end) override;
  Matrix damped(double h, const Matrix& defect) override;

 private:
  Index states_;
  Jacobian jacobian_;
  Matrix at_[3], system_, right_, stages_;
  Eigen::PartialPivLU<Matrix> factors_, filter_;
};

// The same where J is sparse but for parts of low rank, which have unknowns of their own.
class SparseCollocation final : public Collocation {
 public:
  using Jacobian = std::function<void(double t, SplitJacobian& jacobian)>;
  // The pattern, N×N, must outlive this.
  SparseCollocation(Index states, const Pattern& pattern, Jacobian jacobian)
      : states_(states), pattern_(pattern), jacobian_(std::move(jacobian)) {}

  Matrix slope(double t, const Matrix& s) override;
  void solve(double a, double h, const Matrix& s, Matrix (&slopes)[3], Matrix& end) override;
  Matrix damped(double h, const Matrix& defect) override;

 private:
  using Entries = std::vector<Eigen::Triplet<double>>;
  using Factors = Eigen::SparseLU<Eigen::SparseMatrix<double>, Eigen::COLAMDOrdering<int>>;
  // J S, given what the further unknowns are.
  Matrix times(const SplitJacobian& jacobian, const Matrix& s, const Matrix& further) const;
  static Index further_unknowns(const SplitJacobian& jacobian) {
    return jacobian.left.cols() + jacobian.corner.rows();
  }
  void factorise(Factors& factors, Index& known, Index size);

  Index states_;
  const Pattern& pattern_;
  Jacobian jacobian_;
  SplitJacobian at_[3];
  Entries entries_;
  Eigen::SparseMatrix<double> system_;
  Factors factors_, filter_;
  Index known_entries_ = -1, known_filter_ = -1;
};

}  // namespace slideway
