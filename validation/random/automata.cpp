// Class `automata`: locations in a ring with their own linear fields, edges on levels and clocks, resets, and transitions
// that find the next edge already beyond its guard.
#include <fmt/format.h>

#include "validation/random/classes.hpp"

namespace slideway::validation::random {

RandomModel automata(Draw& draw) {
  RandomModel model{.name = "random-automata", .end = 20};
  model.states = {{.name = "x", .initial = draw.number(-0.5, 0.5)},
                  {.name = "y", .initial = draw.number(-1, 1)},
                  {.name = "c"}};
  const Formula x = state_variable(0);
  const Formula y = state_variable(1);
  const Formula c = state_variable(2);
  const bool has_relay = draw.chance(0.5);
  Formula y_rate = -draw.number(0.3, 1.5) * y + draw.number(-1, 1) * x +
                   draw.number(0.2, 1) * cos(draw.number(0.5, 2) * time_variable());
  if (has_relay) {
    model.surfaces.push_back({.name = "s1", .guard = y - draw.number(-0.5, 0.5)});
    y_rate = y_rate - draw.number(0.2, 1.2) * sgn(0);
  }
  model.derivatives = {-x, y_rate, 1.0};
  const int count = draw.integer(2, 3);
  for (int k = 0; k < count; ++k) {
    LocationEntry location{.name = fmt::format("l{}", k + 1)};
    const double target = k % 2 == 0 ? draw.number(1.2, 3) : draw.number(-3, -1.2);
    location.derivatives.emplace_back(0, draw.number(0.3, 1.5) * (target - x) + draw.number(-0.2, 0.2) * y);
    model.locations.push_back(location);
  }
  for (int k = 0; k < count; ++k) {
    const int next = (k + 1) % count;
    ResetEntry edge{.name = fmt::format("e{}", k + 1), .from = k, .to = next};
    const bool is_clock = count == 3 && k == 2;
    if (is_clock) {
      edge.guard = c - draw.number(0.2, 3);
      edge.direction = 1;
    } else {
      edge.guard = x - (k % 2 == 0 ? draw.number(0.3, 1) : draw.number(-1, -0.3));
      edge.direction = k % 2 == 0 ? 1 : -1;
    }
    edge.set.emplace_back(2, 0.0);
    if (draw.chance(0.4)) edge.set.emplace_back(1, draw.number(-0.9, 0.9) * y + draw.number(-0.5, 0.5));
    // So far that the next edge may be beyond its guard at once.
    if (draw.chance(0.25)) edge.set.emplace_back(0, x + draw.number(-2.5, 2.5));
    model.resets.push_back(edge);
  }
  return model;
}

}  // namespace slideway::validation::random
