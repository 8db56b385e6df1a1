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
  std::vector<Index> places;                             // of the values among the observables
  std::vector<std::pair<Index, Index>> observed_forces;  // place, and which of the forces
  const auto contacts = static_cast<Index>(model.contacts.size());
  for (const ExpandedObservable& observable : model.observables) {
    const auto place = static_cast<Index>(result.names.size());
    result.names.push_back(observable.name);
    if (observable.contact) {
      observed_forces.emplace_back(place,
                                   static_cast<Index>(*observable.contact) + observable.friction * contacts);
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
  // The sign is that of the velocity of the file, whose guard may be its negative.
  Vector signs = Vector::Ones(force_count(contacts));
  for (Index c = 0; c < contacts; ++c) {
    const auto& friction = model.contacts[static_cast<std::size_t>(c)].friction;
    if (friction) signs[contacts + c] = friction->sign;
  }
  // States from this one on are forces.
  const Index states = model.initial.size();
  const bool sees_forces = std::any_of(values.begin(), values.end(), [&](NodeId value) {
    const std::vector<NodeId> nodes = model.graph.reachable({value});
    return std::any_of(nodes.begin(), nodes.end(), [&](NodeId id) {
      return model.graph[id].operation == Operation::state && static_cast<Index>(model.graph[id].a) >= states;
    });
  });
  result.evaluate = [=](double t, ConstVectorRef x, ConstVectorRef lambda, ConstVectorRef forces,
                        VectorRef observed) {
    const auto take = [&](std::size_t k, double value) { observed[places[k]] = value; };
    if (sees_forces) {
      Vector with_forces(states + forces.size());
      with_forces << x.head(states), forces.cwiseProduct(signs);
      tape->evaluate<double>(point(t, with_forces, lambda), take);
    } else {
      tape->evaluate<double>(point(t, x, lambda), take);
    }
    for (const auto& [place, which] : observed_forces) observed[place] = signs[which] * forces[which];
  };
  return result;
}

}  // namespace slideway::reader
