#include "apps/varied_parameter.hpp"

#include <algorithm>
#include <utility>

#include "slideway/core/errors.hpp"

namespace slideway::apps {

void check_varied_parameters(const std::vector<SweepAxis>& axes, const std::string& what) {
  const auto is_range = [](const SweepAxis& axis) {
    return axis.values.empty() && axis.count >= 2 && axis.first != axis.last && !axis.logarithmic;
  };
  const auto other = std::find_if_not(axes.begin(), axes.end(), is_range);
  const bool has_both = axes.size() == 2 && axes[0].name != axes[1].name;
  if (other == axes.end() && (axes.size() == 1 || has_both)) return;
  refuse({.what = what,
          .where = "--vary",
          .expected =
              "P=FIRST:LAST:COUNT with different ends and a count of at least 2, once, or for two parameters",
          .got = other != axes.end() ? "'" + other->name + "' with other values"
                 : axes.size() == 2  ? "'" + axes[0].name + "' twice"
                                     : std::to_string(axes.size()) + " of them"});
}

ModelInstance instance_at(const Model& model, Settings settings, const SweepAxis& axis, double value) {
  settings.emplace_back(axis.name, value);
  return model.instantiate(settings);
}

ModelInstance instance_at(const Model& model, Settings settings, const std::vector<SweepAxis>& axes,
                          double first, double second) {
  settings.emplace_back(axes[0].name, first);
  settings.emplace_back(axes[1].name, second);
  return model.instantiate(settings);
}

double begin_of_curves(const ModelInstance& instance, const SweepAxis& axis) {
  const auto [low, high] = std::minmax(axis.first, axis.last);
  for (const auto& [name, value] : instance.parameters)
    if (name == axis.name && value >= low && value <= high) return value;
  return 0.5 * (low + high);
}

ParameterSpan span_of(const SweepAxis& axis) {
  return {.first = axis.first, .last = axis.last, .points = static_cast<Index>(axis.count)};
}

Index most_points_of(const SweepAxis& axis) { return 100 + 5 * static_cast<Index>(axis.count); }

}  // namespace slideway::apps
