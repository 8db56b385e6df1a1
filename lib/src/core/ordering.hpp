// The order of Cuthill & McKee (1969), reversed: what is coupled comes close together, so that a matrix with a
// local pattern becomes a band.
//
// It must not know what is ordered.
#pragma once

#include <vector>

#include "slideway/core/pattern.hpp"

namespace slideway {

// order[k] is the index that comes k-th. The pattern is square and taken as symmetric.
std::vector<Index> reverse_cuthill_mckee(const Pattern& pattern);

// The inverse: place[order[k]] = k.
std::vector<Index> places_of(const std::vector<Index>& order);

// The largest |position(i) − position(j)| over the entries (i, j); position(order[k]) = k.
Index half_bandwidth(const Pattern& pattern, const std::vector<Index>& order);

}  // namespace slideway
