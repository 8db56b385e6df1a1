// A Jacobian in two parts, J = S + U Vᵀ: S sparse, and U Vᵀ of low rank, which would fill the matrix.
//
// It must not know where either comes from.
#pragma once

#include "slideway/core/types.hpp"

namespace slideway {

struct SplitJacobian {
  Vector values = {};  // of S, one per entry of its pattern, along the rows
  Matrix left = {};    // U, n×r; r may be 0
  Matrix right = {};   // V, n×r
};

}  // namespace slideway
