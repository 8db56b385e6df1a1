// Recognises that crossings accumulate geometrically, as on a spiral into an intersection: the time that is left and the
// surfaces that take part.
//
// With S₀ the time of the last turn of p events and S₁ that of the turn before, r = S₀/S₁ < 1 and what is left is
// S₀ r/(1 − r). It must not know what the events are, nor what follows.
#pragma once

#include <optional>
#include <vector>

#include "slideway/core/types.hpp"

namespace slideway {

struct Accumulation {
  double remaining = 0;              // time from the last event to the limit
  double ratio = 0;                  // of the times of successive turns, in (0, 1)
  std::vector<Index> surfaces = {};  // sorted
};

class AccumulationWatch {
 public:
  // Notes a crossing of one surface at t.
  void note(double t, Index surface);
  void clear();
  // The accumulation the last events point to; nothing while they do not shrink steadily.
  std::optional<Accumulation> limit() const;

 private:
  std::vector<double> times_;
  std::vector<Index> surfaces_;
};

}  // namespace slideway
