// S' = J(t) S along a recorded solution, with steps of its own: S changes more slowly than what a multistep method takes steps for, and
// sometimes faster.
//
// It must not know events, nor where J comes from.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "sensitivity/collocation.hpp"

namespace slideway {

class Variation {
 public:
  // S on [start, start + h] in powers of 2(t − start)/h − 1: the matrices of the powers side by side.
  using Piece = std::function<void(double start, double h, const Matrix& coefficients)>;

  // FurtherError tells the error of further quantities for a step of length h, as a part of what is allowed. It must grow
  // as that of S does.
  using FurtherError = std::function<double(double h)>;

  // Longest tells the longest step from t. It may change the floors.
  using Longest = std::function<double(double t)>;

  Variation(Index states, double rtol) : states_(states), rtol_(rtol) {}

  // A stretch begins whose J is another one. The first step is to be about this long, if `rate` is not known: that of a stretch alike.
  void restart(double step, std::optional<double> rate = {});
  // first_rate() is ρ if the k-th derivatives of S are of the size ρᵏ S, as the error of the first step since then told it.
  std::optional<double> first_rate() const { return first_rate_; }
  // Takes S, N×q, from a to b, in steps of at most `longest`(t). `floors` are sizes of entries below which they do not count.
  // advance() takes the formula that needs the fewest stages, where there are several. `piece` may be empty.
  void advance(double a, double b, const Longest& longest, Collocation& collocation, const Matrix& floors,
               Matrix& s, const Piece& piece, const FurtherError& further = nullptr);

 private:
  // use_cheapest() chooses the formula and the length of steps for the time that is left.
  void use_cheapest(double left, Collocation& collocation);
  // The step of a formula times the rate, where its error is all that is allowed.
  double reach(const Radau& formula) const;
  // The step after one of length h, whose error was this part of what is allowed.
  double step_after(double h, double wrong, double longest, const Collocation& collocation) const;
  void find_reaches(const Collocation::Formulas& formulas);
  void tell(const Piece& piece, double t, double h, const Matrix& s, const Radau& formula);
  // The error as a part of what is allowed.
  double error(double h, Collocation& collocation, const Matrix& floors, const Matrix& s);

  Index states_;
  double rtol_;
  bool has_slope_ = false;
  double step_ = 0;
  std::optional<double> rate_, first_rate_;
  const Collocation::Formulas* reaches_of_ = nullptr;
  std::vector<double> reaches_;
  std::vector<Matrix> slopes_;
  Matrix slope_, defect_, end_, coefficients_;
  Matrix start_;  // the slope at the start of the step of its polynomial
};

}  // namespace slideway
