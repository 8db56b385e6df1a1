// The nodes at which a step is looked at, and the derivative at each of them.
#pragma once

#include <cmath>
#include <numbers>

namespace slideway::auditing {

// The nodes at which a step is looked at: Chebyshev's, which give the derivative of a polynomial of degree 7 exactly, as high as that
// of any interpolant.
inline constexpr int kNodes = 8;

// The nodes in [−1, 1], and for each of them the weights of the values at all nodes in the derivative there.
struct StepNodes {
  double places[kNodes];
  double slopes[kNodes][kNodes];

  StepNodes() {
    double weights[kNodes];
    for (int k = 0; k < kNodes; ++k)
      places[k] = std::cos((2 * (kNodes - k) - 1) * std::numbers::pi / (2 * kNodes));
    for (int j = 0; j < kNodes; ++j) {
      weights[j] = 1;
      for (int i = 0; i < kNodes; ++i)
        if (i != j) weights[j] /= places[j] - places[i];
    }
    for (int k = 0; k < kNodes; ++k) {
      slopes[k][k] = 0;
      for (int j = 0; j < kNodes; ++j) {
        if (j == k) continue;
        slopes[k][j] = weights[j] / weights[k] / (places[k] - places[j]);
        slopes[k][k] -= slopes[k][j];
      }
    }
  }
};

}  // namespace slideway::auditing
