// Sinai's billiard: a point moves straight on in a square and is reflected by its walls and by a disc in the middle.
//
//     x'' = y'' = 0,      gaps a ∓ x ≥ 0,  a ∓ y ≥ 0,  √(x² + y²) − r ≥ 0
//
// Every force acts along the gradient of its gap, so with e = 1 a reflection keeps the speed. Paths part exponentially
// fast at the disc: each reflection there magnifies an error by about twice the free path over r.
//
// It must not know integrators, files or the command line.
#pragma once

#include "slideway/model/model.hpp"

namespace slideway::models {

struct FreePoint {
  void field(auto /*t*/, const auto& x, const auto& /*lambda*/, auto&& dx) const {
    dx[0] = x[2];
    dx[1] = x[3];
    dx[2] = 0.0;
    dx[3] = 0.0;
  }
};

Model billiard();

}  // namespace slideway::models
