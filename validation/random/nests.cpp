// Class `nests`: products of relays, and if, abs, min and max inside each other.
#include <fmt/format.h>

#include "validation/random/classes.hpp"

namespace slideway::validation::random {
namespace {

class Nest {
 public:
  Nest(RandomModel& model, Draw& draw) : model_(model), draw_(draw) {}

  int surface(const Formula& guard) {
    model_.surfaces.push_back({.name = fmt::format("s{}", model_.surfaces.size() + 1), .guard = guard});
    return static_cast<int>(model_.surfaces.size()) - 1;
  }

  Formula plane() {
    Formula out = 0.0;
    for (std::size_t k = 0; k < model_.states.size(); ++k) {
      if (draw_.chance(0.6) || k == 0) {
        out = out + draw_.signed_number(0.2, 1) * state_variable(static_cast<int>(k));
      }
    }
    return out - draw_.number(-0.6, 0.6);
  }

  // Continuous, with kinks.
  Formula bent(int depth) {
    const int kind = depth == 0 ? 0 : draw_.integer(0, 3);
    if (kind == 0) return plane();
    const Formula a = plane();
    const Formula b = depth > 1 && draw_.chance(0.5) ? cos(draw_.number(0.5, 2) * time_variable()) : plane();
    if (kind == 1) return draw_.number(0.3, 1) * abs(surface(a), a);
    const int between = surface(a - b);
    return kind == 2 ? max(between, a, b) : min(between, a, b);
  }

  // With a jump; what is inside the branches may jump too.
  Formula jumping(int depth, const std::vector<int>& relays) {
    const int relay = relays[static_cast<std::size_t>(draw_.integer(0, static_cast<int>(relays.size()) - 1))];
    std::vector<int> others;
    for (const int other : relays) {
      if (other != relay) others.push_back(other);
    }
    const bool goes_on = depth > 0 && !others.empty();
    const Formula first =
        goes_on && draw_.chance(0.6) ? jumping(depth - 1, others) : Formula(draw_.number(-1.5, 0.3));
    const Formula second =
        goes_on && draw_.chance(0.3) ? jumping(depth - 1, others) : Formula(draw_.number(-0.3, 1.5));
    if (draw_.chance(0.4) && goes_on) return draw_.number(-1, -0.2) * sgn(relay) * jumping(depth - 1, others);
    return choose(relay, first, second);
  }

 private:
  RandomModel& model_;
  Draw& draw_;
};

}  // namespace

RandomModel nests(Draw& draw) {
  RandomModel model{.name = "random-nests", .end = 15};
  const int n = draw.integer(2, 3);
  for (int j = 0; j < n; ++j) {
    model.states.push_back({.name = fmt::format("x{}", j + 1), .initial = draw.number(-1.5, 1.5)});
  }
  Nest nest(model, draw);
  std::vector<int> relays;
  const int m = draw.integer(1, 3);
  relays.reserve(static_cast<std::size_t>(m));
  for (int i = 0; i < m; ++i) relays.push_back(nest.surface(nest.plane()));
  for (int j = 0; j < n; ++j) {
    Formula row = -draw.number(0.8, 2) * state_variable(j);
    if (draw.chance(0.7)) row = row + nest.jumping(2, relays);
    if (draw.chance(0.5) && model.surfaces.size() < 6) row = row + 0.5 * nest.bent(2);
    row = row + draw.number(0.2, 1.5) * sin(draw.number(0.5, 2.5) * time_variable());
    model.derivatives.push_back(row);
  }
  return model;
}

}  // namespace slideway::validation::random
