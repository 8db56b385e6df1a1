// The smooth ODE of one mode, as the stepper and the scan see it: the velocity of the mode and its exit guards.
//
// Every surface has two guard slots:
//     not sliding:  s·h (s = ±1 the stored side)     and nothing
//     sliding:      σ⁻w⁻, σ⁺w⁺                       (σ the signs the components have in the mode)
// so that every guard is positive while the mode lasts.
// It must not know how steps are taken or what follows the mode.
#pragma once

#include <array>
#include <vector>

#include "slideway/filippov/mode_field.hpp"
#include "slideway/filippov/surface_geometry.hpp"
#include "slideway/integrate/smooth_ode.hpp"

namespace slideway {

class ModeOde final : public SmoothOde {
 public:
  explicit ModeOde(Evaluator& evaluator);

  // The orientation of w⁻ and w⁺ matters only while a surface slides; σ⁻ > 0 > σ⁺ is attracting.
  void set_mode(const Mode& mode, double sigma_minus, double sigma_plus);
  const Mode& mode() const { return field_.mode(); }
  ModeField& field() { return field_; }
  // Guards that are not armed are hidden from the integrator's own root-finding.
  void set_armed(const std::vector<char>* armed) { armed_ = armed; }

  static Index surface_of(Index slot) { return slot / 2; }
  static Index first_slot(Index surface) { return 2 * surface; }

  // All guards at (t, x), armed or not. Values at times already asked for since forget_samples() are not computed again,
  // so x must be the dense output of one and the same step. Throws std::runtime_error naming a guard that is not finite.
  void sample(double t, ConstVectorRef x, VectorRef values);
  bool recall(double t, VectorRef values) const;
  void forget_samples();
  // The same without memory.
  void exit_guards(double t, ConstVectorRef x, VectorRef values);

  Index states() const override;
  Index guards() const override;
  void velocity(double t, ConstVectorRef x, VectorRef dx) override;
  void jacobian(double t, ConstVectorRef x, ConstVectorRef dx, MatrixRef jacobian) override;
  void guard_values(double t, ConstVectorRef x, VectorRef values) override;
  bool constrained() const override { return field_.sliding_surface() >= 0; }
  void project(double t, ConstVectorRef weights, VectorRef x) override;

 private:
  struct Sample {
    double t = 0;
    Vector values;
  };

  Evaluator& evaluator_;
  ModeField field_;
  SurfaceGeometry geometry_;
  double sigma_minus_ = 1;
  double sigma_plus_ = -1;
  const std::vector<char>* armed_ = nullptr;
  Vector h_, sampled_;
  std::array<Sample, 4> samples_;
  std::size_t samples_held_ = 0;
  std::size_t next_sample_ = 0;
};

}  // namespace slideway
