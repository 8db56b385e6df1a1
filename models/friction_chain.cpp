#include "models/friction_chain.hpp"

#include <cmath>

#include <fmt/format.h>

#include "models/values.hpp"
#include "slideway/model/from_functor.hpp"
#include "slideway/model/functor_parameters.hpp"

namespace slideway::models {

namespace {

constexpr Index kLongestChain = 1'000'000;

std::vector<std::string> numbered(const std::string& prefix, Index count) {
  std::vector<std::string> names;
  for (Index i = 1; i <= count; ++i) names.push_back(fmt::format("{}{}", prefix, i));
  return names;
}

std::vector<std::string> chain_states(Index blocks) {
  std::vector<std::string> names = numbered("x", blocks);
  const std::vector<std::string> velocities = numbered("v", blocks);
  names.insert(names.end(), velocities.begin(), velocities.end());
  return names;
}

Vector initial_state(Index blocks) {
  Vector state = Vector::Zero(2 * blocks);
  for (Index i = 0; i < blocks; ++i) {
    const double place = static_cast<double>(i + 1);
    state[i] = 1.5 * std::sin(2.1 * place) + 0.4 * std::cos(0.37 * place);
  }
  return state;
}

}  // namespace

Model friction_chain() {
  Model model;
  model.name = "friction-chain";
  model.summary = "N blocks in a chain stick and slip on a moving belt: as many surfaces as blocks";
  model.source =
      "a chain of blocks on a belt after R. Burridge, L. Knopoff, Bull. Seismol. Soc. Am. 57(3), 1967, with "
      "Coulomb friction and two walls";
  model.equations = {
      "x_i' = v_i",
      "v_i' = k*(x_{i-1} - 2*x_i + x_{i+1}) - kp*x_i - mu*sgn(stick_i),  i = 1...N,  x_0 = x_{N+1} = 0",
      "surface stick_i: v_i - vb",
      "x_i(0) = 1.5*sin(2.1*i) + 0.4*cos(0.37*i),  v_i(0) = 0",
  };
  model.parameters = {
      {"N", 10, "number of blocks"},
      {"k", 1, "spring between neighbours, per unit mass"},
      {"kp", 0.1, "spring that holds each block, per unit mass"},
      {"mu", 0.3, "friction force, per unit mass"},
      {"vb", 0.1, "speed of the belt"},
  };
  model.state_names = chain_states(10);

  model.instantiate = [description = model](const Settings& settings) {
    const Index blocks = Values::count(description, settings, "N", 1, kLongestChain);
    const Values values(description, chain_states(blocks), settings);
    values.require_not_negative("mu", "friction would push the blocks along");
    const FrictionChain functor{
        .blocks = blocks, .k = values["k"], .kp = values["kp"], .mu = values["mu"], .vb = values["vb"]};
    return ModelInstance{.system = from_functor(functor, {.states = 2 * blocks,
                                                          .surfaces = blocks,
                                                          .name = description.name,
                                                          .state_names = chain_states(blocks),
                                                          .surface_names = numbered("stick", blocks)}),
                         .parameters = values.parameters(),
                         .start = 0,
                         .end = 50,
                         .state = values.state(initial_state(blocks))};
  };
  model.extend = extend_functor(model.instantiate, [](const auto& p) {
    return FrictionChainOf<std::decay_t<decltype(p[0])>>{static_cast<Index>(p.value(0)), p[1], p[2], p[3],
                                                         p[4]};
  });
  return model;
}

}  // namespace slideway::models
