// Class `pulses`: leaky oscillators that fire at a threshold and lift or lower the others (Mirollo and Strogatz); who is
// lifted past the threshold fires in the same instant.
#include <fmt/format.h>

#include "validation/random/classes.hpp"

namespace slideway::validation::random {

RandomModel pulse_networks(Draw& draw) {
  RandomModel model{.name = "random-pulses", .end = 12};
  const int n = draw.integer(2, 5);
  const double leak = draw.number(0.5, 1.5);
  const double strength = draw.number(0.02, 0.3);
  const bool inhibits = draw.chance(0.2);
  for (int j = 0; j < n; ++j) {
    model.states.push_back({.name = fmt::format("x{}", j + 1), .initial = draw.number(0, 0.9)});
    const double drive = rounded(leak * draw.number(1.2, 2.5), 3);
    model.derivatives.push_back(drive - leak * state_variable(j));
  }
  for (int j = 0; j < n; ++j) {
    ResetEntry fires{.name = fmt::format("f{}", j + 1), .guard = state_variable(j) - 1.0};
    fires.set.emplace_back(j, 0.0);
    for (int k = 0; k < n; ++k) {
      if (k == j || draw.chance(0.2)) continue;
      fires.set.emplace_back(k, state_variable(k) + (inhibits ? -strength : strength));
    }
    model.resets.push_back(fires);
  }
  return model;
}

}  // namespace slideway::validation::random
