// Class `exits`: x' = −a x + if(s₁ > 0, −b, c cos(w t)), y' = −e sgn(y), s₁ = x + 0.3 y − p, and the same with a third
// surface z = 0: sliding on all of them ends where the field above s₁ no longer points to it.
#include "validation/random/classes.hpp"

namespace slideway::validation::random {

RandomModel sliding_exits(Draw& draw) {
  RandomModel model{.name = "random-exits", .end = 20};
  const bool is_three = draw.chance(0.5);
  const double a = draw.number(0.1, 0.5);
  const double p = draw.number(0.1, 0.4);
  const double b = draw.number(0.02, 1);
  const double c = draw.number(0.8, 2);
  const double w = draw.number(0.7, 4);
  const double e = draw.number(0.5, 4);
  model.states = {{.name = "x"}, {.name = "y"}};
  Formula s1 = state_variable(0) + 0.3 * state_variable(1);
  if (is_three) {
    model.states.push_back({.name = "z"});
    s1 = s1 + draw.signed_number(0.1, 0.4) * state_variable(2);
  }
  model.surfaces = {{.name = "s1", .guard = s1 - p}, {.name = "s2", .guard = state_variable(1)}};
  Formula y = -e * sgn(1);
  model.derivatives = {-a * state_variable(0) + choose(0, -b, c * cos(w * time_variable())), y};
  if (is_three) {
    model.surfaces.push_back({.name = "s3", .guard = state_variable(2)});
    Formula z = -draw.number(0.5, 4) * sgn(2);
    if (draw.chance(0.5)) z = z + 0.2 * sgn(1);
    if (draw.chance(0.5)) z = z + 0.2 * sgn(0);
    model.derivatives.push_back(z);
  }
  return model;
}

}  // namespace slideway::validation::random
