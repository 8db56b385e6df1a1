#include "slideway/filippov/met_surfaces.hpp"

#include <cmath>

#include "filippov/generic_relays.hpp"
#include "filippov/point_classifier.hpp"

namespace slideway {

std::vector<MetSurface> met_surfaces(const System& system, double t, ConstVectorRef x, const Mode& mode,
                                     ConstVectorRef weights, double rtol, std::size_t most) {
  Evaluator evaluator(system);
  const RelayStructure structure(system);
  SurfaceGeometry geometry(evaluator, structure);
  PointClassifier classifier(evaluator, structure, rtol);
  Vector h(system.surfaces()), lambda(system.surfaces());
  system.guards(t, x, h);
  for (Index i = 0; i < lambda.size(); ++i) lambda[i] = generic_relay(i);
  mode.first(lambda.size()).fill_lambda(lambda);
  std::vector<MetSurface> met;
  for (Index i = 0; i < h.size() && met.size() < most; ++i) {
    if (!(std::abs(h[i]) <= geometry.rounding(t, x, i))) continue;
    const ClassifiedPoint point = classifier.classify_at(t, x, lambda, {.surface = i}, nullptr, weights);
    met.push_back({i, point.w_minus, point.w_plus, point.point.kind});
  }
  return met;
}

}  // namespace slideway
