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
std::vector<std::string> states_to_show(const SweepTask& task, const std::vector<SweepRow>& rows) {
  constexpr std::size_t most_panels = 4;
  std::vector<std::string> shown;
  for (std::size_t i = 0; i < task.states.size() && shown.size() < most_panels; ++i) {
    if (task.plan.axes().size() > 1 || !task.section || varies(rows, i)) shown.push_back(task.states[i]);
  }
  if (shown.empty()) shown.push_back(task.states.front());
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

}  // namespace

SweepPicture picture_of(const SweepTask& task, std::vector<SweepRow> rows, std::vector<std::string> shown) {
  if (shown.empty()) shown = states_to_show(task, rows);
  if (task.plan.axes().size() == 1) sort_along_axis(rows);
  SweepPicture picture;
  picture.title = task.model.name;
  picture.is_scattered = task.plan.sampling() != Sampling::grid;
  picture.has_way_back = task.plan.follow() == Follow::both;
  for (const SweepAxis& axis : task.plan.axes())
    picture.axes.push_back({axis.name, axis.values, axis.logarithmic});
  picture.states = shown;
  if (task.section) picture.section = task.section->name;
  std::vector<std::size_t> numbers;
  for (const std::string& name : shown) {
    numbers.push_back(static_cast<std::size_t>(std::find(task.states.begin(), task.states.end(), name) -
                                               task.states.begin()));
  }
  for (const SweepRow& row : rows) {
    SweepPicturePoint point;
    point.values = row.values;
    point.succeeded = row.succeeded();
    point.on_way_back = picture.has_way_back && row.direction == "down";
    for (const std::size_t state : numbers) {
      point.least.push_back(row.least[state]);
      point.greatest.push_back(row.greatest[state]);
      if (task.section) point.section.push_back(row.section[state]);
    }
    picture.points.push_back(std::move(point));
  }
  return picture;
}

}  // namespace slideway::apps
