#include "apps/curve_options.hpp"

#include <initializer_list>
#include <optional>

#include "apps/varied_parameter.hpp"
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

// CurveOptions is EquilibriumCurveOptions or OrbitCurveOptions, whose planes are alike.
template <class CurveOptions>
void set_curve_plane(const std::vector<SweepAxis>& axes, const ModelInstance& instance,
                     CurveOptions& options) {
  options.first = span_of(axes[0]);
  options.second = span_of(axes[1]);
  options.begin = begin_of_curves(instance, axes[1]);
  options.most_points = most_points_of(axes[0]) + most_points_of(axes[1]);
}

}  // namespace

EquilibriumCurveOptions equilibrium_curve_options(const std::vector<SweepAxis>& axes,
                                                  const ModelInstance& instance,
                                                  const std::string& bifurcation,
                                                  const EquilibriumOptions& search) {
  EquilibriumCurveOptions options;
  options.equilibria = search;
  options.kind = kind_named(bifurcation, {EquilibriumBifurcation::fold, EquilibriumBifurcation::hopf,
                                          EquilibriumBifurcation::boundary_equilibrium});
  set_curve_plane(axes, instance, options);
  return options;
}

OrbitCurveOptions orbit_curve_options(const std::vector<SweepAxis>& axes, const ModelInstance& instance,
                                      const std::string& bifurcation, const OrbitOptions& search) {
  OrbitCurveOptions options;
  options.orbit = search;
  options.kind = kind_named(
      bifurcation, {Bifurcation::fold, Bifurcation::period_doubling, Bifurcation::torus, Bifurcation::grazing,
                    Bifurcation::grazing_sliding, Bifurcation::crossing_sliding,
                    Bifurcation::switching_sliding, Bifurcation::adding_sliding});
  set_curve_plane(axes, instance, options);
  return options;
}

}  // namespace slideway::apps
