// The clusters of a step: for what may arrive in it, the states around, which are followed apart from all others. Clusters that come
// to share states are one.
//
// Contacts count as surfaces (coupling.hpp), and slide while they are closed. A cluster is complete if it holds all the states
// of each sliding surface that reads one of its states or acts on one.
//
// The states of a cluster decide what it keeps: surfaces and events are kept if their guards read one of the states, contacts if their
// forces act on one. A surface that only acts on the states is not kept, and its relay is constant during the step.
// It must not know how a cluster is followed.
#pragma once

#include <vector>

#include "local/coupling.hpp"
#include "slideway/filippov/mode.hpp"

namespace slideway {

struct Cluster {
  bool is_alive = true;         // until it becomes part of another one
  std::vector<Index> states;    // these five increase
  std::vector<Index> surfaces;  // kept
  std::vector<Index> events;    // kept
  std::vector<Index> frozen;    // surfaces that are not kept and act on states; open contacts among them
  std::vector<Index> border;    // states that influence others outside
  int reach = 0;                // the largest number of derivatives from a state to where the cluster began
};

class Clusters {
 public:
  // The coupling must outlive them.
  explicit Clusters(const Coupling& coupling);

  // begin() makes the clusters of a step that begins in this mode, which outlives them, where these surfaces and
  // events may arrive. A cluster holds all that they influence through so many derivatives. It returns false
  // where one is plainly too large; the clusters are of no use then.
  bool begin(const Mode& mode, const std::vector<Index>& surfaces, const std::vector<Index>& events,
             int derivatives);
  // grow() adds all that these states influence through so many derivatives, and what these surfaces and events
  // read and act on. It returns false where there was nothing to add.
  bool grow(std::size_t cluster, const std::vector<Index>& from, int derivatives,
            const std::vector<Index>& surfaces, const std::vector<Index>& events);
  // holds_surface() tells whether all that a surface reads and acts on is in the cluster; likewise of an event.
  bool holds_surface(std::size_t cluster, Index surface) const;
  bool holds_event(std::size_t cluster, Index event) const;
  // The cluster that has the states which an event reads or touches; of several, one of them. The event is one of begin().
  std::size_t cluster_of_event(Index event) const;

  std::size_t size() const { return clusters_.size(); }
  const Cluster& operator[](std::size_t cluster) const { return clusters_[cluster]; }

 private:
  // take() puts the state into the cluster, together with what it was part of before.
  void take(std::size_t cluster, Index state);
  void take_influenced(std::size_t cluster, const std::vector<Index>& from, int derivatives);
  void take_surface(std::size_t cluster, Index surface);
  void take_event(std::size_t cluster, Index event);
  void complete(std::size_t cluster);
  bool acts_within(std::size_t cluster, Index surface) const;

  const Coupling& coupling_;
  const Mode* mode_ = nullptr;
  std::vector<Cluster> clusters_;
  std::vector<Index> owner_;  // of every state: its cluster, or −1
  std::vector<Index> seeds_, front_, next_front_;
};

}  // namespace slideway
