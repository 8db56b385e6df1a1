// The system whose field has the forces of closed contacts in it, with the patterns that its Jacobians may count on.
#include <memory>
#include <optional>
#include <utility>

#include "slideway/filippov/contact_dynamics.hpp"
#include "slideway/filippov/contact_patterns.hpp"

namespace slideway {

System with_contact_forces(const System& system, std::shared_ptr<ContactDynamics> dynamics) {
  SystemDefinition definition = system.definition();
  // The derivatives of the forces are left to differences.
  definition.field_dx = {};
  definition.field_dlambda = {};
  definition.field_along = {};
  definition.normal_dx = {};
  definition.field_dx_pattern.reset();
  definition.field_dlambda_pattern.reset();
  if (std::optional<ContactPatterns> patterns = contact_patterns(system)) {
    definition.field_dx_pattern = patterns->field_dx;
    if (definition.surfaces > 0) definition.field_dlambda_pattern = patterns->field_dlambda;
    dynamics->set_patterns(std::move(*patterns));
  }
  definition.relays_additive = false;
  definition.field_affine = false;
  definition.field = [system, dynamics = std::move(dynamics)](double t, ConstVectorRef x,
                                                              ConstVectorRef lambda, VectorRef dx) {
    system.field(t, x, lambda, dx);
    dynamics->add_forces(t, x, lambda, dx);
  };
  return System(std::move(definition));
}

}  // namespace slideway
