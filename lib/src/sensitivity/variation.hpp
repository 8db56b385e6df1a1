// S' = J(t) S along a recorded solution, with steps of its own: S changes more slowly than what a multistep method takes steps for, and
// sometimes faster.
//
// It must not know events, nor where J comes from.
#pragma once

#include <functional>
#include <vector>

#include "sensitivity/collocation.hpp"

namespace slideway {

class Variation {
 public:
  // S on [start, start + h] in powers of (t − start)/h: the matrices of the powers side by side.
  using Piece = std::function<void(double start, double h, const Matrix& coefficients)>;

  // FurtherError is the error of what else a step of length h is to be exact for, as a part of what is allowed; it grows as that of S does.
  using FurtherError = std::function<double(double h)>;

  Variation(Index states, double rtol) : states_(states), rtol_(rtol) {}

  // A stretch begins whose J is another one. The first step is to be about this long.
  void restart(double step);
  // Takes S, N×q, from a to b, in steps of at most `longest`. `floors` are sizes of entries below which they do not count.
  void advance(double a, double b, double longest, Collocation& collocation, const Matrix& floors, Matrix& s,
               const Piece& piece, const FurtherError& further = nullptr);

 private:
  // The error as a part of what is allowed.
  double error(double h, Collocation& collocation, const Matrix& floors, const Matrix& s);

  Index states_;
  double rtol_;
  bool has_slope_ = false;
  double step_ = 0;
  std::vector<Matrix> slopes_;
  Matrix slope_, defect_, end_, coefficients_;
  Matrix start_;  // the slope at the start of the step of its polynomial
};

}  // namespace slideway
