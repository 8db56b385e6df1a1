#include "filippov/moments.hpp"

#include "core/factorise.hpp"

namespace slideway {

namespace {

// Vertices −−, +−, −+, ++.
constexpr double kSign[] = {1, -1, -1, 1};

Eigen::Matrix4d moments_matrix(const VertexTable& table) {
  Eigen::Matrix4d matrix;
  for (Index v = 0; v < 4; ++v) {
    matrix(0, v) = 1;
    matrix(1, v) = table.w(0, v);
    matrix(2, v) = table.w(1, v);
    matrix(3, v) = kSign[v] * table.w.col(v).norm();
  }
  return matrix;
}

}  // namespace

MomentsSolution solve_moments(const VertexTable& table) {
  MomentsSolution result;
  const Eigen::Matrix4d matrix = moments_matrix(table);
  if (!matrix.allFinite()) return result;
  const Eigen::FullPivLU<Eigen::Matrix4d> factors(matrix);
  if (!factors.isInvertible()) return result;
  result.determinant = factors.determinant();
  result.weights = factors.solve(Eigen::Vector4d::Unit(0));
  for (Index v = 0; v < 4; ++v) {
    result.lambda[0] += (v & 1 ? 1 : -1) * result.weights[v];
    result.lambda[1] += (v & 2 ? 1 : -1) * result.weights[v];
  }
  result.solved = true;
  return result;
}

Eigen::Vector4d moments_derivative(const VertexTable& table, const MomentsSolution& solution,
                                   const Eigen::Matrix<double, 2, 4>& table_dot) {
  Eigen::Vector4d right = Eigen::Vector4d::Zero();
  for (Index v = 0; v < 4; ++v) {
    const double length = table.w.col(v).norm();
    const double length_dot = length > 0 ? table.w.col(v).dot(table_dot.col(v)) / length : 0;
    right[1] -= table_dot(0, v) * solution.weights[v];
    right[2] -= table_dot(1, v) * solution.weights[v];
    right[3] -= kSign[v] * length_dot * solution.weights[v];
  }
  return moments_matrix(table).fullPivLu().solve(right);
}

}  // namespace slideway
