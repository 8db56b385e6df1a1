// Instants with jumps that come ever faster: the limit they come to, and the contacts, guards and states that have a part in it.
//
// It must not know what jumps, nor what follows.
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "rules/accumulation_watch.hpp"
#include "rules/instant.hpp"

namespace slideway {

class JumpWatch {
 public:
  // The members of the jumps of one instant: contacts in impacts, guards that fire, and states that resets change.
  struct Part {
    std::vector<Index> contacts = {};
    std::vector<Index> states = {};
    std::vector<Guard> guards = {};
    template <class Visit>
    void visit_fields(Visit& visit) {
      visit("contacts", contacts);
      visit("states", states);
      visit("guards", guards);
    }
  };

  // Notes what jumped at t from `before` to x; `before` may be empty. The time is located to `accuracy`, and is off by no more than
  // `error` for the errors that the run has made so far.
  void note(double t, const InstantJumps& jumps, const Vector& before, const Vector& x, double accuracy,
            double error) {
    instants_.note(t, jumps.id, x, accuracy);
    if (instants_.began() == t) error_of_first_ = error;
    // Members of a limit have jumped before.
    if (instants_.may_repeat()) parts_[jumps.id] = part_of(jumps, before, x);
  }
  void clear() {
    instants_.clear();
    parts_.clear();
  }
  std::optional<Accumulation> limit() const { return instants_.limit(); }
  // The state after the instant so many before the last; of a turn that limit() found or the two before it.
  const Vector& state(std::size_t back) const { return instants_.state(back); }
  // When they began, and the largest |xⱼ| since then; there is one.
  double began() const { return instants_.began(); }
  // The time of the first instant may be off by this; every later one, and the limit, is shifted with it.
  double error_of_first() const { return error_of_first_; }
  Vector scale() const { return instants_.scale(); }
  // Of all instants that take part; contacts and states are sorted.
  Part part_of(const Accumulation& accumulation) const {
    Part all;
    for (const Index id : accumulation.ids) {
      const auto hit = parts_.find(id);
      if (hit == parts_.end()) continue;
      add(hit->second.contacts, all.contacts);
      add(hit->second.states, all.states);
      all.guards.insert(all.guards.end(), hit->second.guards.begin(), hit->second.guards.end());
    }
    return all;
  }
  static Part part_of(const InstantJumps& jumps, const Vector& before, const Vector& x) {
    Part part;
    part.contacts = jumps.touching;
    if (jumps.zero_guards.empty()) return part;
    for (const InstantJumps::ZeroGuard& zero : jumps.zero_guards) part.guards.push_back(zero.when);
    if (before.size() != x.size()) return part;
    for (Index j = 0; j < x.size(); ++j) {
      if (x[j] != before[j]) part.states.push_back(j);
    }
    return part;
  }

  // For checkpoints: what outlives an instant.
  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("instants", instants_);
    visit("error_of_first", error_of_first_);
    visit("parts", parts_);
  }

 private:
  static void add(const std::vector<Index>& more, std::vector<Index>& list) {
    list.insert(list.end(), more.begin(), more.end());
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }

  AccumulationWatch instants_{{1, 2, 3, 4, 6, 8, 12}, 1, true};
  double error_of_first_ = 0;
  std::map<Index, Part> parts_;  // by the ids of instants, which may repeat
};

}  // namespace slideway
