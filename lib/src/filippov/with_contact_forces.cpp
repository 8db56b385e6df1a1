// The system whose field has the forces of closed contacts in it, with the patterns that its Jacobians may count on.
#include <memory>
#include <optional>
#include <utility>

#include "filippov/contact_dynamics.hpp"
#include "filippov/contact_patterns.hpp"

namespace slideway {

System with_contact_forces(const System& system, const ContactsInForce& contacts) {
  SystemDefinition definition = system.definition();
  // Derivatives of the forces are had along a direction, where the field tells its own.
  definition.field_dx = {};
  definition.field_dlambda = {};
  if (definition.field_along) {
    definition.field_along = [system, contacts](double t, ConstVectorRef x, ConstVectorRef lambda,
                                                double t_dot, ConstVectorRef x_dot, ConstVectorRef lambda_dot,
                                                VectorRef dx, VectorRef dx_dot) {
      system.definition().field_along(t, x, lambda, t_dot, x_dot, lambda_dot, dx, dx_dot);
      contacts->add_forces_along(t, x, lambda, *contacts.modes, *contacts.terms, t_dot, x_dot, lambda_dot, dx,
                                 dx_dot);
    };
  }
  definition.normal_dx = {};
  definition.field_mixed = {};
  definition.field_dx_pattern.reset();
  definition.field_dlambda_pattern.reset();
  if (std::optional<ContactPatterns> patterns = contact_patterns(system)) {
    definition.field_dx_pattern = patterns->field_dx;
    if (definition.surfaces > 0) definition.field_dlambda_pattern = patterns->field_dlambda;
    contacts->set_patterns(std::move(*patterns));
  }
  definition.relays_additive = false;
  definition.field_affine = false;
  definition.field = [system, contacts](double t, ConstVectorRef x, ConstVectorRef lambda, VectorRef dx) {
    system.field(t, x, lambda, dx);
    contacts->add_forces(t, x, lambda, *contacts.modes, *contacts.terms, dx);
  };
  return System(std::move(definition));
}

}  // namespace slideway
