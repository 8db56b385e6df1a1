// Which guards of a mode may arrive within a step. Every guard is sampled at the nodes that its polynomial along the step is
// determined by; its coefficients in Bernstein's basis bound it, and two more samples show how far it is from that polynomial.
//
//     min bⱼ > what the two samples are off, and rounding   ⇒   no zero in the step
//
// Where field and guards are affine the guards are those polynomials, and the bound is certain. A guard that is near zero, or that
// the samples do not tell, counts as one that may arrive: somebody else looks closely.
// It must not know what arrives, nor what follows it.
#pragma once

#include <vector>

#include "simulate/mode_ode.hpp"
#include "slideway/integrate/stepper.hpp"

namespace slideway {

class StepScan {
 public:
  // The ode must outlive the scan.
  explicit StepScan(ModeOde& ode);

  // The slots of guards that may arrive in [start, end], increasing. The step is the last one of the stepper. Throws what the guards throw.
  const std::vector<Index>& may_arrive(Stepper& stepper, double start, double end);

 private:
  void choose_nodes(Index degree);

  ModeOde& ode_;
  Index degree_ = -1;
  std::vector<double> nodes_;  // in [0, 1]; the last two are those that look
  Matrix to_bernstein_;        // (degree + 1)²: coefficients from samples at the nodes
  Matrix predict_;             // 2×(degree + 1): the last two samples from the coefficients
  Vector state_;
  Matrix samples_;  // slots × nodes
  std::vector<Index> slots_;
};

}  // namespace slideway
