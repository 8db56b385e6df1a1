#include "apps/sweep_picture.hpp"

#include <algorithm>
#include <cmath>

namespace slideway::apps {

namespace {

// True if the state differs among the points of the section. On the surface v = 0 the state v does not, and needs no panel.
bool varies(const std::vector<SweepRow>& rows, std::size_t state) {
  double least = 0, greatest = 0, size = 0;
  bool any = false;
  for (const SweepRow& row : rows) {
    for (const double value : row.section[state]) {
      least = any ? std::min(least, value) : value;
      greatest = any ? std::max(greatest, value) : value;
      any = true;
    }
    if (std::isfinite(row.greatest[state])) size = std::max({size, row.greatest[state], -row.least[state]});
  }
  return greatest - least > 1e-6 * size;
}

// The first four, but for those that a section says nothing about.
std::vector<std::string> states_to_show(const SweepResult& result, bool has_section) {
  constexpr std::size_t most_panels = 4;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < result.states.size() && shown.size() < most_panels; ++i) {
    if (result.axes.size() > 1 || !has_section || varies(result.rows, i)) shown.push_back(result.states[i]);
  }
  if (shown.empty()) shown.push_back(result.states.front());
  return shown;
}

// The order in which a line joins the runs of one parameter: up, then down.
void sort_along_axis(std::vector<SweepRow>& rows) {
  std::stable_sort(rows.begin(), rows.end(), [](const SweepRow& a, const SweepRow& b) {
    const bool a_is_down = a.direction == "down";
    if (a_is_down != (b.direction == "down")) return !a_is_down;
    return a_is_down ? a.values[0] > b.values[0] : a.values[0] < b.values[0];
  });
}

// Samples have the values of their rows.
std::vector<double> values_along(const SweepPlan& plan, std::size_t axis, const std::vector<SweepRow>& rows) {
  std::vector<double> values;
  if (plan.sampling() == Sampling::grid) {
    for (Index place = 0; place < plan.axes()[axis].size(); ++place)
      values.push_back(plan.axes()[axis].value(place));
  } else {
    for (const SweepRow& row : rows) values.push_back(row.values[axis]);
  }
  return values;
}

}  // namespace

SweepPicture picture_of(const std::string& model, const SweepPlan& plan, const std::string& section,
                        const SweepResult& result, std::vector<std::string> shown) {
  if (shown.empty()) shown = states_to_show(result, !section.empty());
  std::vector<SweepRow> rows = result.rows;
  if (plan.axes().size() == 1) sort_along_axis(rows);
  SweepPicture picture;
  picture.title = model;
  picture.is_scattered = plan.sampling() != Sampling::grid;
  picture.has_way_back = plan.follow() == Follow::both;
  for (std::size_t k = 0; k < plan.axes().size(); ++k) {
    const SweepAxis& axis = plan.axes()[k];
    picture.axes.push_back({axis.name, values_along(plan, k, result.rows), axis.logarithmic});
  }
  picture.states = shown;
  picture.section = section;
  std::vector<std::size_t> numbers;
  for (const std::string& name : shown) {
    numbers.push_back(static_cast<std::size_t>(std::find(result.states.begin(), result.states.end(), name) -
                                               result.states.begin()));
  }
  for (const SweepRow& row : rows) {
    SweepPicturePoint point;
    point.values = row.values;
    point.succeeded = row.succeeded();
    point.on_way_back = picture.has_way_back && row.direction == "down";
    for (const std::size_t state : numbers) {
      point.least.push_back(row.least[state]);
      point.greatest.push_back(row.greatest[state]);
      if (!section.empty()) point.section.push_back(row.section[state]);
    }
    picture.points.push_back(std::move(point));
  }
  return picture;
}

}  // namespace slideway::apps
