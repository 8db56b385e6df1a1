// The nodes at which a step is looked at, with the derivative at each of them, and integrals between them.
#pragma once

#include <cmath>
#include <numbers>

namespace slideway::auditing {

// The nodes at which a step is looked at: Chebyshev's, which give the derivative of a polynomial of degree 7 exactly, as high as that
// of any interpolant.
inline constexpr int kNodes = 8;

// The nodes in [−1, 1]. For each of them the weights of the values at all nodes in the derivative there, and in the integral from the
// node before, −1 before the first; the last integral leads from the last node to 1.
struct StepNodes {
  double places[kNodes];
  double slopes[kNodes][kNodes];
  double integrals[kNodes + 1][kNodes];

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
    for (int k = 0; k <= kNodes; ++k) {
      const double low = k == 0 ? -1 : places[k - 1];
      const double high = k == kNodes ? 1 : places[k];
      for (int j = 0; j < kNodes; ++j) integrals[k][j] = integral_of_basis(j, low, high, weights[j]);
    }
  }

 private:
  // Gauss's formula of four points, exact for the polynomial of degree 7 that is 1 at node j and 0 at all others.
  double integral_of_basis(int j, double low, double high, double weight) const {
    constexpr double points[4] = {-0.86113631159405257522, -0.33998104358485626480, 0.33998104358485626480,
                                  0.86113631159405257522};
    constexpr double shares[4] = {0.34785484513745385737, 0.65214515486254614263, 0.65214515486254614263,
                                  0.34785484513745385737};
    double sum = 0;
    for (int q = 0; q < 4; ++q) {
      const double at = 0.5 * (low + high) + 0.5 * (high - low) * points[q];
      double value = weight;
      for (int i = 0; i < kNodes; ++i)
        if (i != j) value *= at - places[i];
      sum += shares[q] * value;
    }
    return 0.5 * (high - low) * sum;
  }
};

}  // namespace slideway::auditing
