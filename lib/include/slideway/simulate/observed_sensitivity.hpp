// The derivatives of quantities observed along a solution (simulate/observation.hpp) by what the solution is differentiated by.
// It must not know files.
#pragma once

#include <string>

#include "slideway/simulate/observation.hpp"
#include "slideway/simulate/sensitivity.hpp"

namespace slideway {

class ObservedSensitivity {
 public:
  // `extended` and `observables` are those of the request: the problem with parameters as states, or the problem itself.
  ObservedSensitivity(const Automaton& extended, Observables observables, SlidingRule rule,
                      SensitivityRequest request);

  // dy/dp at a fixed time, one row per observable; `s` is S there, and the mode and the location are those in which x is.
  Matrix at(double t, ConstVectorRef x, const Mode& mode, const std::string& location, const Matrix& s);

 private:
  Observation observation_;
  SensitivityRequest request_;
  Vector buffer_;
};

}  // namespace slideway
