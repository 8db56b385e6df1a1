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
  seen_.push_back({.shape = watched.when.shape(direction_.size())});
  side_.push_back(watched.direction == Direction::rising ? -1 : 1);
  allowance_.push_back(std::numeric_limits<double>::infinity());
  noise_.push_back(0);
  armed_.push_back(0);
  held_.push_back(0);
  undecided_.push_back(0);
  watched_.push_back(std::move(watched));
}

double EventWatch::slope(double t, ConstVectorRef x, Index e, Index state) {
  // Zero again also where the guard throws.
  const struct Reset {
    double& entry;
    ~Reset() { entry = 0; }
  } reset{direction_[state]};
  reset.entry = 1;
  return (*this)[e].when.rate(t, x, 0, direction_);
}

template <class Size>
double EventWatch::sum_along_gradient(double t, ConstVectorRef x, Index e, const Size& size) {
  double sum = 0;
  Seen& seen = seen_[at(e)];
  if (!seen.shape) {
    for (Index j = 0; j < x.size(); ++j) sum += std::abs(slope(t, x, e, j)) * size(j);
    return sum;
  }
  const std::vector<Index>& states = seen.shape->states;
  const bool learns = !seen.shape->affine || seen.slopes.size() < states.size();
  if (learns) seen.slopes.clear();
  for (std::size_t k = 0; k < states.size(); ++k) {
    if (learns) seen.slopes.push_back(slope(t, x, e, states[k]));
    sum += std::abs(seen.slopes[k]) * size(states[k]);
  }
  return sum;
}

double EventWatch::slope_in_time(double t, ConstVectorRef x, Index e) {
  Seen& seen = seen_[at(e)];
  const bool is_known = seen.shape && !std::isnan(seen.slope_t) &&
                        (seen.shape->affine || (seen.shape->states.empty() && seen.slope_t == t));
  if (is_known) return seen.slope_in_time;
  seen.slope_in_time = (*this)[e].when.rate(t, x, 1, direction_);
  seen.slope_t = t;
  return seen.slope_in_time;
}

double EventWatch::rate(double t, ConstVectorRef x, ConstVectorRef velocity, Index e) {
  const Seen& seen = seen_[at(e)];
  if (!seen.shape || !seen.shape->affine || seen.slopes.size() < seen.shape->states.size()) {
    return (*this)[e].when.rate(t, x, 1, velocity);
  }
  double rate = slope_in_time(t, x, e);
  for (std::size_t k = 0; k < seen.slopes.size(); ++k)
    rate += seen.slopes[k] * velocity[seen.shape->states[k]];
  return rate;
}

double EventWatch::rounding(double t, ConstVectorRef x, Index e) {
  const double states = sum_along_gradient(t, x, e, [&](Index j) { return std::abs(x[j]); });
  return 16 * kEpsilon * (states + std::abs(slope_in_time(t, x, e) * t));
}

double EventWatch::tolerance(double t, ConstVectorRef x, Index e, ConstVectorRef weights) {
  return sum_along_gradient(t, x, e, [&](Index j) { return 1 / weights[j]; });
}

double EventWatch::rate_rounding(double t, ConstVectorRef x, ConstVectorRef velocity, Index e) {
  const double states = sum_along_gradient(t, x, e, [&](Index j) { return std::abs(velocity[j]); });
  return 64 * kEpsilon * (states + std::abs(slope_in_time(t, x, e)));
}

}  // namespace slideway
