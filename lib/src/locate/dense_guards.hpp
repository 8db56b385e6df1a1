// The guards along the dense output of the last step, for the scans that look for their zeros.
//
// It must not know how a zero is found.
#pragma once

#include "simulate/run_state.hpp"

namespace slideway {

class DenseGuards final : public GuardSampler {
 public:
  // `affine` points to the scan that watches affine guards in the mode at hand, or is null. Both references must outlive the sampler.
  DenseGuards(const RunState& now, AffineScan* const& affine) : now_(now), affine_(affine) {}

  void sample(double t, VectorRef values) override;
  // Evaluates the single guard of an event. The guards of surfaces share their work, so all of them are sampled even for one.
  double sample_one(double t, Index guard, VectorRef scratch) override;
  void noise(double t, VectorRef values) override;

  // is_armed() tells whether a scan counts a zero of this guard.
  bool is_armed(Index slot) const;

 private:
  // Finds the state at t, on the surfaces it slides on.
  void state_at(double t);
  bool mirror_what_is_hardly_left(double t);

  const RunState& now_;
  AffineScan* const& affine_;
  Vector weights_;  // at the state that was put back last
  const Vector* weights_of_state_ = nullptr;
  Vector state_, nudged_state_, plain_values_;  // buffers
};

}  // namespace slideway
