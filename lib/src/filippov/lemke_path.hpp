// The box complementarity problem by Lemke's path, from lower bounds 0: for r = q + Mz,
//     0 ≤ z ≤ upper,     r ≥ 0 where z = 0,     r ≤ 0 where z = upper,     r = 0 between.
// A tableau of n×(2n+1) dense numbers. (Cottle, Pang & Stone 1992, 4.4.)
//
// It must not know what the numbers mean.
#pragma once

#include <vector>

#include "slideway/core/types.hpp"

namespace slideway {

// BoxPart tells where an entry of z is.
enum class BoxPart : signed char { lower, free, upper };

enum class LemkeEnd { solved, ray, limit };

struct LemkeAnswer {
  LemkeEnd end = LemkeEnd::limit;
  std::vector<BoxPart> parts = {};
  Vector z = {};  // at the end of the path
};

LemkeAnswer follow_lemke_path(const Matrix& M, const Vector& q, const Vector& upper);

}  // namespace slideway
