// The parameter of --vary, in which branches of orbits and of equilibria are followed.
//
// It must not know what is followed.
#pragma once

#include <string>
#include <vector>

#include "slideway/model/model.hpp"
#include "slideway/sweep/sweep_plan.hpp"

namespace slideway::apps {

// Refuses more than one parameter, and values that are not a range, with `what` as the rule that they break.
void check_varied_parameter(const std::vector<SweepAxis>& axes, const std::string& what);
// The model at one value of the parameter.
ModelInstance instance_at(const Model& model, Settings settings, const SweepAxis& axis, double value);
// The greatest number of points: a branch may cross its range several times, and take a hundred short steps where it turns sharply.
Index most_points_of(const SweepAxis& axis);

}  // namespace slideway::apps
