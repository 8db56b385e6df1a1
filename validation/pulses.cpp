// Group `pulses`: Mirollo & Strogatz's pulse-coupled oscillators, whose resets lift each other past their thresholds, in avalanches.
// The references are the motions of pulse_network.hpp.
#include <cmath>

#include "slideway/model/from_functor.hpp"
#include "validation/case.hpp"
#include "validation/pulse_network.hpp"

namespace slideway::validation {
namespace {

struct Leaky {
  Index count = 0;
  double drive = 2, leak = 1;
  void field(auto, const auto& x, const auto& /*lambda*/, auto&& dx) const {
    for (Index j = 0; j < count; ++j) dx[j] = drive - leak * x[j];
  }
};

// Who has fired is at 0, and is lifted again by pulses of the same instant under the plain rule only.
ResetFunction fire(Index i, const PulseParameters& parameters) {
  return [i, parameters](double, ConstVectorRef before, VectorRef after) {
    for (Index j = 0; j < before.size(); ++j)
      if (!parameters.absorbing || before[j] != 0) after[j] = before[j] + parameters.strength;
    after[i] = 0;
  };
}

Case pulses(const std::string& id, Index count, const PulseParameters& parameters, double end,
            double rtol_from, double condition) {
  std::vector<double> start;
  for (Index j = 1; j <= count; ++j) start.push_back(std::pow(std::sin(static_cast<double>(j)), 2));
  const PulseMotion exact = PulseNetwork(parameters, start).solve(end);
  std::vector<Event> events;
  for (Index i = 0; i < count; ++i) {
    events.push_back({.name = "x" + std::to_string(i + 1),
                      .when = Guard([i](auto, const auto& x) { return x[i] - 1.0; }),
                      .direction = Direction::rising,
                      .action = Action::reset,
                      .reset = fire(i, parameters)});
  }
  Reference reference;
  reference.modes.assign(exact.firings.size() + 1, "");
  reference.kinds.assign(exact.firings.size(), EventKind::reset);
  for (const Firing& firing : exact.firings) reference.times.push_back(static_cast<double>(firing.t));
  for (const long double x : exact.state) reference.final.push_back(static_cast<double>(x));
  return {.id = id,
          .title = std::to_string(count) + " pulse-coupled oscillators fire in avalanches" +
                   (exact.groups == 1 ? ", and end in step" : ""),
          .source = "Mirollo & Strogatz, SIAM J. Appl. Math. 50 (1990); closed form between firings",
          .system = from_functor(Leaky{count, parameters.drive, parameters.leak}, {.states = count})
                        .with_events(events),
          .run = {.start = 0,
                  .end = end,
                  .state = Eigen::Map<const Vector>(start.data(), static_cast<Index>(start.size()))},
          .reference = reference,
          .rtol_from = rtol_from,
          .condition = condition};
}

}  // namespace

std::vector<Case> pulse_cases() {
  return {pulses("pulses20", 20, {.strength = 0.1}, 5, 1e-4, 1),
          // Moved at the start by 100·rtol these keep their avalanches from here on.
          pulses("pulses20_plain", 20, {.strength = 0.02, .absorbing = false}, 5, 1e-8, 100),
          pulses("pulses1000", 1000, {.strength = 0.0012}, 2, 1e-9, 100)};
}

}  // namespace slideway::validation
