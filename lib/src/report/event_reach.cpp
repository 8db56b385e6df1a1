#include "report/event_reach.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

namespace slideway {

namespace {

// A mark in each of so few panels costs no clarity.
constexpr std::size_t most_panels_marked_alike = 2;
// A surface is looked at where so many of its events are.
constexpr int most_probes = 4;

}  // namespace

EventReach::EventReach(const RunReport& report, const std::vector<Index>& panels)
    : report_(report), panels_(panels) {
  if (panels.size() <= most_panels_marked_alike) return;
  const System& system = report.instance.system;
  // A part of the largest value: rounding does not hide it, and it stays near the solution.
  constexpr double part = 0.1;
  for (const Index curve : panels)
    shifts_.push_back(curve < system.states()
                          ? part * std::max(std::abs(report.solution.initial.state(curve)),
                                            std::abs(report.solution.final.state(curve)))
                          : 0);
  for (double& shift : shifts_)
    if (!(shift > 0)) shift = 1;
  of_surfaces_.assign(static_cast<std::size_t>(system.surfaces()), std::vector<char>(panels.size(), 0));
  probes_.assign(static_cast<std::size_t>(system.surfaces()), 0);
  for (const EventRecord& event : report.solution.events)
    for (const Index surface : event.surfaces)
      if (surface < system.surfaces() && probes_[static_cast<std::size_t>(surface)] < most_probes)
        probe(event, surface);
}

void EventReach::probe(const EventRecord& event, Index surface) {
  const System& system = report_.instance.system;
  const Vector at = event.after.size() > 0 ? event.after : report_.solution.trajectory(event.t);
  std::vector<char>& reached = of_surfaces_[static_cast<std::size_t>(surface)];
  ++probes_[static_cast<std::size_t>(surface)];
  // A field or a guard may have no value beside the solution.
  try {
    Vector h(system.surfaces());
    Vector moved(system.surfaces());
    Vector plus(system.states());
    Vector minus(system.states());
    Vector lambda = Vector::Zero(system.surfaces());
    system.guards(event.t, at, h);
    lambda(surface) = 1;
    system.field(event.t, at, lambda, plus);
    lambda(surface) = -1;
    system.field(event.t, at, lambda, minus);
    for (std::size_t panel = 0; panel < panels_.size(); ++panel) {
      const Index state = panels_[panel];
      if (state >= system.states()) continue;
      Vector beside = at;
      beside(state) += shifts_[panel];
      system.guards(event.t, beside, moved);
      if (moved(surface) != h(surface) || plus(state) != minus(state)) reached[panel] = 1;
    }
  } catch (const std::exception&) {
    std::fill(reached.begin(), reached.end(), 1);
  }
}

bool EventReach::concerns(const EventRecord& event, std::size_t panel) const {
  const Index states = report_.instance.system.states();
  if (panels_.size() <= most_panels_marked_alike || panels_[panel] >= states) return true;
  if (may_jump(event.kind)) {
    if (event.before.size() != states || event.after.size() != states || event.before == event.after)
      return true;
    return event.before(panels_[panel]) != event.after(panels_[panel]);
  }
  return event.surfaces.empty() ||
         std::any_of(event.surfaces.begin(), event.surfaces.end(), [&](Index surface) {
           const auto place = static_cast<std::size_t>(surface);
           return place >= of_surfaces_.size() || of_surfaces_[place][panel] != 0;
         });
}

}  // namespace slideway
