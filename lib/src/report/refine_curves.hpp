// Samples where a curve bends more than straight lines show: a picture may be enlarged.
//
// It must not know pictures or pages.
#pragma once

#include "report/plot_curves.hpp"

namespace slideway {

// Halves the steps between the samples of `curves.whole` where a line between them would be seen to miss the solution, until there
// are about `most` samples. `kept` and `observation` are those the curves were made of.
void refine_curves(RunCurves& curves, const Solution& solution, const std::vector<Index>& kept,
                   Observation* observation, std::size_t most);

}  // namespace slideway
