#include "slideway/model/observables.hpp"

#include <algorithm>
#include <set>

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

}  // namespace

Observables observables_of(const System& system, const std::vector<std::string>& names,
                           const std::vector<FrictionElement>& friction) {
  // The surfaces, the contacts, the forces of friction.
  std::vector<std::string> known = system.surface_names();
  for (const Contact& contact : system.contacts()) known.push_back(contact.name);
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
  result.evaluate = [system, friction, chosen](double t, ConstVectorRef x, ConstVectorRef lambda,
                                               ConstVectorRef forces, VectorRef values) {
    const Index surfaces = system.surfaces();
    const auto contacts = static_cast<Index>(system.contacts().size());
    Vector h = Vector::Zero(surfaces);
    const auto is_surface = [&](Index place) { return place < surfaces; };
    if (std::any_of(chosen.begin(), chosen.end(), is_surface)) system.guards(t, x, h);
    Index k = 0;
    for (const Index place : chosen) {
      values[k++] = is_surface(place) ? h[place]
                    : place < surfaces + contacts
                        ? forces[place - surfaces]
                        : friction[static_cast<std::size_t>(place - surfaces - contacts)].force(t, x, lambda);
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
