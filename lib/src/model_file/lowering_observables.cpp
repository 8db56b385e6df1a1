// make_observables: from expanded observables to those of the library.

#include <algorithm>
#include <memory>
#include <vector>

#include "expression/expression_tape.hpp"
#include "expression/tape_inputs.hpp"
#include "model_file/lowering.hpp"

namespace slideway::reader {

Observables make_observables(ExpandedModel& model, Mistakes& mistakes) {
  Observables result;
  std::vector<NodeId> values;
  std::vector<Index> places;                               // of the values among the observables
  std::vector<std::pair<Index, Index>> observed_contacts;  // place, contact
  for (const ExpandedObservable& observable : model.observables) {
    const auto place = static_cast<Index>(result.names.size());
    result.names.push_back(observable.name);
    if (observable.contact) {
      observed_contacts.emplace_back(place, static_cast<Index>(*observable.contact));
    } else {
      values.push_back(observable.value);
      places.push_back(place);
    }
  }
  try {
    values = make_multi_affine(model.graph, values, guards_by_relay(model));
  } catch (const TooManyCorners& error) {
    const std::string& name = result.names[static_cast<std::size_t>(places[error.root])];
    mistakes.push_back(error.mistake({}, "observable " + in_quotes(name)));
    return result;
  }
  const auto tape = std::make_shared<const Tape>(model.graph, values, model.lambda_index);
  result.evaluate = [tape, places, observed_contacts](double t, ConstVectorRef x, ConstVectorRef lambda,
                                                      ConstVectorRef forces, VectorRef observed) {
    tape->evaluate<double>(point(t, x, lambda),
                           [&](std::size_t k, double value) { observed[places[k]] = value; });
    for (const auto& [place, contact] : observed_contacts) observed[place] = forces[contact];
  };
  return result;
}

}  // namespace slideway::reader
