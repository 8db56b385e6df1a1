// Sliding along the intersection of two surfaces by the method of moments (Dieci & Difonzo 2015): the weights μ of the
// four fields from
//     Σ μ_v = 1,    Σ μ_v w_v = 0 (two rows),    d₋₋μ₋₋ − d₊₋μ₊₋ − d₋₊μ₋₊ + d₊₊μ₊₊ = 0,    d_v = |w_v|,
// with w_v ∈ ℝ² the normal components of the field at vertex v. Where the intersection attracts from all four sides all
// weights are positive, and the sliding field joins smoothly those of the branches that it can leave to.
//
// Pure functions of numbers. They must not know systems, integrators or time.
#pragma once

#include <Eigen/Core>

#include "filippov/corner.hpp"

namespace slideway {

struct MomentsSolution {
  bool solved = false;  // the system is not singular; the weights may be negative
  Eigen::Vector4d weights = Eigen::Vector4d::Zero();  // by vertex, as in VertexTable
  double determinant = 0;  // of the system: the weights have a pole where it is zero
  Eigen::Vector2d lambda = Eigen::Vector2d::Zero();  // Σ μ_v s(v): at ±1 where the weights of one side vanish
};

// `table` is of two surfaces.
MomentsSolution solve_moments(const VertexTable& table);
// The change of the weights when w changes by `table_dot`; `solution` belongs to `table` and is solved.
Eigen::Vector4d moments_derivative(const VertexTable& table, const MomentsSolution& solution,
                                   const Eigen::Matrix<double, 2, 4>& table_dot);

}  // namespace slideway
