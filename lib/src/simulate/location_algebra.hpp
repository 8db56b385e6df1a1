// The algebra at a point of one location, or of two that a solution slides between: the system with the forces of its closed contacts,
// its evaluator and the geometry of its surfaces.
//
// It must not know the mode of a solution, nor how it is integrated.
#pragma once

#include <memory>

#include "filippov/contact_dynamics.hpp"
#include "filippov/relay_structure.hpp"
#include "filippov/surface_geometry.hpp"
#include "slideway/detail/model/evaluator.hpp"
#include "slideway/model/system.hpp"

namespace slideway {

struct LocationAlgebra {
  // `structure` is that of `plain_system`; it is found where it is null, or where contacts make another system of it.
  // The field has the forces of the contacts that are closed in `contact_modes`, which must outlive this.
  LocationAlgebra(System plain_system, std::shared_ptr<const RelayStructure> structure,
                  const ContactModes& contact_modes);

  System plain;                               // without the forces of contacts
  std::shared_ptr<ContactDynamics> contacts;  // null without contacts
  ContactsInForce in_force;
  System system;  // the forces of closed contacts are part of its field
  std::shared_ptr<const RelayStructure> structure;
  Evaluator evaluator;
  SurfaceGeometry geometry;
};

}  // namespace slideway
