#include "local/clusters.hpp"

#include <algorithm>
#include <utility>

#include "core/at.hpp"
#include "local/factors.hpp"

namespace slideway {

namespace {

void sort_unique(std::vector<Index>& list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

}  // namespace

Clusters::Clusters(const Coupling& coupling)
    : coupling_(coupling), owner_(at(coupling.influences.rows), Index{-1}) {}

bool Clusters::begin(const Mode& mode, const std::vector<Index>& surfaces, const std::vector<Index>& events,
                     int derivatives) {
  for (const Cluster& cluster : clusters_)
    for (const Index state : cluster.states) owner_[at(state)] = -1;
  clusters_.clear();
  mode_ = &mode;
  const auto add = [&](const Pattern& reads, const Pattern& acts_on, Index row) {
    const std::size_t cluster = clusters_.size();
    clusters_.emplace_back();
    seeds_.clear();
    for (const Pattern* pattern : {&reads, &acts_on})
      for_row(*pattern, row, [&](Index state) { seeds_.push_back(state); });
    for (const Index state : seeds_) take(cluster, state);
    take_influenced(cluster, seeds_, derivatives);
    clusters_[cluster].reach = derivatives;
    return clusters_[cluster].states.size() <= kMostStatesInCluster;
  };
  for (const Index surface : surfaces) {
    if (!add(coupling_.guard_reads, coupling_.relay_acts_on, surface)) return false;
  }
  for (const Index event : events) {
    if (!add(coupling_.event_reads, coupling_.event_touches, event)) return false;
  }
  for (std::size_t c = 0; c < clusters_.size(); ++c) {
    if (clusters_[c].is_alive) complete(c);
  }
  return true;
}

bool Clusters::grow(std::size_t cluster, const std::vector<Index>& from, int derivatives,
                    const std::vector<Index>& surfaces, const std::vector<Index>& events) {
  const std::size_t before = clusters_[cluster].states.size();
  for (const Index surface : surfaces) take_surface(cluster, surface);
  for (const Index event : events) take_event(cluster, event);
  take_influenced(cluster, from, derivatives);
  if (!from.empty()) clusters_[cluster].reach += derivatives;
  complete(cluster);
  return clusters_[cluster].states.size() > before;
}

bool Clusters::holds_surface(std::size_t cluster, Index surface) const {
  bool holds = true;
  const auto look = [&](Index state) { holds = holds && owner_[at(state)] == static_cast<Index>(cluster); };
  for_row(coupling_.guard_reads, surface, look);
  for_row(coupling_.relay_acts_on, surface, look);
  return holds;
}

bool Clusters::holds_event(std::size_t cluster, Index event) const {
  bool holds = true;
  const auto look = [&](Index state) { holds = holds && owner_[at(state)] == static_cast<Index>(cluster); };
  for_row(coupling_.event_reads, event, look);
  for_row(coupling_.event_touches, event, look);
  return holds;
}

std::size_t Clusters::cluster_of_event(Index event) const {
  Index owner = -1;
  for (const Pattern* pattern : {&coupling_.event_reads, &coupling_.event_touches})
    for_row(*pattern, event, [&](Index state) { owner = owner_[at(state)]; });
  return at(owner);
}

bool Clusters::acts_within(std::size_t cluster, Index surface) const {
  bool acts = false;
  for_row(coupling_.relay_acts_on, surface,
          [&](Index state) { acts = acts || owner_[at(state)] == static_cast<Index>(cluster); });
  return acts;
}

void Clusters::take(std::size_t cluster, Index state) {
  const Index owner = owner_[at(state)];
  if (owner == static_cast<Index>(cluster)) return;
  if (owner < 0) {
    owner_[at(state)] = static_cast<Index>(cluster);
    clusters_[cluster].states.push_back(state);
    return;
  }
  Cluster& other = clusters_[at(owner)];
  for (const Index moved : other.states) owner_[at(moved)] = static_cast<Index>(cluster);
  std::vector<Index>& states = clusters_[cluster].states;
  states.insert(states.end(), other.states.begin(), other.states.end());
  clusters_[cluster].reach = std::max(clusters_[cluster].reach, other.reach);
  other = Cluster();
  other.is_alive = false;
}

void Clusters::take_influenced(std::size_t cluster, const std::vector<Index>& from, int derivatives) {
  front_ = from;
  for (int k = 0; k < derivatives; ++k) {
    next_front_.clear();
    for (const Index state : front_) {
      for_row(coupling_.influences, state, [&](Index influenced) {
        take(cluster, influenced);
        next_front_.push_back(influenced);
      });
    }
    sort_unique(next_front_);
    std::swap(front_, next_front_);
  }
}

void Clusters::take_surface(std::size_t cluster, Index surface) {
  for_row(coupling_.guard_reads, surface, [&](Index state) { take(cluster, state); });
  for_row(coupling_.relay_acts_on, surface, [&](Index state) { take(cluster, state); });
}

void Clusters::take_event(std::size_t cluster, Index event) {
  for_row(coupling_.event_reads, event, [&](Index state) { take(cluster, state); });
  for_row(coupling_.event_touches, event, [&](Index state) { take(cluster, state); });
}

void Clusters::complete(std::size_t cluster) {
  // The list grows on the way.
  for (std::size_t k = 0; k < clusters_[cluster].states.size(); ++k) {
    const Index state = clusters_[cluster].states[k];
    const auto take_sliding = [&](Index surface) {
      if (mode_->slides_on(surface)) take_surface(cluster, surface);
    };
    for_row(coupling_.read_by_guards, state, take_sliding);
    for_row(coupling_.acted_on_by, state, take_sliding);
  }
  Cluster& own = clusters_[cluster];
  std::sort(own.states.begin(), own.states.end());
  for (std::vector<Index>* list : {&own.surfaces, &own.events, &own.frozen, &own.border}) list->clear();
  for (const Index state : own.states) {
    for_row(coupling_.read_by_guards, state, [&](Index surface) {
      if (surface < coupling_.first_contact || acts_within(cluster, surface)) own.surfaces.push_back(surface);
    });
    for_row(coupling_.acted_on_by, state, [&](Index surface) { own.frozen.push_back(surface); });
    for_row(coupling_.read_by_events, state, [&](Index event) { own.events.push_back(event); });
    bool is_border = false;
    for_row(coupling_.influences, state, [&](Index influenced) {
      is_border = is_border || owner_[at(influenced)] != static_cast<Index>(cluster);
    });
    if (is_border) own.border.push_back(state);
  }
  for (std::vector<Index>* list : {&own.surfaces, &own.events, &own.frozen}) sort_unique(*list);
  std::vector<Index> frozen;
  std::set_difference(own.frozen.begin(), own.frozen.end(), own.surfaces.begin(), own.surfaces.end(),
                      std::back_inserter(frozen));
  own.frozen = std::move(frozen);
}

}  // namespace slideway
