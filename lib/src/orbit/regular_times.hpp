// Times of a solution where a shot may begin: no event is near, nothing slides and no contact is closed.
//
// It must not know orbits.
#pragma once

#include <optional>

#include "slideway/simulate/solution.hpp"

namespace slideway {

// `wanted` where it is regular, else the middle of the longest regular stretch of [begin, end]; where all of it slides, of its longest stretch.
double regular_time(const Solution& solution, double begin, double end, double wanted);
// Near `wanted`, in the stretch that it lies in; nothing where that slides.
std::optional<double> regular_time_near(const Solution& solution, double wanted);

}  // namespace slideway
