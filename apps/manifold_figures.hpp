// Pictures of manifolds as figures: stable ones are blue, unstable ones red, fans thin; what slides is a thick line.
//
// It must not know how manifolds are followed, nor how figures are drawn.
#pragma once

#include <utility>

#include "apps/manifold_documents.hpp"
#include "slideway/core/types.hpp"
#include "slideway/io/figure.hpp"

namespace slideway::apps {

// The plane of two states, by their numbers.
Figure manifolds_figure(const ShownManifolds& shown, std::pair<Index, Index> plane);
Figure orbit_manifolds_figure(const ShownOrbitManifolds& shown, std::pair<Index, Index> plane);

// The gaps over the parameter, and below them the manifolds of each connection, of three at most.
Figure connections_figure(const ShownConnections& shown);

}  // namespace slideway::apps
