#include "slideway/model/observables.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "slideway/core/errors.hpp"
#include "slideway/model/model.hpp"

namespace slideway {

namespace {

constexpr std::size_t most_known = 20;

std::string place_name(const System& system) {
  return "the observables of " + (system.name().empty() ? std::string("the system") : system.name());
}

std::string first_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t k = 0; k < std::min(names.size(), most_known); ++k) text += (k > 0 ? ", " : "") + names[k];
  return names.size() > most_known ? text + ", …" : text;
}

// The forces of friction of contacts by their names, with their places among the forces.
std::vector<std::pair<std::string, Index>> friction_of_contacts(const System& system) {
  std::vector<std::pair<std::string, Index>> made;
  const auto count = static_cast<Index>(system.contacts().size());
  const auto add = [&](const std::string& name, const std::string& otherwise, Index place) {
    made.emplace_back(name.empty() ? otherwise : name, place);
  };
  for (Index c = 0; c < count; ++c) {
    const Contact& contact = system.contacts()[static_cast<std::size_t>(c)];
    if (contact.friction) add(contact.friction->name, "friction of " + contact.name, count + c);
    for (std::size_t k = 0; contact.cone && k < 2; ++k)
      add(contact.cone->names[k], "friction " + std::to_string(k + 1) + " of " + contact.name,
          static_cast<Index>(k + 1) * count + c);
  }
  return made;
}

}  // namespace

Observables observables_of(const System& system, const std::vector<std::string>& names,
                           const std::vector<FrictionElement>& friction) {
  // The surfaces, the contacts and their friction, the forces of friction elements.
  std::vector<std::string> known = system.surface_names();
  for (const Contact& contact : system.contacts()) known.push_back(contact.name);
  std::vector<Index> force_places;
  for (Index c = 0; c < static_cast<Index>(system.contacts().size()); ++c) force_places.push_back(c);
  for (const auto& [name, place] : friction_of_contacts(system)) {
    known.push_back(name);
    force_places.push_back(place);
  }
  for (const FrictionElement& element : friction) known.push_back(element.name);
  std::vector<Index> chosen;
  for (const std::string& name : names) {
    const auto found = std::find(known.begin(), known.end(), name);
    if (found == known.end()) {
      const std::string near = nearest_name(name, known);
      refuse({.what = "nothing of this name can be observed",
              .where = place_name(system),
              .expected = known.empty()
                              ? "a model with a surface, a contact or friction, or a model file, where "
                                "definitions and expressions are observed, too"
                              : first_of(known),
              .got = "'" + name + "'",
              .advice = !near.empty()   ? "did you mean '" + near + "'?"
                        : known.empty() ? ""
                                        : "expressions and definitions are observed of model files"});
    }
    chosen.push_back(found - known.begin());
  }
  Observables result;
  result.names = names;
  result.evaluate = [system, friction, chosen, force_places](double t, ConstVectorRef x,
                                                             ConstVectorRef lambda, ConstVectorRef forces,
                                                             VectorRef values) {
    const Index surfaces = system.surfaces();
    const auto count = static_cast<Index>(force_places.size());
    Vector h = Vector::Zero(surfaces);
    const auto is_surface = [&](Index place) { return place < surfaces; };
    if (std::any_of(chosen.begin(), chosen.end(), is_surface)) system.guards(t, x, h);
    Index k = 0;
    for (const Index place : chosen) {
      values[k++] = is_surface(place) ? h[place]
                    : place < surfaces + count
                        ? forces[force_places[static_cast<std::size_t>(place - surfaces)]]
                        : friction[static_cast<std::size_t>(place - surfaces - count)].force(t, x, lambda);
    }
  };
  return result;
}

void check_observable_names(const System& system, const std::vector<std::string>& names) {
  std::set<std::string> taken(system.state_names().begin(), system.state_names().end());
  taken.insert({"t", "mode", "location"});
  for (const std::string& name : names) {
    if (taken.insert(name).second) continue;
    refuse({.what = "an observable whose name is taken",
            .where = place_name(system),
            .expected = "a name that no state and no other observable has, nor t, mode and location",
            .got = "'" + name + "'",
            .advice = "states are there anyway"});
  }
}

}  // namespace slideway
