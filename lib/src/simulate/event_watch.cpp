#include "simulate/event_watch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace slideway {

namespace {
constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
}

EventWatch::EventWatch(const System& system) {
  gradient_ = Vector::Zero(system.states());
  still_ = Vector::Zero(system.states());
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
  side_.push_back(watched.direction == Direction::rising ? -1 : 1);
  allowance_.push_back(std::numeric_limits<double>::infinity());
  noise_.push_back(0);
  armed_.push_back(0);
  held_.push_back(0);
  undecided_.push_back(0);
  watched_.push_back(std::move(watched));
}

double EventWatch::rounding(double t, ConstVectorRef x, Index e) {
  const Guard& guard = (*this)[e].when;
  guard.gradient(t, x, gradient_);
  return 16 * kEpsilon * (gradient_.cwiseAbs().dot(x.cwiseAbs()) + std::abs(guard.rate(t, x, 1, still_) * t));
}

double EventWatch::tolerance(double t, ConstVectorRef x, Index e, ConstVectorRef weights) {
  (*this)[e].when.gradient(t, x, gradient_);
  return gradient_.cwiseAbs().cwiseQuotient(weights).sum();
}

double EventWatch::rate_rounding(double t, ConstVectorRef x, ConstVectorRef velocity, Index e) {
  const Guard& guard = (*this)[e].when;
  guard.gradient(t, x, gradient_);
  return 64 * kEpsilon *
         (gradient_.cwiseAbs().dot(velocity.cwiseAbs()) + std::abs(guard.rate(t, x, 1, still_)));
}

}  // namespace slideway
