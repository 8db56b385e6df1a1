// By how much the errors of integration may move each state, in the units of the states: those of a step, and those that a run
// gathers. They grow with the states.
//
// It must not know guards or modes, nor how steps are taken.
#pragma once

#include <algorithm>
#include <utility>

#include "filippov/point_classifier.hpp"
#include "slideway/core/types.hpp"

namespace slideway {

class ErrorSizes {
 public:
  // ErrorSizes() takes the state x in which the run starts.
  ErrorSizes(Vector atol, double rtol, const Vector& x)
      : atol_(std::move(atol)), rtol_(rtol), largest_(x.cwiseAbs()) {}

  // The solution has come to x.
  void see(const Vector& x) { largest_ = largest_.cwiseMax(x.cwiseAbs()); }
  // A projection has left this residual (SurfaceGeometry::residual).
  void see_drift(double residual) { largest_drift_ = std::max(largest_drift_, residual); }

  const Vector& atol() const { return atol_; }
  // scale() returns the sizes below which the errors of the states are absolute.
  Vector scale() const { return atol_ / rtol_; }
  // The errors of the run so far, which do not shrink with its states.
  Vector accumulated() const { return gathered_errors(rtol_) * (rtol_ * largest_ + atol_); }
  // hide() tells whether nobody sees this change of states of these sizes.
  bool hide(const Vector& change, const Vector& sizes) const {
    return (change.cwiseAbs().array() <= rtol_ * sizes.array() + atol_.array()).all();
  }
  double largest_drift() const { return largest_drift_; }

  // visit_fields() names the fields that outlive an instant, for checkpoints.
  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("largest", largest_);
    visit("largest_drift", largest_drift_);
  }

 private:
  Vector atol_;
  double rtol_;
  Vector largest_;  // |xⱼ| so far
  double largest_drift_ = 0;
};

}  // namespace slideway
