// A start is followed by the map until it is seen where it ends.
//
// It must not know other starts, except by what is known before the stage.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "basins/attractor_map.hpp"
#include "basins/known_ends.hpp"

namespace slideway {

// An attractor that a start has come to, before it is known which one it is.
struct FoundAttractor {
  std::vector<Iterate> iterates = {};  // one round of it where it is periodic, else many
  Index rounds = 0;                    // 0: it is not periodic
};

// StartEnd tells where a start ends: at a known end, at an attractor that is new, or elsewhere, which `name` tells.
struct StartEnd {
  int known = -1;
  std::optional<FoundAttractor> found = {};
  std::string name = {};
  std::string message = {};
  Index steps = 0;
};

// The end that all starts around a state have, −1 where they differ. A default one is never asked.
using SurroundingEnd = std::function<int(ConstVectorRef)>;

// The run begins at the start; its end counts for nothing. Nothing is returned where it was cancelled.
std::optional<StartEnd> follow_start(const AttractorMap& map, const Simulator& simulator, const Run& run,
                                     const KnownEnds& known, const SurroundingEnd& surrounding,
                                     const std::function<bool()>& is_cancelled);

}  // namespace slideway
