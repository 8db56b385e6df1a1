// The parameters of --vary, in which branches of orbits and of equilibria and curves of their bifurcations are followed.
//
// It must not know what is followed.
#pragma once

#include <string>
#include <vector>

#include "slideway/model/model.hpp"
#include "slideway/orbit/parameter_span.hpp"
#include "slideway/sweep/sweep_plan.hpp"

namespace slideway::apps {

// Refuses more than one or two different parameters, and values that are not a range, with `what` as the rule that they break.
void check_varied_parameters(const std::vector<SweepAxis>& axes, const std::string& what);
// The model at one value of the parameter.
ModelInstance instance_at(const Model& model, Settings settings, const SweepAxis& axis, double value);
// The model at values of two parameters.
ModelInstance instance_at(const Model& model, Settings settings, const std::vector<SweepAxis>& axes,
                          double first, double second);
// The value of the second parameter on the branches that curves begin at: that of the model or of --set where it is inside of the range, and
// else the middle.
double begin_of_curves(const ModelInstance& instance, const SweepAxis& axis);
ParameterSpan span_of(const SweepAxis& axis);
// The greatest number of points: a branch may cross its range several times, and take a hundred short steps where it turns sharply.
Index most_points_of(const SweepAxis& axis);

}  // namespace slideway::apps
