// Class `contacts`: balls above floors that move, alone or one above the other, and a mass on a spring before a wall.
#include <fmt/format.h>

#include "validation/random/classes.hpp"

namespace slideway::validation::random {
namespace {

void add_ball(RandomModel& model, Draw& draw, int number) {
  const int place = static_cast<int>(model.states.size());
  const Formula x = state_variable(place);
  const Formula v = state_variable(place + 1);
  const double height = draw.number(-1, 1);
  model.states.push_back(
      {.name = fmt::format("x{}", number), .initial = rounded(height + draw.number(0.8, 2), 4)});
  model.states.push_back({.name = fmt::format("v{}", number), .initial = draw.number(-1, 1)});
  const double size = draw.number(0.02, 0.5);
  const double frequency = draw.number(0.5, 4);
  Formula force = -draw.number(0.5, 5);
  if (draw.chance(0.4)) force = force - draw.number(0.05, 0.5) * v;
  if (draw.chance(0.3)) force = force - draw.number(0.5, 3) * x;
  model.derivatives.push_back(v);
  model.derivatives.push_back(force);
  const double restitution = draw.chance(0.3) ? 0 : draw.number(0.1, 0.8);
  model.contacts.push_back({.name = fmt::format("floor{}", number),
                            .gap = x - (height + size * sin(frequency * time_variable())),
                            .rate = v - size * (frequency * cos(frequency * time_variable())),
                            .acts_on = {{place + 1, 1}},
                            .restitution = restitution});
}

}  // namespace

RandomModel moving_floors(Draw& draw) {
  RandomModel model{.name = "random-contacts", .end = 12};
  const int balls = draw.integer(1, 2);
  for (int number = 1; number <= balls; ++number) add_ball(model, draw, number);
  if (balls == 1 && draw.chance(0.15)) {
    // A second ball above the first.
    const double mass = draw.number(0.2, 2);
    const int place = static_cast<int>(model.states.size());
    const Formula x = state_variable(place);
    const Formula v = state_variable(place + 1);
    model.states.push_back(
        {.name = "x2", .initial = rounded(model.states[0].initial + draw.number(0.5, 2), 4)});
    model.states.push_back({.name = "v2", .initial = draw.number(-1, 0.5)});
    model.derivatives.push_back(v);
    model.derivatives.push_back(-draw.number(0.5, 5) - draw.number(0, 0.3) * v);
    model.contacts.push_back({.name = "between",
                              .gap = x - state_variable(0),
                              .rate = v - state_variable(1),
                              .acts_on = {{place + 1, 1}, {1, -mass}},
                              .restitution = draw.number(0.1, 0.7)});
  }
  return model;
}

}  // namespace slideway::validation::random
