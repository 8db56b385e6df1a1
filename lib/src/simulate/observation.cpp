#include "slideway/simulate/observation.hpp"

#include <exception>
#include <limits>
#include <utility>

namespace slideway {

Observation::Observation(const Automaton& problem, Observables observables, SlidingRule rule)
    : observables_(std::move(observables)), forces_(problem, rule) {
  check_observable_names(problem.system(), observables_.names);
  values_ = Vector::Zero(static_cast<Index>(observables_.names.size()));
}

const Vector& Observation::at(double t, ConstVectorRef x, const Mode& mode, const std::string& location) {
  forces_.find(t, x, mode, location);
  try {
    observables_.evaluate(t, x, forces_.lambda(), forces_.forces(), values_);
  } catch (const std::exception&) {
    values_.setConstant(std::numeric_limits<double>::quiet_NaN());
  }
  return values_;
}

}  // namespace slideway
