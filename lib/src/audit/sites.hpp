// The sites at which a right-hand side jumps: each has a key, a guard h whose sign decides, and the side that was taken.
#pragma once

#include <cstdint>
#include <unordered_map>

namespace slideway::auditing {

using SiteKey = std::uint64_t;

struct Site {
  double guard = 0;
  double side = 0;         // −1 … 1, the one that was taken
  bool is_memory = false;  // either side is possible here
  double above = 1;        // break-away: λ is in [−below, above] where it slides
  double below = 1;
};

// The sites that an evaluation has met.
using Met = std::unordered_map<SiteKey, Site>;
// The sides that sites are given.
using Sides = std::unordered_map<SiteKey, double>;

}  // namespace slideway::auditing
