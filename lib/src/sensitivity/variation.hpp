// S' = J(t) S along a recorded solution, by Radau IIA of order 5: linear, so each step is one system of three stages, and damped as a
// stiff problem needs it. Steps are those of the recorded solution, divided where the error of S asks for that.
//
// It must not know events.
#pragma once

#include <Eigen/LU>
#include <functional>

#include "slideway/core/types.hpp"

namespace slideway {

class Variation {
 public:
  // J at t, N×N, whose last rows, behind `states`, are zero.
  using Jacobian = std::function<void(double t, Matrix& jacobian)>;
  // S on [start, start + h] in powers of (t − start)/h.
  using Piece = std::function<void(double start, double h, const Matrix& coefficients)>;

  Variation(Index states, double rtol) : states_(states), rtol_(rtol) {}

  // A segment begins, where the last Jacobian counts no more.
  void restart() { has_first_ = false; }
  // Takes S, N×q, from a to b. `floors` are sizes of entries below which they do not count.
  void advance(double a, double b, const Jacobian& jacobian, const Matrix& floors, Matrix& s,
               const Piece& piece);

 private:
  // One step; returns the error as a part of what is allowed.
  double step(double a, double h, const Jacobian& jacobian, const Matrix& floors, const Matrix& s);
  double error(double h, const Matrix& floors, const Matrix& s);

  Index states_;
  double rtol_;
  bool has_first_ = false;
  double parts_ = 1;  // into which a step of the solution is divided
  Matrix first_;      // J where the step begins
  Matrix at_[3];
  Matrix slopes_[3], slope_, defect_, next_;
  Matrix system_, right_, stages_, coefficients_;
  Eigen::PartialPivLU<Matrix> factors_, filter_;
};

}  // namespace slideway
