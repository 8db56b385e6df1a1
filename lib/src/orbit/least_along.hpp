// The least value of a function inside of a stretch of a solution, at a minimum and not at an end.
//
// It must not know what the function means.
#pragma once

#include <functional>
#include <optional>

#include "slideway/simulate/trajectory.hpp"

namespace slideway {

// The least minimum of the function on (start, end), which it is continuous on where it is finite; NaN leaves a stretch out. Empty without
// a minimum inside. Minima that are nearer to each other than an eighth of a step are one.
std::optional<double> least_inside(
    const Trajectory& trajectory, double start, double end,
    const std::function<double(double t, ConstVectorRef x, const Segment& segment)>& function);

}  // namespace slideway
