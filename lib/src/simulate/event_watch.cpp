#include "simulate/event_watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace slideway {

namespace {
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
}

EventWatch::EventWatch(const System& system) {
  direction_ = Vector::Zero(system.states());
  for (const Event& event : system.events()) {
    const WatchedKind kind = event.action == Action::record ? WatchedKind::record
                             : event.action == Action::stop ? WatchedKind::stop
                                                            : WatchedKind::reset;
    add({kind, event.name, event.when, event.direction, event.reset, 0});
  }
}

void EventWatch::add_edges(const Automaton& automaton, std::size_t location,
                           const std::vector<std::size_t>& without) {
  for (std::size_t k = 0; k < automaton.edges().size(); ++k) {
    const Edge& edge = automaton.edges()[k];
    if (edge.from != automaton.locations()[location].name) continue;
    if (std::find(without.begin(), without.end(), k) != without.end()) continue;
    add({WatchedKind::edge, edge.name, edge.when, edge.direction, edge.reset, k});
  }
}

void EventWatch::add(Watched watched) {
  auto shape = watched.when.shape(direction_.size());
  seen_.push_back(shape ? std::optional(std::move(shape->states)) : std::nullopt);
  side_.push_back(watched.direction == Direction::rising ? -1 : 1);
  allowance_.push_back(std::numeric_limits<double>::infinity());
  noise_.push_back(0);
  armed_.push_back(0);
  held_.push_back(0);
  undecided_.push_back(0);
  watched_.push_back(std::move(watched));
}

template <class Size>
double EventWatch::sum_along_gradient(double t, ConstVectorRef x, Index e, const Size& size) {
  const Guard& guard = (*this)[e].when;
  const auto& seen = seen_[at(e)];
  const Index count = seen ? static_cast<Index>(seen->size()) : x.size();
  double sum = 0;
  for (Index k = 0; k < count; ++k) {
    const Index j = seen ? (*seen)[static_cast<std::size_t>(k)] : k;
    direction_[j] = 1;
    sum += std::abs(guard.rate(t, x, 0, direction_)) * size(j);
    direction_[j] = 0;
  }
  return sum;
}

double EventWatch::slope_in_time(double t, ConstVectorRef x, Index e) {
  return std::abs((*this)[e].when.rate(t, x, 1, direction_));
}

double EventWatch::rounding(double t, ConstVectorRef x, Index e) {
  const double states = sum_along_gradient(t, x, e, [&](Index j) { return std::abs(x[j]); });
  return 16 * kEpsilon * (states + slope_in_time(t, x, e) * std::abs(t));
}

double EventWatch::tolerance(double t, ConstVectorRef x, Index e, ConstVectorRef weights) {
  return sum_along_gradient(t, x, e, [&](Index j) { return 1 / weights[j]; });
}

double EventWatch::rate_rounding(double t, ConstVectorRef x, ConstVectorRef velocity, Index e) {
  const double states = sum_along_gradient(t, x, e, [&](Index j) { return std::abs(velocity[j]); });
  return 64 * kEpsilon * (states + slope_in_time(t, x, e));
}

}  // namespace slideway
