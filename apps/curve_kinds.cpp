#include "apps/curve_kinds.hpp"

#include <initializer_list>

#include "slideway/core/errors.hpp"

namespace slideway::apps {

namespace {

template <class Kind>
std::optional<Kind> kind_named(const std::string& name, std::initializer_list<Kind> kinds) {
  if (name.empty()) return std::nullopt;
  std::string known;
  for (const Kind kind : kinds) {
    if (name == to_string(kind)) return kind;
    known += (known.empty() ? "" : ", ") + std::string(to_string(kind));
  }
  refuse({.what = "no such bifurcation has curves",
          .where = "bifurcation",
          .expected = "one of " + known,
          .got = "'" + name + "'"});
}

}  // namespace

std::optional<EquilibriumBifurcation> equilibrium_curves_named(const std::string& name) {
  return kind_named(name, {EquilibriumBifurcation::fold, EquilibriumBifurcation::hopf,
                           EquilibriumBifurcation::boundary_equilibrium});
}

std::optional<Bifurcation> orbit_curves_named(const std::string& name) {
  return kind_named(name, {Bifurcation::fold, Bifurcation::period_doubling, Bifurcation::torus,
                           Bifurcation::grazing, Bifurcation::grazing_sliding, Bifurcation::crossing_sliding,
                           Bifurcation::switching_sliding, Bifurcation::adding_sliding});
}

}  // namespace slideway::apps
