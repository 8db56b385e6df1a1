// Expander: contacts, their friction, and observables.
#include "model_file/expander.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/number_text.hpp"
#include "model_file/lowering_friction.hpp"

namespace slideway::reader {

void Expander::build_observables() {
  builder_.observe_forces(static_cast<std::uint32_t>(expanded_.initial.size()), first_contact_);
  for (const ObservableDescription& wanted : model_.observables) {
    if (wanted.contact) {
      const std::size_t first = first_contact_[*wanted.contact];
      const std::size_t end = first_contact_[*wanted.contact + 1];
      const std::size_t begin = wanted.contact_element > 0 ? first + wanted.contact_element - 1 : first;
      if (begin >= end)
        mistakes_.push_back({{},
                             1,
                             "a contact that does not exist in " + wanted.value.owner,
                             "at most " + std::to_string(end - first) + " of them",
                             in_quotes(wanted.name),
                             ""});
      for (std::size_t k = begin; k < (wanted.contact_element > 0 ? std::min(begin + 1, end) : end); ++k)
        expanded_.observables.push_back({observed_force(wanted, k, end - first), 0, k, wanted.friction});
    } else if (wanted.whole_vector) {
      for (std::uint32_t i = 1; i <= builder_.elements_of(wanted.value); ++i)
        if (!succeeds([&] {
              expanded_.observables.push_back(
                  {wanted.name + std::to_string(i), builder_.observed_element(wanted.value, i), {}});
            }))
          break;
    } else {
      ExpandedObservable made{wanted.name, 0, {}};
      build_formula(wanted.value, Jumps::observed, 0, made.value);
      expanded_.observables.push_back(std::move(made));
    }
  }
}

std::string Expander::observed_force(const ObservableDescription& wanted, std::size_t k,
                                     std::size_t count) const {
  const ContactDescription& contact = model_.contacts[*wanted.contact];
  if (!wanted.friction) return expanded_.contacts[k].name;
  const std::size_t number = k - first_contact_[*wanted.contact] + 1;
  return contact.friction->names[static_cast<std::size_t>(wanted.friction) - 1] +
         (contact.size && count > 0 ? std::to_string(number) : "");
}

void Expander::build_contacts() {
  for (const ContactDescription& contact : model_.contacts) {
    first_contact_.push_back(expanded_.contacts.size());
    for_every(contact, [&](std::uint32_t i, const std::string& name) {
      ExpandedContact made;
      made.name = name;
      succeeds([&] {
        made.gap = builder_.build(contact.gap, Jumps::refused_in_gap, i);
        check_is_met(made.gap, contact.gap, "contact", name, "a gap");
      });
      made.acts_on = build_assignments(contact.acts_on, Jumps::refused_in_force, i);
      if (mistakes_.empty()) divide_by_mass(made.acts_on);
      build_formula(contact.restitution, Jumps::values, i, made.restitution);
      check_restitution(contact, made.restitution);
      made.impact_law = contact.impact_law;
      if (contact.friction) made.impact_friction = contact.friction->in_impact;
      if (contact.friction && mistakes_.empty())
        succeeds([&] {
          if (contact.friction->is_in_plane())
            made.cone = contact_cone(*contact.friction, i);
          else
            made.friction = contact_friction(*contact.friction, i, name);
        });
      expanded_.contacts.push_back(std::move(made));
    });
  }
  first_contact_.push_back(expanded_.contacts.size());
}

ExpandedContactFriction Expander::contact_friction(const ContactFrictionDescription& friction,
                                                   std::uint32_t i, const std::string& name) {
  ExpandedContactFriction made;
  made.coefficient = builder_.build(friction.coefficient, Jumps::refused_in_force, i);
  check_coefficient(friction.coefficient, made.coefficient, 0);
  const Formula& formula = friction.velocities.front();
  const NodeId velocity = builder_.build(formula, Jumps::refused_in_force, i);
  if (is_never_met(velocity, formula, "the velocity of a friction", "a velocity")) throw Unbuildable{};
  const SurfaceSide side = surfaces_.find_or_add(velocity, {formula.position, 0, i}, [&] {
    return name.empty() ? builder_.text(formula, i) : "slip of " + name;
  });
  made.surface = side.surface;
  made.sign = side.sign;
  if (friction.at_rest) {
    const NodeId at_rest = builder_.build(*friction.at_rest, Jumps::refused_in_ratio, i);
    const NodeId ratio = expanded_.graph.divide(at_rest, made.coefficient);
    set_break_away(surfaces_, expanded_.graph, side, {ratio, ratio}, *friction.at_rest,
                   name.empty() ? "a contact" : name, mistakes_);
  }
  made.acts_on = build_assignments(friction.acts_on.front(), Jumps::refused_in_force, i);
  if (mistakes_.empty()) divide_by_mass(made.acts_on);
  return made;
}

ExpandedCone Expander::contact_cone(const ContactFrictionDescription& friction, std::uint32_t i) {
  ExpandedCone made;
  made.coefficient = builder_.build(friction.coefficient, Jumps::refused_in_force, i);
  check_coefficient(friction.coefficient, made.coefficient, 0);
  if (friction.at_rest) {
    const NodeId at_rest = builder_.build(*friction.at_rest, Jumps::refused_in_ratio, i);
    made.ratio = expanded_.graph.divide(at_rest, made.coefficient);
    if (expanded_.graph.is_constant(*made.ratio) && !(expanded_.graph.value(*made.ratio) >= 1)) {
      mistakes_.push_back({friction.at_rest->position, 1, friction.at_rest->owner + " is out of range",
                           "a number >= mu", exact_text(expanded_.graph.value(at_rest)), ""});
      throw Unbuildable{};
    }
  }
  for (std::size_t part = 0; part < 2; ++part) {
    const Formula& formula = friction.velocities[part];
    made.velocities[part] = builder_.build(formula, Jumps::refused_in_force, i);
    if (is_never_met(made.velocities[part], formula, "the velocity of a friction", "a velocity"))
      throw Unbuildable{};
    made.acts_on[part] = build_assignments(friction.acts_on[part], Jumps::refused_in_force, i);
    if (mistakes_.empty()) divide_by_mass(made.acts_on[part]);
  }
  return made;
}

void Expander::check_coefficient(const Formula& formula, NodeId node, double least) {
  if (!expanded_.graph.is_constant(node)) return;
  const double value = expanded_.graph.value(node);
  if (value >= least && std::isfinite(value)) return;
  mistakes_.push_back(
      {formula.position, 1, formula.owner + " is out of range", "a number >= 0", exact_text(value), ""});
  throw Unbuildable{};
}

void Expander::check_restitution(const ContactDescription& contact, NodeId restitution) {
  if (contact.restitution.empty() || !expanded_.graph.is_constant(restitution)) return;
  const double value = expanded_.graph.value(restitution);
  if (value >= 0 && value <= 1) return;
  mistakes_.push_back({contact.restitution.position, 1, contact.restitution.owner + " is out of range",
                       "a number from 0 (no bounce) to 1 (no loss)", exact_text(value), ""});
}

}  // namespace slideway::reader
