#include "model/probed_error.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

#include "core/constants.hpp"
#include "core/patternless.hpp"

namespace slideway {

void probe_errors(const GuardFunction& functions, double t, ConstVectorRef x, VectorRef errors) {
  // The noise of 8 places shows two thirds of its full width on average.
  constexpr int kPlaces = 8;
  constexpr double kLastDigits = 4 * kEpsilon;
  Vector beside(x.size()), here(errors.size()), there(errors.size());
  functions(t, x, here);
  errors.setZero();
  for (int place = 0; place < kPlaces; ++place) {
    for (Index j = 0; j < x.size(); ++j) beside[j] = x[j] * (1 + kLastDigits * patternless(j, place));
    try {
      functions(t * (1 + kLastDigits * patternless(x.size(), place)), beside, there);
    } catch (const std::exception&) {
      continue;  // This place is outside of the functions' domain.
    }
    for (Index i = 0; i < errors.size(); ++i) {
      const double change = std::abs(there[i] - here[i]) / kEpsilon;
      if (std::isfinite(change)) errors[i] = std::max(errors[i], change);
    }
  }
}

void find_running_errors(const SystemDefinition& definition, double t, ConstVectorRef x, VectorRef errors) {
  if (definition.guards_running_error) {
    definition.guards_running_error(t, x, errors);
  } else if (errors.size() > 0) {
    probe_errors(definition.guards, t, x, errors);
  }
}

}  // namespace slideway
