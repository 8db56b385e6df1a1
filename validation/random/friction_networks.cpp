// Class `friction`: blocks between springs, on floors or belts whose friction may hold more at rest than in motion,
// with walls that are hard (a contact) or springs that push from one side only.
#include <fmt/format.h>

#include "validation/random/classes.hpp"

namespace slideway::validation::random {

RandomModel friction_networks(Draw& draw) {
  RandomModel model{.name = "random-friction", .end = 20};
  const int blocks = draw.integer(1, 3);
  for (int i = 0; i < blocks; ++i) {
    model.states.push_back({.name = fmt::format("x{}", i + 1), .initial = draw.number(-0.5, 0.5)});
    model.states.push_back({.name = fmt::format("v{}", i + 1), .initial = draw.number(-1, 1)});
  }
  const auto position = [](int i) { return state_variable(2 * i); };
  const auto velocity = [](int i) { return state_variable(2 * i + 1); };
  for (int i = 0; i < blocks; ++i) {
    Formula force = -draw.number(0.5, 2) * position(i);
    if (i > 0) force = force - draw.number(0.3, 1.5) * (position(i) - position(i - 1));
    if (i + 1 < blocks) force = force - draw.number(0.3, 1.5) * (position(i) - position(i + 1));
    if (draw.chance(0.3)) force = force - draw.number(0.05, 0.3) * velocity(i);
    if (i == 0 || draw.chance(0.5)) {
      force = force + draw.number(0.5, 2) * cos(draw.number(0.4, 2) * time_variable());
    }
    const bool on_belt = draw.chance(0.5);
    const double belt = on_belt ? draw.number(0.1, 0.6) : 0;
    SurfaceEntry surface{.name = fmt::format("s{}", i + 1), .guard = velocity(i) - belt};
    if (draw.chance(0.4)) surface.break_away = draw.number(1.1, 1.9);
    const int relay = static_cast<int>(model.surfaces.size());
    model.surfaces.push_back(surface);
    force = force - draw.number(0.1, 0.7) * sgn(relay);
    const double wall = draw.number(0.6, 1.2);
    if (draw.chance(0.25)) {
      const int kink = static_cast<int>(model.surfaces.size());
      const Formula depth = position(i) - wall;
      model.surfaces.push_back({.name = fmt::format("w{}", i + 1), .guard = depth});
      force = force - draw.number(5, 30) * max(kink, depth, 0.0);
    } else if (draw.chance(0.2)) {
      model.contacts.push_back({.name = fmt::format("wall{}", i + 1),
                                .gap = wall - position(i),
                                .rate = -velocity(i),
                                .acts_on = {{2 * i + 1, -1}},
                                .restitution = draw.number(0.2, 0.8)});
    }
    model.derivatives.push_back(velocity(i));
    model.derivatives.push_back(force);
  }
  return model;
}

}  // namespace slideway::validation::random
