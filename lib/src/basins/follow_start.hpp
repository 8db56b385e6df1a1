// A start is followed by the map until it is seen where it ends.
//
// It must not know other starts, except by what is known before the stage.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "basins/basin_problem.hpp"
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

// Null colours: the start is followed to an attractor. Nothing where it was cancelled.
std::optional<StartEnd> follow_start(const BasinProblem& problem, const Simulator& simulator,
                                     const Vector& state, const KnownEnds& known,
                                     const CoarseColours* colours, const std::function<bool()>& is_cancelled);

}  // namespace slideway
