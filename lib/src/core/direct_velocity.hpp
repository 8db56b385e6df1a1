// A velocity that one call of a function tells, for steps of few states, where all else takes longer than the function:
//     x' = f(t, x, p)                                            p stays as it is along the step
//     x' = f(t, x, p) + 2α c,  α = w/gap,  w = d + a·f(t, x, p)    confined to a flat surface by a control, which acts along c
//
// It must not know what the parameters are, nor how steps are taken.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>

#include "slideway/core/types.hpp"

namespace slideway {

// A listener of both components across the surface, of every velocity.
class ComponentsSink {
 public:
  virtual void note_components(double t, double w, double w_beyond) = 0;

 protected:
  ~ComponentsSink() = default;
};

// The pointers belong to the maker of the struct, who keeps them up to the next start.
struct DirectVelocity {
  using Function = std::function<void(double t, ConstVectorRef x, ConstVectorRef parameters, VectorRef dx)>;
  const Function* function = nullptr;
  const Eigen::Ref<const Vector>* parameters = nullptr;
  std::int64_t* calls = nullptr;  // counted up by the caller

  // ---- along a surface
  bool is_confined = false;
  double gap = 0;
  double by_time = 0;              // d
  const int* states = nullptr;     // where a is not zero
  const double* slopes = nullptr;  // a there
  int slope_count = 0;
  const int* rows = nullptr;        // where c is not zero
  const double* control = nullptr;  // c there
  int control_count = 0;
  Index fixed = -1;  // a state that the surface fixes, or none
  ComponentsSink* sink = nullptr;

  // The component across the surface of this velocity: w where it is f.
  [[gnu::always_inline]] double rate_across(const double* dx) const {
    double w = by_time;
    for (int k = 0; k < slope_count; ++k) w += slopes[k] * dx[states[k]];
    return w;
  }
  // Makes of f on the lower side that on the upper one.
  [[gnu::always_inline]] void cross(double* dx) const {
    for (int k = 0; k < control_count; ++k) dx[rows[k]] += 2 * control[k];
  }
  // Adds the control to f; false where w is not finite.
  [[gnu::always_inline]] bool confine(double t, double* dx) const {
    const double w = rate_across(dx);
    if (!std::isfinite(w)) return false;
    const double alpha = w / gap;
    for (int k = 0; k < control_count; ++k) dx[rows[k]] += 2 * alpha * control[k];
    if (fixed >= 0) dx[fixed] = 0;
    if (sink) sink->note_components(t, w, w - gap);
    return true;
  }
};

}  // namespace slideway
