// How rough the boundary between coloured cells is.
//
//     N(b) ~ b^(−D):  boxes of b × b cells, edges included, that hold more than one colour;  D is the box-counting dimension
//     f(b) ~ b^α:     the part of all cells that have another colour b cells beside, above or below them;  α is the uncertainty exponent
//
// For a boundary of dimension D in a plane α = 2 − D (C. Grebogi, S. W. McDonald, E. Ott, J. A. Yorke, Final state sensitivity: an
// obstruction to predictability, Phys. Lett. A 99, 1983). A smooth boundary has D = α = 1.
// It must not know what the colours mean.
#pragma once

#include <vector>

#include "slideway/core/types.hpp"

namespace slideway {

// The colours of a plane, row by row from below: the cell (i, j) is entry j·across + i.
struct ColouredPlane {
  Index across = 0;
  Index up = 0;
  std::vector<int> colours = {};
};

// A straight line through logarithms. NaN where there are fewer than three sizes, or no boundary.
struct ScalingLaw {
  double exponent = 0;
  double error = 0;  // standard error of the slope
  std::vector<double> sizes =
      {};  // b, in cells: powers of two up to an eighth of the plane, from 2 on in N(b)
  std::vector<double> values = {};  // N(b), or f(b)
};

// These throw std::invalid_argument where the number of colours is not across × up.
ScalingLaw box_dimension(const ColouredPlane& plane);
ScalingLaw uncertainty_exponent(const ColouredPlane& plane);

}  // namespace slideway
