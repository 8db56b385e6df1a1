#include <algorithm>
#include <cmath>

#include "slideway/simulate/solution.hpp"

namespace slideway {

Statistics& Statistics::operator+=(const Statistics& other) {
  steps += other.steps;
  field_evaluations += other.field_evaluations;
  integrator_evaluations += other.integrator_evaluations;
  guard_evaluations += other.guard_evaluations;
  jacobian_evaluations += other.jacobian_evaluations;
  krylov_iterations += other.krylov_iterations;
  restarts += other.restarts;
  events += other.events;
  integrator_roots += other.integrator_roots;
  dop853_steps += other.dop853_steps;
  stiff_from = std::fmin(stiff_from, other.stiff_from);
  largest_drift = std::max(largest_drift, other.largest_drift);
  wall_seconds += other.wall_seconds;
  return *this;
}

}  // namespace slideway
