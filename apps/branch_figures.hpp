// Pictures of branches and of exponents as figures: what is stable is a solid line, what is not a dashed one, what is virtual a dotted
// one; bifurcations have their names.
//
// It must not know how branches are followed, nor how figures are drawn.
#pragma once

#include <vector>

#include "apps/equilibria_documents.hpp"
#include "apps/lyapunov_documents.hpp"
#include "apps/orbit_documents.hpp"
#include "slideway/diagram/diagram.hpp"
#include "slideway/io/figure.hpp"

namespace slideway::apps {

// For each of the first states its greatest and its least value on the orbit over the parameter; below them the period.
Figure orbit_branch_figure(const ShownBranch& shown);

// Each of the first states of the equilibria over the parameter.
Figure equilibrium_branches_figure(const ShownEquilibriumBranches& shown);

// Curves of bifurcations in the plane of two parameters, with the points of codimension two by their names.
Figure equilibrium_curves_figure(const ShownEquilibriumCurves& shown);
Figure orbit_curves_figure(const ShownOrbitCurves& shown);
// Draws the curves of a diagram over its regions.
void add_curves(const std::vector<DiagramCurve>& curves, FigurePanel& panel);

// The running estimates of the exponents over time.
Figure lyapunov_figure(const ShownExponents& shown);

}  // namespace slideway::apps
