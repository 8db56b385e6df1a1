#include "models/hysteresis_evaporator.hpp"

#include "models/evaporator.hpp"
#include "models/values.hpp"
#include "slideway/model/from_functor.hpp"

namespace slideway::models {

namespace {

// One of the evaporator's two fields.
struct EvaporatorField {
  Evaporator evaporator;
  double side;

  void field(auto t, const auto& x, const auto& /*lambda*/, auto&& dx) const {
    const double lambda[] = {side};
    evaporator.field(t, x, lambda, dx);
  }
};

}  // namespace

Model hysteresis_evaporator() {
  Model model;
  model.name = "hysteresis-evaporator";
  model.summary = "the evaporator's overflow opens and closes with a hysteresis, and chatters";
  model.source =
      "P. J. Mosterman, F. Zhao, G. Biswas, Sliding mode model semantics and simulation for hybrid systems, "
      "Hybrid Systems V, LNCS 1567, 1999, eqs. (1)-(2) and Fig. 12; L_th is not stated there";
  model.equations = {
      "p' = -(R_pipe/I)*p + s*L",
      "L' = (f_in - L/R_b - s*p/I)/C,  s = 0 in location closed, 1 in location open",
      "edge closed -> open: L - (L_th + eps) rising",
      "edge open -> closed: L - (L_th - eps) falling",
  };
  model.parameters = evaporator_parameters();
  model.parameters.push_back({"eps", 0.001, "half the width of the hysteresis band"});
  model.state_names = {"p", "L"};

  model.instantiate = [description = model](const Settings& settings) {
    const Values values(description, settings);
    values.require_positive("eps", "without a band the overflow slides, as in the model evaporator");
    const Evaporator evaporator = evaporator_of(values);
    const auto system = [&](double side) {
      return from_functor(EvaporatorField{evaporator, side},
                          {.states = 2, .name = description.name, .state_names = description.state_names});
    };
    const auto above = [](double level) {
      return Guard([level](auto /*t*/, const auto& x) { return x[1] - level; });
    };
    std::vector<Edge> edges(2);
    edges[0] = {.name = "opens",
                .from = "closed",
                .to = "open",
                .when = above(values["L_th"] + values["eps"]),
                .direction = Direction::rising};
    edges[1] = {.name = "closes",
                .from = "open",
                .to = "closed",
                .when = above(values["L_th"] - values["eps"]),
                .direction = Direction::falling};
    return ModelInstance{
        .system = system(-1),
        .parameters = values.parameters(),
        .start = 0,
        .end = 60,
        .state = values.state(Eigen::Vector2d(0, 0)),
        .automaton = Automaton({{"closed", system(-1)}, {"open", system(1)}}, edges, "closed")};
  };
  return model;
}

}  // namespace slideway::models
