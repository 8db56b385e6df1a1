// The begin and the result of one step of a one-step formula.
//
// It must not know the formula.
#pragma once

#include "slideway/core/types.hpp"

namespace slideway {

// All vectors have n entries.
struct RungeKuttaStep {
  double t = 0;
  double h = 0;
  double latest = 0;           // no stage is evaluated later, whatever rounding makes of t + h
  Vector x, velocity;          // at t
  Vector x_new, velocity_new;  // at t + h
  Vector error;  // of x_new, by an embedded formula of lower order, where whoever adds up keeps it
};

}  // namespace slideway
