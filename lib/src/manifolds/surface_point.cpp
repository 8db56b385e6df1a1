#include "manifolds/surface_point.hpp"

#include <optional>
#include <vector>

#include "core/factorise.hpp"
#include "slideway/detail/model/evaluator.hpp"

namespace slideway {

namespace {

constexpr int kProjectionSteps = 5;  // from a millionth of the sizes: Newton's method doubles the digits

}  // namespace

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
  Vector guards(system->surfaces()), gradient(state.size());
  for (int step = 0; step < kProjectionSteps; ++step) {
    evaluator.guards(t, state, guards);
    Matrix gradients(static_cast<Index>(sliding.size()), state.size());
    Vector values(gradients.rows());
    for (Index k = 0; k < gradients.rows(); ++k) {
      const Index surface = sliding[static_cast<std::size_t>(k)];
      gradient.setZero();
      evaluator.guard_gradient(t, state, surface, gradient);
      gradients.row(k) = gradient.cwiseProduct(sizes).transpose();
      values[k] = guards[surface];
    }
    const Vector moved = gradients.completeOrthogonalDecomposition().solve(values);
    state -= moved.cwiseProduct(sizes);
  }
}

}  // namespace slideway
