// Exact derivatives by the parameters of a functor: its numbers are of a type of its own, and become states behind those of the system.
//
//     template <class Number = double>
//     struct DryFriction {                         // x'' = -x - mu sgn(x') + cos(w t)
//       Number mu, w;
//       void guards(auto, const auto& x, auto&& h) const { h[0] = x[1]; }
//       void field(auto t, const auto& x, const auto& lambda, auto&& dx) const { … }
//     };
//     model.extend = extend_functor(model.instantiate, [](const auto& p) {
//       using Number = std::decay_t<decltype(p[0])>;
//       return DryFriction<Number>{p[0], p[1]};    // all parameters of the model, in their order
//     });
//
// Without `extend` derivatives by parameters are differences, for which no step is right where a parameter multiplies a long time.
// The functor may not ask for the number of states, and takes no member but guards and field. Systems with events, contacts or locations
// need more than their functor.
//
// It must not know how derivatives are followed.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "slideway/model/from_functor.hpp"
#include "slideway/model/model.hpp"

namespace slideway {

// The parameters of a functor at a state: some are states, the others have their values.
template <class States>
class ParametersAt {
 public:
  using Number = std::decay_t<decltype(std::declval<const States&>()[0])>;

  ParametersAt(const States& states, const Vector& values, const std::vector<Index>& places)
      : states_(states), values_(values), places_(places) {}

  Number operator[](Index k) const {
    const Index place = places_[static_cast<std::size_t>(k)];
    return place < 0 ? Number(values_[k]) : Number(states_[place]);
  }

  // The value of a parameter that the shape of the equations depends on, as a number of cells.
  double value(Index k) const { return values_[k]; }

 private:
  const States& states_;
  const Vector& values_;
  const std::vector<Index>& places_;
};

// The functor that `make` gives of the parameters, as one of a larger state.
template <class Make>
struct FunctorOfParameters {
  Make make;
  Vector values = {};                 // of all parameters
  std::vector<Index> places = {};     // of each among the states, or −1
  std::vector<Index> as_states = {};  // the places of those that are states

  void guards(const auto& t, const auto& x, auto&& h) const {
    make(ParametersAt<std::decay_t<decltype(x)>>(x, values, places)).guards(t, x, h);
  }
  void field(const auto& t, const auto& x, const auto& lambda, auto&& dx) const {
    make(ParametersAt<std::decay_t<decltype(x)>>(x, values, places)).field(t, x, lambda, dx);
    for (const Index place : as_states) dx[place] = 0.0;
  }
};

// n × k: the derivatives of the initial values, which may be made of parameters by any code, by differences. Throws std::invalid_argument for a
// parameter that the number of states depends on.
Matrix initial_by_parameters(const std::function<ModelInstance(const Settings&)>& instantiate,
                             const Settings& settings, const std::vector<std::string>& names,
                             const Vector& values, const Vector& initial);

// Model::extend of a model that is one functor. `door` makes a System of a functor, as from_functor does, or from_signs.
template <class Make, class Door>
std::function<ExtendedProblem(const Settings&, const std::vector<std::string>&)> extend_functor(
    std::function<ModelInstance(const Settings&)> instantiate, Make make, Door door) {
  return [instantiate = std::move(instantiate), make = std::move(make), door = std::move(door)](
             const Settings& settings, const std::vector<std::string>& names) {
    const ModelInstance instance = instantiate(settings);
    const System& own = instance.system;
    const Index n = own.states(), count = static_cast<Index>(names.size());
    FunctorOfParameters<Make> functor{make};
    functor.values.resize(static_cast<Index>(instance.parameters.size()));
    functor.places.assign(instance.parameters.size(), -1);
    Vector parameters = Vector::Zero(count);
    for (std::size_t k = 0; k < instance.parameters.size(); ++k) {
      functor.values[static_cast<Index>(k)] = instance.parameters[k].second;
      const auto name = std::find(names.begin(), names.end(), instance.parameters[k].first);
      if (name == names.end()) continue;
      const Index place = name - names.begin();
      functor.places[k] = n + place;
      functor.as_states.push_back(n + place);
      parameters[place] = instance.parameters[k].second;
    }
    std::vector<std::string> state_names = own.state_names();
    state_names.insert(state_names.end(), names.begin(), names.end());
    const System extended = door(std::move(functor), Dimensions{.states = n + count,
                                                                .surfaces = own.surfaces(),
                                                                .name = own.name(),
                                                                .state_names = std::move(state_names),
                                                                .surface_names = own.surface_names()});
    Matrix initial(n + count, count);
    initial.topRows(n) = initial_by_parameters(instantiate, settings, names, parameters, instance.state);
    initial.bottomRows(count).setIdentity();
    const auto observe = [extended](const std::vector<std::string>& wanted) {
      return observables_of(extended, wanted, {});
    };
    return ExtendedProblem{Automaton(extended), std::move(parameters), std::move(initial), observe};
  };
}

template <class Make>
std::function<ExtendedProblem(const Settings&, const std::vector<std::string>&)> extend_functor(
    std::function<ModelInstance(const Settings&)> instantiate, Make make) {
  return extend_functor(std::move(instantiate), std::move(make), [](auto functor, Dimensions dimensions) {
    return from_functor(std::move(functor), std::move(dimensions));
  });
}

}  // namespace slideway
