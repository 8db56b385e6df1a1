#include "slideway/simulate/poincare_section.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "slideway/core/errors.hpp"
#include "slideway/model/model.hpp"

namespace slideway {

namespace {

// The side of a surface in a mode of the record, which may hold the listed surfaces alone.
std::optional<Side> side_in(const EventRecord& event, const Mode& mode, Index surface) {
  if (!event.listed_only) return mode[surface];
  for (std::size_t k = 0; k < event.surfaces.size(); ++k)
    if (event.surfaces[k] == surface) return mode[static_cast<Index>(k)];
  return std::nullopt;
}

}  // namespace

const char* to_string(SectionDirection direction) {
  switch (direction) {
    case SectionDirection::rising: return "rising";
    case SectionDirection::falling: return "falling";
    case SectionDirection::any: return "any";
  }
  return "";
}

std::vector<std::string> section_names(const Automaton& problem) {
  const System& system = problem.system();
  std::vector<std::string> names = system.surface_names();
  for (const Event& event : system.events()) names.push_back(event.name);
  for (const TimeEvent& event : system.time_events()) names.push_back(event.name);
  for (const Contact& contact : system.contacts()) names.push_back(contact.name);
  for (const Edge& edge : problem.edges()) names.push_back(edge.name);
  names.erase(std::remove(names.begin(), names.end(), ""), names.end());
  return names;
}

void check_section(const PoincareSection& section, const Automaton& problem, const std::string& where) {
  constexpr std::size_t most_listed = 12;
  const std::vector<std::string> names = section_names(problem);
  if (std::find(names.begin(), names.end(), section.name) != names.end()) return;
  const std::string near = nearest_name(section.name, names);
  refuse({.what = "the model has nothing of this name to take a section at",
          .where = where,
          .expected = names.empty() ? "a model with surfaces or events"
                      : names.size() > most_listed
                          ? fmt::format("one of its {} surfaces and events", names.size())
                          : fmt::format("one of {}", fmt::join(names, ", ")),
          .got = "'" + section.name + "'",
          .advice = near.empty() ? "" : "did you mean '" + near + "'?"});
}

bool arrives(const PoincareSection& section, const System& system, const EventRecord& event) {
  if (event.name && *event.name == section.name) return true;
  if (event.kind == EventKind::impact || event.kind == EventKind::contact) {
    const auto& names = event.surface_names;
    if (std::find(names.begin(), names.end(), section.name) != names.end()) return true;
  }
  const auto& surfaces = system.surface_names();
  const auto found = std::find(surfaces.begin(), surfaces.end(), section.name);
  if (found == surfaces.end() || !event.from || !event.to) return false;
  const Index surface = found - surfaces.begin();
  const auto from = side_in(event, *event.from, surface);
  const auto to = side_in(event, *event.to, surface);
  if (!from || !to) return false;
  const bool rises = *from == Side::minus && *to != Side::minus;
  const bool falls = *from == Side::plus && *to != Side::plus;
  switch (section.direction) {
    case SectionDirection::rising: return rises;
    case SectionDirection::falling: return falls;
    default: return rises || falls;
  }
}

std::vector<SectionPoint> section_points(const PoincareSection& section, const System& system,
                                         const Solution& solution) {
  std::vector<SectionPoint> points;
  for (const EventRecord& event : solution.events) {
    // Two events of one instant, as a crossing and the edge that it fires, are one arrival.
    if (!event.from || !arrives(section, system, event)) continue;
    if (!points.empty() && points.back().t == event.t) continue;
    points.push_back({.t = event.t,
                      .state = event.before.size() > 0 ? event.before : solution.trajectory.before(event.t),
                      .location = event.from_location.value_or("")});
  }
  return points;
}

}  // namespace slideway
