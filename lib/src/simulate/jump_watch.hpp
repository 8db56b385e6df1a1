// Instants with jumps that come ever faster: the limit they come to, and the contacts that have a part in it.
//
// It must not know what jumps, nor what follows.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "simulate/accumulation_watch.hpp"
#include "simulate/instant.hpp"

namespace slideway {

class JumpWatch {
 public:
  // Notes what jumped at t; x is the state after it.
  void note(double t, const InstantJumps& jumps, const Vector& x) {
    instants_.note(t, jumps.id, x);
    if (!jumps.touching.empty()) contacts_[jumps.id] = jumps.touching;
  }
  void clear() {
    instants_.clear();
    contacts_.clear();
  }
  std::optional<Accumulation> limit() const { return instants_.limit(); }
  // When they began, and the largest |xⱼ| since then; there is one.
  double began() const { return instants_.began(); }
  Vector scale() const { return instants_.scale(); }
  // Of the instants that take part, sorted.
  std::vector<Index> contacts_of(const Accumulation& accumulation) const {
    std::vector<Index> contacts;
    for (const Index id : accumulation.ids) {
      const auto hit = contacts_.find(id);
      if (hit != contacts_.end()) contacts.insert(contacts.end(), hit->second.begin(), hit->second.end());
    }
    std::sort(contacts.begin(), contacts.end());
    contacts.erase(std::unique(contacts.begin(), contacts.end()), contacts.end());
    return contacts;
  }

 private:
  AccumulationWatch instants_{{1, 2, 3, 4, 6, 8, 12}, 1, true};
  std::map<Index, std::vector<Index>> contacts_;  // by the ids of instants, which may repeat
};

}  // namespace slideway
