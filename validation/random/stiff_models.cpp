// Class `stiff`: a slow system with relays and a fast variable u' = −L (u − a cos(w t)), L about 1e6, written in states in
// which the two are mixed. The slow system does not see the fast one, whose motion is
//     u = a (L² cos(w t) + L w sin(w t)) / (L² + w²)
// where it begins on it; the oracle follows the slow system and knows u.
#include "validation/random/classes.hpp"

namespace slideway::validation::random {

RandomModel stiff_models(Draw& draw) {
  RandomModel slow = linear_relays(draw);
  slow.end = 6;
  const double rate = draw.number(2e5, 2e6);
  const double size = draw.signed_number(0.2, 1);
  const double w = draw.number(0.5, 2);
  const double share = draw.signed_number(0.3, 1);
  const double denominator = rate * rate + w * w;
  const Formula wave = w * time_variable();
  const Formula fast =
      size * (rate * rate / denominator) * cos(wave) + size * (rate * w / denominator) * sin(wave);
  const double fast_at_start = size * (rate * rate / denominator);

  // States of the file: x₁ = y₁ + share·u, the other y as they are, and u.
  RandomModel model = slow;
  const int place = static_cast<int>(slow.states.size());
  const Formula u = state_variable(place);
  model.name = "random-stiff";
  model.stiff = true;
  model.states[0].initial = slow.states[0].initial + share * fast_at_start;
  model.states.push_back({.name = "u", .initial = fast_at_start});
  model = with_formulas(model, [&](const Formula& node) {
    return node.operation() == Operation::state && node.index() == 0 ? state_variable(0) - share * u : node;
  });
  const Formula fast_rate = -rate * (u - size * cos(wave));
  model.derivatives[0] = model.derivatives[0] + share * fast_rate;
  model.derivatives.push_back(fast_rate);

  model.solved = std::make_shared<const RandomModel>(slow);
  for (int j = 0; j < place; ++j) model.in_solved.push_back(state_variable(j));
  model.in_solved[0] = state_variable(0) + share * fast;
  model.in_solved.push_back(fast);
  return model;
}

}  // namespace slideway::validation::random
