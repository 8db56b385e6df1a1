#include "manifolds/surface_point.hpp"

#include <optional>
#include <vector>

#include "filippov/relay_structure.hpp"
#include "filippov/surface_geometry.hpp"
#include "slideway/detail/model/evaluator.hpp"

namespace slideway {

void put_on_surfaces(const Automaton& problem, const std::string& location, const Mode& mode, double t,
                     const Vector& sizes, Vector& state) {
  const std::optional<System> system =
      location.empty() ? std::optional<System>(problem.system()) : problem.system_at(location, t, state);
  if (!system) return;
  std::vector<Index> sliding;
  for (Index i = 0; i < system->surfaces() && i < mode.size(); ++i)
    if (mode.slides_on(i)) sliding.push_back(i);
  if (sliding.empty()) return;
  Evaluator evaluator(*system);
  evaluator.set_typical_sizes(sizes);
  const RelayStructure structure(*system);
  SurfaceGeometry(evaluator, structure).project(t, sliding, sizes.cwiseInverse(), state);
}

}  // namespace slideway
