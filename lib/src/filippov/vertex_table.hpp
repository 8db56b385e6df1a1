// The normal components w(λ) of the surfaces met at a point, as a multi-affine function of their relays λ ∈ [−1, 1]ᵃ: given by
// its values at the 2ᵃ vertices.
//
// Pure functions of numbers. They must not know systems, integrators or time.
#pragma once

#include "slideway/core/types.hpp"

namespace slideway {

// Column v holds w at vertex v: λᵢ = +1 where bit i of v is set, else −1. Rows are the surfaces.
struct VertexTable {
  Matrix w;
  Index surfaces() const { return w.rows(); }
};

// ∏ᵢ (1 ± λᵢ)/2 by vertex.
Vector vertex_weights(ConstVectorRef lambda);
// w(λ), by multilinear interpolation of the vertices.
Vector interpolate(const VertexTable& table, ConstVectorRef lambda);
// D(i,j) = ∂wᵢ/∂λⱼ at λ.
Matrix lambda_jacobian(const VertexTable& table, ConstVectorRef lambda);

}  // namespace slideway
