// The way that a guard g goes from a point where it is zero: the sign of its first derivative along the motion that is not zero.
//
// A point is known within the rounding of its numbers and the accuracy of its time. A derivative of any order counts as zero
// where it changes by its own size between points that cannot be told apart:
//     δ(g⁽ᵏ⁾) = Σⱼ|∂g⁽ᵏ⁾/∂xⱼ| δxⱼ + |∂g⁽ᵏ⁾/∂t| δt
// All orders are judged at once, by following the motion from the point and from its neighbours for a time τ that grows:
//     Δ(τ) = g(τ) − g(0),   noise(τ) = Σ|Δ of a neighbour − Δ| = Σₖ δ(g⁽ᵏ⁾) τᵏ/k!
// The first τ with |Δ| > 2·noise + rounding of g decides: terms of lower order are no more than the noise there.
//
// It must not know events, modes or integrators.
#pragma once

#include <functional>
#include <vector>

#include "slideway/core/types.hpp"

namespace slideway {

// A point and how the motion and the guard are had there. Both functions may throw where they have no value.
struct GuardMotion {
  std::function<void(double t, ConstVectorRef x, VectorRef dx)> velocity = {};
  std::function<double(double t, ConstVectorRef x)> guard = {};
  double t = 0;
  Vector x = {};
};

// A point that cannot be told from another: (t + dt, x + dx).
struct Displacement {
  double dt = 0;
  Vector dx = {};
};

// The times τ to look at, doubled from the first to the last.
struct TimesToLookAt {
  double first = 0;
  double last = 0;
};

// +1 or −1; 0 where the guard stays within `rounding` (in its units) and noise, or has no value soon.
int first_motion(const GuardMotion& motion, const std::vector<Displacement>& displacements, double rounding,
                 const TimesToLookAt& times);

}  // namespace slideway
