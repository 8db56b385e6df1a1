// A search for the guards of a mode that may arrive within a step. Every guard is sampled at the nodes that its polynomial along the step is
// determined by; its coefficients in Bernstein's basis bound it, and two more samples show how far it is from that polynomial.
//
//     min bⱼ > what the two samples are off, and rounding   ⇒   no zero in the step
//
// Where field and guards are affine the guards are those polynomials, and the bound is certain. A guard that is near zero, or that
// the samples do not tell, counts as one that may arrive: somebody else looks closely.
// It must not know what arrives, nor what follows it.
#pragma once

#include <vector>

#include "integrate/stepper.hpp"
#include "simulate/mode_ode.hpp"

namespace slideway {

class StepScan {
 public:
  // The ode must outlive the scan.
  explicit StepScan(ModeOde& ode);

  // The slots of guards that may arrive in [start, end], increasing. The step is the last one of the stepper. Throws what the guards throw.
  const std::vector<Index>& may_arrive(Stepper& stepper, double start, double end);

  // ---- of the last step that was looked at
  // The times of the samples, and a guard at the k-th of them, by its slot.
  const std::vector<double>& times() const { return times_; }
  double sampled(Index slot, std::size_t k) const { return samples_(slot, static_cast<Index>(k)); }
  // A bound: the guard is no smaller in the step, nor larger.
  double lowest(Index slot) const { return lowest_[static_cast<std::size_t>(slot)]; }
  double highest(Index slot) const { return highest_[static_cast<std::size_t>(slot)]; }

 private:
  void choose_nodes(Index degree);

  ModeOde& ode_;
  Index degree_ = -1;
  std::vector<double> nodes_;  // in [0, 1]; the last two are those that look
  Matrix to_bernstein_;        // (degree + 1)²: coefficients from samples at the nodes
  Matrix predict_;             // 2×(degree + 1): the last two samples from the coefficients
  Vector state_;
  Matrix samples_;  // slots × nodes
  std::vector<double> times_, lowest_, highest_;
  std::vector<Index> slots_;
};

}  // namespace slideway
