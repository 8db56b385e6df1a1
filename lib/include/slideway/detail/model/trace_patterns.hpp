// Sparsity of a functor's derivatives, whether it is affine and its relays additive, by running it once on traces.
//
// Where the functor compares or branches on a state, a relay or the time, one run does not show everything and nothing
// is claimed; nor where it throws, for the point is arbitrary. A functor with `static constexpr bool untraced = true`,
// whose members do not compile for Trace, say, is left alone, and so is a member that is noexcept.
// It must not know what the patterns are used for.
#pragma once

#include <memory>
#include <vector>

#include "slideway/autodiff/trace.hpp"
#include "slideway/model/system.hpp"

namespace slideway {

// Inputs in general position, so that nothing vanishes by chance.
inline double trace_value(Index i) { return 0.5 + 0.4 * std::sin(1.0 + 2.39996 * static_cast<double>(i)); }

template <class Functor>
concept Untraced = requires {
  requires Functor::untraced;
};

// The call is the member's with double: passing a Trace by value may throw before the member is entered.
template <class Functor>
concept NoexceptGuards = requires(const Functor& functor, double t, ConstVectorRef x, VectorRef& h) {
  requires noexcept(functor.guards(t, x, h));
};
template <class Functor>
concept NoexceptField = requires(const Functor& functor, double t, ConstVectorRef x, VectorRef& dx) {
  requires noexcept(functor.field(t, x, x, dx));
};

// run_traced() returns false if there is nothing to be learnt from a run.
template <class Run>
bool run_traced(Run&& run) {
  const TraceRun trace;
  try {
    run();
  } catch (...) {
    return false;
  }
  return !trace.compared();
}

template <class Functor>
concept TraceableGuards = !Untraced<Functor> && !NoexceptGuards<Functor> &&
                          requires(const Functor& functor, const Trace& t,
                                   const Eigen::Map<const Eigen::Matrix<Trace, Eigen::Dynamic, 1>>& x,
                                   Eigen::Map<Eigen::Matrix<Trace, Eigen::Dynamic, 1>>& h) {
  functor.guards(t, x, h);
};
template <class Functor>
concept TraceableField = !Untraced<Functor> && !NoexceptField<Functor> &&
                         requires(const Functor& functor, const Trace& t,
                                  const Eigen::Map<const Eigen::Matrix<Trace, Eigen::Dynamic, 1>>& x,
                                  Eigen::Map<Eigen::Matrix<Trace, Eigen::Dynamic, 1>>& dx) {
  functor.field(t, x, x, dx);
};

template <class Functor>
void trace_guards(const Functor& functor, SystemDefinition& definition) {
  if constexpr (TraceableGuards<Functor>) {
    using View = Eigen::Map<const Eigen::Matrix<Trace, Eigen::Dynamic, 1>>;
    std::vector<Trace> states;
    std::vector<Trace> results(static_cast<std::size_t>(definition.surfaces));
    for (Index j = 0; j < definition.states; ++j) states.push_back(Trace::state(j, trace_value(j)));
    const View x(states.data(), definition.states);
    Eigen::Map<Eigen::Matrix<Trace, Eigen::Dynamic, 1>> h(results.data(), definition.surfaces);
    const Trace t = Trace::time(0.7);
    if (!run_traced([&] { functor.guards(t, x, h); })) return;
    std::vector<std::vector<Index>> rows;
    definition.guards_affine = true;
    for (const Trace& result : results) {
      rows.push_back(result.states());
      if (result.degree() > 1) definition.guards_affine = false;
    }
    definition.guards_dx_pattern = pattern_from_rows(definition.states, std::move(rows));
  }
}

template <class Functor>
void trace_field(const Functor& functor, SystemDefinition& definition) {
  if constexpr (TraceableField<Functor>) {
    using View = Eigen::Map<const Eigen::Matrix<Trace, Eigen::Dynamic, 1>>;
    std::vector<Trace> states;
    std::vector<Trace> relays;
    std::vector<Trace> results(static_cast<std::size_t>(definition.states));
    for (Index j = 0; j < definition.states; ++j) states.push_back(Trace::state(j, trace_value(j)));
    for (Index i = 0; i < definition.surfaces; ++i) relays.push_back(Trace::relay(i, trace_value(i)));
    const View x(states.data(), definition.states);
    const View lambda(relays.data(), definition.surfaces);
    Eigen::Map<Eigen::Matrix<Trace, Eigen::Dynamic, 1>> dx(results.data(), definition.states);
    const Trace t = Trace::time(0.7);
    if (!run_traced([&] { functor.field(t, x, lambda, dx); })) return;
    std::vector<std::vector<Index>> by_state;
    std::vector<std::vector<Index>> by_relay;
    definition.relays_additive = definition.field_affine = true;
    for (const Trace& result : results) {
      definition.relays_additive = definition.relays_additive && result.additive();
      definition.field_affine = definition.field_affine && result.degree() <= 1;
      by_state.push_back(result.states());
      by_relay.push_back(result.relays());
    }
    definition.field_dx_pattern = pattern_from_rows(definition.states, std::move(by_state));
    definition.field_dlambda_pattern = pattern_from_rows(definition.surfaces, std::move(by_relay));
  }
}

}  // namespace slideway
