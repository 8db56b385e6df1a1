#include "lib/fmi/fmu_observables.hpp"

#include <algorithm>

namespace slideway::fmi {

Observables observables_in(const Fmu& fmu, const System& system, const std::vector<std::string>& wanted,
                           const ReadVariables& read) {
  std::vector<const Variable*> variables;
  std::vector<std::string> others;
  std::vector<Index> places;  // of the others
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    const auto& all = fmu.description().variables;
    const auto found = std::find_if(all.begin(), all.end(), [&](const Variable& variable) {
      return variable.name == wanted[k] && variable.type != Type::text && variable.type != Type::binary;
    });
    if (found != all.end()) {
      variables.push_back(&*found);
    } else {
      others.push_back(wanted[k]);
      places.push_back(static_cast<Index>(k));
    }
  }
  Observables known;
  if (!others.empty()) known = observables_of(system, others);
  const auto count = static_cast<Index>(variables.size());
  return {
      .names = wanted,
      .evaluate = [read, variables, known, places, count](double t, ConstVectorRef x, ConstVectorRef lambda,
                                                          ConstVectorRef forces, VectorRef values) {
        Vector own(count), other(static_cast<Index>(places.size()));
        if (count > 0) read(t, x, lambda, variables, own);
        if (!places.empty()) known.evaluate(t, x, lambda, forces, other);
        Index next_own = 0, next_other = 0;
        for (Index k = 0; k < values.size(); ++k) {
          const bool is_other = std::find(places.begin(), places.end(), k) != places.end();
          values[k] = is_other ? other[next_other++] : own[next_own++];
        }
      }};
}

}  // namespace slideway::fmi
