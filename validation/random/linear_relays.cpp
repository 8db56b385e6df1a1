// Class `linear`: x' = A x + Σ bᵢ sgn(sᵢ) + f cos(w t), with one to four planes sᵢ that may move.
#include <fmt/format.h>

#include "validation/random/classes.hpp"

namespace slideway::validation::random {

RandomModel linear_relays(Draw& draw) {
  RandomModel model{.name = "random-linear", .end = 20};
  const int n = draw.integer(1, 4);
  const int m = draw.integer(1, 4);
  for (int j = 0; j < n; ++j) {
    model.states.push_back({.name = fmt::format("x{}", j + 1), .initial = draw.number(-2, 2)});
  }
  std::vector<Formula> rows(static_cast<std::size_t>(n), Formula(0.0));
  for (int j = 0; j < n; ++j) {
    Formula& row = rows[static_cast<std::size_t>(j)];
    for (int k = 0; k < n; ++k) {
      if (j == k) {
        row = row + draw.number(-1.5, 0.1) * state_variable(k);
      } else if (draw.chance(0.6)) {
        row = row + draw.number(-1.2, 1.2) * state_variable(k);
      }
    }
    if (draw.chance(0.5)) row = row + draw.number(-1.5, 1.5) * cos(draw.number(0.5, 3) * time_variable());
  }
  for (int i = 0; i < m; ++i) {
    Formula guard = 0.0;
    std::vector<double> normal;
    for (int k = 0; k < n; ++k) {
      normal.push_back(draw.chance(0.7) || k == i % n ? draw.signed_number(0.2, 1) : 0);
      guard = guard + normal.back() * state_variable(k);
    }
    guard = guard - draw.number(-0.8, 0.8);
    if (draw.chance(0.3)) guard = guard + draw.number(0.1, 0.5) * sin(draw.number(0.3, 2) * time_variable());
    model.surfaces.push_back({.name = fmt::format("s{}", i + 1), .guard = guard});
    // Most relays push towards their surface.
    const double sense = draw.chance(0.85) ? -1 : 1;
    for (int k = 0; k < n; ++k) {
      const double along = normal[static_cast<std::size_t>(k)];
      if (k != i % n && !draw.chance(0.25)) continue;
      const double strength = rounded(draw.number(0.2, 2) * sense * (along < 0 ? -1 : 1), 3);
      Formula& row = rows[static_cast<std::size_t>(k)];
      if (draw.chance(0.4)) {
        row = row + choose(i, Formula(strength), Formula(rounded(-strength * draw.number(0.3, 1.2), 3)));
      } else {
        row = row + strength * sgn(i);
      }
    }
  }
  model.derivatives = rows;
  return model;
}

}  // namespace slideway::validation::random
