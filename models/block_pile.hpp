// N blocks that are dropped on each other and pile up on the floor: as many contacts as blocks.
//
//     y_i'' = −g + (Λ_i − Λ_{i+1})/m,      gaps y_1 ≥ 0,  y_i − y_{i−1} − h ≥ 0,      Λ_{N+1} = 0
//
// y_i is the height of the lower face of block i, h the height of a block. The impacts of several contacts accumulate
// together; in the end block i rests at (i − 1) h. States are y1 … yN, then v1 … vN.
//
// It must not know integrators, files or the command line.
#pragma once

#include "slideway/model/model.hpp"

namespace slideway::models {

struct BlockPile {
  Index blocks = 3;
  double g = 9.81;

  void field(auto /*t*/, const auto& x, const auto& /*lambda*/, auto&& dx) const {
    for (Index i = 0; i < blocks; ++i) {
      dx[i] = x[blocks + i];
      dx[blocks + i] = -g;
    }
  }
};

Model block_pile();

}  // namespace slideway::models
