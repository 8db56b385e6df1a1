// Class `zeno`: infinitely many bounces or turns end at a time, away from zero: a ball on a table as a contact, as plain
// resets and as an edge, and relays that spiral into a point. A state of its own goes on beside.
#include <algorithm>

#include "validation/random/classes.hpp"

namespace slideway::validation::random {
namespace {

void add_bystander(RandomModel& model, Draw& draw) {
  const int place = static_cast<int>(model.states.size());
  model.states.push_back({.name = "z", .initial = draw.number(-1, 1)});
  model.derivatives.push_back(-draw.number(0.2, 1) * state_variable(place) +
                              cos(draw.number(0.5, 2) * time_variable()));
}

// A ball falls from a height on a table.
void add_ball(RandomModel& model, Draw& draw, double table) {
  const double drop = draw.number(0.3, 2);
  model.states.push_back({.name = "x", .initial = rounded(table + drop, 7), .scale = std::max(1.0, table)});
  model.states.push_back({.name = "v", .initial = draw.number(-1, 1)});
  model.derivatives = {state_variable(1), -draw.number(1, 10)};
}

double drawn_table(Draw& draw) {
  constexpr double tables[] = {0, 1, 10, 100};
  return draw.chance(0.5) ? draw.number(0.5, 5) : tables[draw.integer(0, 3)];
}

void add_spiral(RandomModel& model, Draw& draw) {
  const double a = draw.number(0.08, 0.6);
  const double size = draw.number(0.5, 2);
  const double p = draw.number(-2, 2);
  const double q = draw.number(-2, 2);
  const double turn = draw.chance(0.5) ? 1 : -1;
  model.states = {{.name = "x", .initial = rounded(p + draw.signed_number(0.2, 1), 4)},
                  {.name = "y", .initial = rounded(q + draw.signed_number(0.2, 1), 4)}};
  model.surfaces = {{.name = "s1", .guard = state_variable(0) - p},
                    {.name = "s2", .guard = state_variable(1) - q}};
  model.derivatives = {rounded(-turn * size, 3) * sgn(1) - rounded(a * size, 3) * sgn(0),
                       rounded(turn * size, 3) * sgn(0) - rounded(a * size, 3) * sgn(1)};
  if (draw.chance(0.5)) {
    model.derivatives[0] = model.derivatives[0] + 0.05 * cos(draw.number(0.5, 2) * time_variable());
  }
}

}  // namespace

RandomModel accumulations(Draw& draw) {
  RandomModel model{.name = "random-zeno", .end = 15};
  const int kind = draw.integer(0, 3);
  const double restitution = draw.number(0.1, 0.8);
  if (kind == 3) {
    add_spiral(model, draw);
  } else {
    const double table = drawn_table(draw);
    add_ball(model, draw, table);
    const Formula gap = state_variable(0) - table;
    const Formula bounced = -restitution * state_variable(1);
    if (kind == 0) {
      model.contacts = {{.name = "table",
                         .gap = gap,
                         .rate = state_variable(1),
                         .acts_on = {{1, 1}},
                         .restitution = restitution}};
    } else if (kind == 1) {
      model.resets = {{.name = "bounce", .guard = gap, .direction = -1, .set = {{1, bounced}}}};
    } else {
      model.locations = {{.name = "flight"}, {.name = "rest", .derivatives = {{0, 0.0}, {1, 0.0}}}};
      model.resets = {{.name = "bounce",
                       .guard = gap,
                       .direction = -1,
                       .set = {{1, bounced}},
                       .from = 0,
                       .to = 0,
                       .zeno = 1}};
    }
  }
  add_bystander(model, draw);
  return model;
}

}  // namespace slideway::validation::random
