#include "models/thermostat.hpp"

#include "models/values.hpp"
#include "slideway/model/from_functor.hpp"

namespace slideway::models {

Model thermostat() {
  Model model;
  model.name = "thermostat";
  model.summary = "a thermostat with hysteresis switches a heating on and off";
  model.source =
      "M. Calvo, J. I. Montijano, L. Randez, DISODE45, ACM Trans. Math. Softw. 43(3), 2016: manual, example "
      "6";
  model.equations = {
      "T' = -a*(T - T_out) + heat   in location on",
      "T' = -a*(T - T_out)          in location off",
      "edge on -> off: T - T_high rising",
      "edge off -> on: T - T_low falling",
  };
  model.parameters = {
      {"a", 0.1, "cooling rate of the room"},
      {"T_out", 18, "temperature outside"},
      {"heat", 2, "heating, in degrees per unit of time"},
      {"T_low", 22, "the heating goes on below this"},
      {"T_high", 23.5, "and off above this"},
  };
  model.state_names = {"T"};

  model.instantiate = [description = model](const Settings& settings) {
    const Values values(description, settings);
    const Dimensions dimensions{
        .states = 1, .name = description.name, .state_names = description.state_names};
    const System on =
        from_functor(Room{.a = values["a"], .T_out = values["T_out"], .heat = values["heat"]}, dimensions);
    const System off = from_functor(Room{.a = values["a"], .T_out = values["T_out"], .heat = 0}, dimensions);
    const auto above = [](double level) {
      return Guard([level](auto /*t*/, const auto& x) { return x[0] - level; });
    };
    std::vector<Edge> edges(2);
    edges[0] = {.name = "off",
                .from = "on",
                .to = "off",
                .when = above(values["T_high"]),
                .direction = Direction::rising};
    edges[1] = {.name = "on",
                .from = "off",
                .to = "on",
                .when = above(values["T_low"]),
                .direction = Direction::falling};
    return ModelInstance{.system = on,
                         .parameters = values.parameters(),
                         .start = 0,
                         .end = 20,
                         .state = values.state(Vector::Constant(1, 15)),
                         .automaton = Automaton({{"on", on}, {"off", off}}, edges, "on")};
  };
  return model;
}

}  // namespace slideway::models
