// The derivatives of the final state, and of the times of events, by going backwards.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "slideway/simulate/adjoint.hpp"

namespace slideway::test {

// An output for each state at the end, then one for the time of each event.
inline std::vector<AdjointOutput> all_outputs(const Solution& solution, bool with_times) {
  const Index n = solution.final.state.size();
  std::vector<AdjointOutput> outputs;
  for (Index i = 0; i < n; ++i)
    outputs.push_back({.times = {solution.outcome.t}, .weights = Vector::Unit(n, i)});
  for (std::size_t e = 0; with_times && e < solution.events.size(); ++e)
    outputs.push_back({.times = {}, .weights = Matrix(n, 0), .event_times = {{e, 1.0}}});
  return outputs;
}

// What forward derivatives say of the final state and of events is what the adjoint says, within `allowed` of the largest of a row.
inline void check_adjoint_agrees(const Automaton& problem, const Options& options, const Run& run,
                                 const Solution& solution, const SensitivityRequest& request,
                                 const Sensitivities& forward, double allowed) {
  const bool with_times = solution.events.size() <= 40;
  const AdjointGradients found =
      adjoint_gradients(problem, options, run, solution, request, all_outputs(solution, with_times));
  const Index n = solution.final.state.size();
  // Differences tell the derivatives of small impacts to six digits.
  const bool accumulates = std::any_of(solution.events.begin(), solution.events.end(),
                                       [](const auto& event) { return event.kind == EventKind::zeno; });
  const double allowed_time = accumulates ? std::max(allowed, 1e-5) : allowed;
  const auto check_row = [&](const Vector& expected, const Vector& got, double within) {
    if (!expected.allFinite()) return;
    CAPTURE(expected.transpose());
    CAPTURE(got.transpose());
    CHECK((got - expected).lpNorm<Eigen::Infinity>() <=
          within * std::max(1.0, expected.lpNorm<Eigen::Infinity>()));
  };
  for (Index i = 0; i < n; ++i) {
    CAPTURE(i);
    check_row(forward.final().row(i).transpose(), found.gradients.row(i).transpose(),
              accumulates ? std::max(allowed, 1e-8) : allowed);
  }
  for (std::size_t e = 0; with_times && e < solution.events.size(); ++e) {
    const EventSensitivity& event = forward.events()[e];
    if (!event.exists) continue;
    CAPTURE(e);
    const Vector got = found.gradients.row(n + static_cast<Index>(e)).transpose();
    // Where events coincide their time may have a derivative in the direction that is asked for, and none in others. The adjoint needs all.
    if (got.allFinite() || solution.events[e].surfaces.size() < 2) check_row(event.time, got, allowed_time);
  }
}

}  // namespace slideway::test
