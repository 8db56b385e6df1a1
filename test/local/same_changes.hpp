// The changes of every surface in two runs beside each other.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "slideway/simulate/solution.hpp"

namespace test {

using namespace slideway;

// From, to and when.
struct Change {
  double t;
  std::string word;
};
using Changes = std::map<Index, std::vector<Change>>;

inline Changes changes_of(const Solution& solution) {
  Changes changes;
  for (const EventRecord& event : solution.events) {
    if (!event.from || !event.to) continue;
    const std::string from = listed_word(event, *event.from);
    const std::string to = listed_word(event, *event.to);
    for (std::size_t k = 0; k < event.surfaces.size(); ++k) {
      if (from[k] != to[k]) changes[event.surfaces[k]].push_back({event.t, std::string{from[k], to[k]}});
    }
  }
  return changes;
}

// The surfaces whose changes are others, and the largest difference of the times of all the rest.
struct Difference {
  std::vector<Index> surfaces;
  double furthest = 0;
};

inline Difference difference_of(const Solution& one, const Solution& other) {
  const Changes mine = changes_of(one);
  const Changes theirs = changes_of(other);
  std::map<Index, bool> all;
  for (const Changes* changes : {&mine, &theirs})
    for (const auto& entry : *changes) all[entry.first] = true;
  Difference difference;
  for (const auto& entry : all) {
    const auto first = mine.find(entry.first);
    const auto second = theirs.find(entry.first);
    bool is_same =
        first != mine.end() && second != theirs.end() && first->second.size() == second->second.size();
    double furthest = 0;
    for (std::size_t k = 0; is_same && k < first->second.size(); ++k) {
      is_same = first->second[k].word == second->second[k].word;
      furthest = std::max(furthest, std::abs(first->second[k].t - second->second[k].t));
    }
    if (is_same) {
      difference.furthest = std::max(difference.furthest, furthest);
    } else {
      difference.surfaces.push_back(entry.first);
    }
  }
  return difference;
}

// Surface by surface: the same changes in the same order, at times that differ by the errors of both runs.
inline void check_same_changes(const Solution& local, const Solution& global, double most) {
  const Difference difference = difference_of(local, global);
  CHECK(difference.surfaces.empty());
  CHECK(difference.furthest <= most);
}

}  // namespace test
