#include "simulate/location_algebra.hpp"

#include <utility>

namespace slideway {

namespace {

ContactsInForce those_in_force(const std::shared_ptr<ContactDynamics>& contacts, const ContactModes& modes) {
  if (!contacts) return {};
  return {contacts, &modes, std::make_shared<ForceTerms>()};
}

std::shared_ptr<const RelayStructure> structure_of(const System& system, bool has_contacts,
                                                   std::shared_ptr<const RelayStructure> of_plain) {
  return has_contacts || !of_plain ? std::make_shared<const RelayStructure>(system) : std::move(of_plain);
}

}  // namespace

LocationAlgebra::LocationAlgebra(System plain_system, std::shared_ptr<const RelayStructure> of_plain,
                                 const ContactModes& contact_modes)
    : plain(std::move(plain_system)),
      contacts(plain.contacts().empty() ? nullptr : std::make_shared<ContactDynamics>(plain)),
      in_force(those_in_force(contacts, contact_modes)),
      system(contacts ? with_contact_forces(plain, in_force) : plain),
      structure(structure_of(system, contacts != nullptr, std::move(of_plain))),
      evaluator(system),
      geometry(evaluator, *structure) {}

}  // namespace slideway
