#include "apps/varied_parameter.hpp"

#include <utility>

#include "slideway/core/errors.hpp"

namespace slideway::apps {

void check_varied_parameter(const std::vector<SweepAxis>& axes, const std::string& what) {
  const SweepAxis& axis = axes.front();
  const bool is_range =
      axis.values.empty() && axis.count >= 2 && axis.first != axis.last && !axis.logarithmic;
  if (axes.size() == 1 && is_range) return;
  refuse({.what = what,
          .where = "--vary",
          .expected = "P=FIRST:LAST:COUNT with different ends and a count of at least 2, once",
          .got = axes.size() > 1 ? "several" : "'" + axis.name + "' with other values"});
}

ModelInstance instance_at(const Model& model, Settings settings, const SweepAxis& axis, double value) {
  settings.emplace_back(axis.name, value);
  return model.instantiate(settings);
}

Index most_points_of(const SweepAxis& axis) { return 100 + 5 * static_cast<Index>(axis.count); }

}  // namespace slideway::apps
