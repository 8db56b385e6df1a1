#include "models/registry.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/belt.hpp"
#include "models/billiard.hpp"
#include "models/block_pile.hpp"
#include "models/bouncing_ball.hpp"
#include "models/cam_follower.hpp"
#include "models/circle.hpp"
#include "models/corner.hpp"
#include "models/dieci_lopez.hpp"
#include "models/dry_friction.hpp"
#include "models/evaporator.hpp"
#include "models/friction_belt.hpp"
#include "models/friction_chain.hpp"
#include "models/heat_rod.hpp"
#include "models/hysteresis_evaporator.hpp"
#include "models/impact_oscillator.hpp"
#include "models/impact_pair.hpp"
#include "models/moving_surface.hpp"
#include "models/relay.hpp"
#include "models/rocking_block.hpp"
#include "models/thermostat.hpp"
#include "models/three_surfaces.hpp"
#include "models/two_relays.hpp"
#include "slideway/core/errors.hpp"

namespace slideway::models {

const std::vector<Model>& catalogue() {
  static const std::vector<Model> models = {
      evaporator(),  dry_friction(),         belt(),           relay(),
      circle(),      moving_surface(),       corner(),         two_relays(),
      dieci_lopez(), three_surfaces(),       friction_chain(), friction_belt(),
      heat_rod(),    bouncing_ball(),        cam_follower(),   impact_oscillator(),
      impact_pair(), block_pile(),           rocking_block(),  billiard(),
      thermostat(),  hysteresis_evaporator()};
  return models;
}

const Model& find_model(const std::string& name) {
  const auto& models = catalogue();
  const auto found =
      std::find_if(models.begin(), models.end(), [&](const Model& model) { return model.name == name; });
  if (found != models.end()) return *found;

  std::vector<std::string> names;
  for (const Model& model : models) names.push_back(model.name);
  const std::string near = nearest_name(name, names);
  refuse({.what = fmt::format("there is no model '{}'", name),
          .where = "catalogue",
          .expected = fmt::format("one of {}", fmt::join(names, ", ")),
          .advice = near.empty() ? "" : fmt::format("did you mean '{}'?", near)});
}

}  // namespace slideway::models
