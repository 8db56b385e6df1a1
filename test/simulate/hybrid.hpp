// Short ways to write systems with events, contacts and locations, and to run them, for the tests of this folder.
#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "slideway/model/from_functor.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway::test {

inline const std::vector<Method> every_method = {Method::bdf, Method::adams, Method::dopri5, Method::dop853,
                                                 Method::rodas};
inline const std::vector<double> every_rtol = {1e-4, 1e-6, 1e-8, 1e-10, 1e-12};

template <class Field>
struct FieldOnly {
  Field function;
  void field(auto t, const auto& x, const auto& /*lambda*/, auto&& dx) const { function(t, x, dx); }
};

// x' = field(t, x, dx), without surfaces.
template <class Field>
System smooth(Index states, Field field) {
  return from_functor(FieldOnly<Field>{field}, {.states = states});
}

// xⱼ − level.
inline Guard component(Index j, double level = 0) {
  return Guard([j, level](auto /*t*/, const auto& x) { return x[j] - level; });
}

inline Event record(const std::string& name, Guard when, Direction direction) {
  return {.name = name, .when = std::move(when), .direction = direction, .action = Action::record};
}
inline Event stop(const std::string& name, Guard when, Direction direction) {
  return {.name = name, .when = std::move(when), .direction = direction, .action = Action::stop};
}
// `set` changes x in place.
inline Event reset(const std::string& name, Guard when, Direction direction,
                   std::function<void(VectorRef)> set) {
  return {.name = name,
          .when = std::move(when),
          .direction = direction,
          .action = Action::reset,
          .reset = [set](double, ConstVectorRef, VectorRef after) { set(after); }};
}

// The force enters the derivatives of these states with these factors.
inline Contact contact(const std::string& name, Guard gap, std::vector<std::pair<Index, double>> force,
                       double e) {
  Contact result;
  result.name = name;
  result.gap = std::move(gap);
  result.acts_on = [force = std::move(force)](double, ConstVectorRef, VectorRef b) {
    for (const auto& [state, factor] : force) b[state] = factor;
  };
  result.restitution = [e](double) { return e; };
  return result;
}

inline Vector vector(std::initializer_list<double> values) {
  Vector x(static_cast<Index>(values.size()));
  Index j = 0;
  for (const double value : values) x[j++] = value;
  return x;
}

inline Solution run(Automaton problem, const Vector& state, double end, Options options = {}) {
  return Simulator(std::move(problem), std::move(options)).run({.start = 0, .end = end, .state = state});
}
inline Solution run(Automaton problem, std::initializer_list<double> state, double end,
                    Options options = {}) {
  return run(std::move(problem), vector(state), end, std::move(options));
}

inline Options with(Method method, double rtol) {
  Options options;
  options.rtol = rtol;
  options.method = method;
  return options;
}

// Every method at every tolerance.
template <class Check>
void for_every_method(Check check) {
  for (const Method method : every_method) {
    for (const double rtol : every_rtol) {
      CAPTURE(std::string(to_string(method)));
      CAPTURE(rtol);
      check(with(method, rtol));
    }
  }
}

// "impact floor, zeno floor": kinds and names in order.
inline std::string story(const Solution& solution, std::size_t most = 12) {
  std::string text;
  for (std::size_t k = 0; k < std::min(most, solution.events.size()); ++k) {
    const EventRecord& event = solution.events[k];
    text += (text.empty() ? "" : ", ") + std::string(to_string(event.kind));
    if (event.name) text += " " + *event.name;
  }
  return text;
}

inline std::size_t count(const Solution& solution, EventKind kind) {
  return static_cast<std::size_t>(
      std::count_if(solution.events.begin(), solution.events.end(),
                    [&](const EventRecord& event) { return event.kind == kind; }));
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// |got − expected| in units of max(1, |expected|).
inline double error(double got, double expected) {
  return std::abs(got - expected) / std::max(1.0, std::abs(expected));
}

}  // namespace slideway::test
