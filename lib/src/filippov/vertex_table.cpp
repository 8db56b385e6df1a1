#include "filippov/vertex_table.hpp"

namespace slideway {

Vector vertex_weights(ConstVectorRef lambda) {
  Vector weights = Vector::Ones(Index{1} << lambda.size());
  for (Index v = 0; v < weights.size(); ++v) {
    for (Index i = 0; i < lambda.size(); ++i) weights[v] *= 0.5 * (1 + ((v >> i) & 1 ? 1 : -1) * lambda[i]);
  }
  return weights;
}

Vector interpolate(const VertexTable& table, ConstVectorRef lambda) {
  // One surface at a time halves the table.
  Matrix values = table.w;
  for (Index i = table.surfaces() - 1; i >= 0; --i) {
    const Index half = Index{1} << i;
    const double up = 0.5 * (1 + lambda[i]);
    // A weight of zero must not let a value that is not finite through.
    if (up == 0) {
      values = values.leftCols(half).eval();
    } else if (up == 1) {
      values = values.rightCols(half).eval();
    } else {
      values = ((1 - up) * values.leftCols(half) + up * values.rightCols(half)).eval();
    }
  }
  return values.col(0);
}

Matrix lambda_jacobian(const VertexTable& table, ConstVectorRef lambda) {
  const Index a = table.surfaces();
  Matrix jacobian(a, a);
  Vector point = lambda;
  for (Index j = 0; j < a; ++j) {
    point[j] = 1;
    const Vector high = interpolate(table, point);
    point[j] = -1;
    jacobian.col(j) = 0.5 * (high - interpolate(table, point));
    point[j] = lambda[j];
  }
  return jacobian;
}

}  // namespace slideway
