// The least value of a function inside of a stretch of a solution, at a minimum and not at an end.
//
// It must not know what the function means.
#pragma once

#include <functional>
#include <optional>

#include "slideway/simulate/trajectory.hpp"

namespace slideway {

// least_inside() returns the least minimum of the function on (start, end), and nothing if it has none there. The function is NaN on stretches that
// do not count, and continuous on the others. Minima that are nearer to each other than an eighth of a step count as one.
std::optional<double> least_inside(
    const Trajectory& trajectory, double start, double end,
    const std::function<double(double t, ConstVectorRef x, const Segment& segment)>& function);

}  // namespace slideway
