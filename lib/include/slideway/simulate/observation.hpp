// The observables of a model along a solution:
//
//     Observation energy(simulator.automaton(), observables, options.sliding_rule);
//     const Vector& y = energy.at(t, x, solution.trajectory.mode(t), solution.trajectory.location(t));
//
// It must not know what the observables mean, nor files.
#pragma once

#include <string>
#include <vector>

#include "slideway/model/observables.hpp"
#include "slideway/simulate/forces_along.hpp"

namespace slideway {

class Observation {
 public:
  // Throws std::invalid_argument for names that do not fit the problem (check_observable_names).
  Observation(const Automaton& problem, Observables observables, SlidingRule rule = SlidingRule::filippov);

  const std::vector<std::string>& names() const { return observables_.names; }
  Index size() const { return values_.size(); }
  // The values of the observables, one per name, at a point of a solution whose mode and location are those of a Segment,
  // StepView or Snapshot. A value is NaN where it does not exist or where its function throws. Valid until the next call.
  const Vector& at(double t, ConstVectorRef x, const Mode& mode, const std::string& location);

 private:
  Observables observables_;
  ForcesAlong forces_;
  Vector values_;
};

}  // namespace slideway
