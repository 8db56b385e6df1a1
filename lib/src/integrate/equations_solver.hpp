// Zeros of F(u) = 0, as many equations as unknowns, by KINSOL: Newton's method with the exact Jacobian and a line search.
//
// It must not know what the equations mean.
#pragma once

#include <functional>
#include <string>

#include "slideway/core/types.hpp"

namespace slideway {

// Unknowns and equations are scaled by the caller: differences of 1 are large in all of them.
struct Equations {
  // Writes F(u); false where F has no value, after which a shorter step is tried.
  std::function<bool(ConstVectorRef u, VectorRef f)> value = {};
  // jacobian() writes the square matrix ∂F/∂u and returns false where there is none. The u may differ from the
  // last u of F.
  std::function<bool(ConstVectorRef u, MatrixRef jacobian)> jacobian = {};
};

struct EquationsOptions {
  double tolerance = 1e-9;  // of the largest |F|, at which the method ends
  double accepted =
      1e-7;  // with a larger one there is no zero; between both the best u that was met is taken
  int max_iterations = 50;
  double longest_step = 1;  // of all u together, in the Euclidean norm
};

struct EquationsResult {
  bool converged = false;
  Vector u = {};        // the best one that was met
  double residual = 0;  // the largest |F| there
  long iterations = 0;
  std::string message = {};  // why it did not converge
};

EquationsResult solve_equations(const Equations& equations, Vector start,
                                const EquationsOptions& options = {});

}  // namespace slideway
