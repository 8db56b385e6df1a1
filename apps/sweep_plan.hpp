// Which runs a sweep consists of: every combination of the values of its axes, numbered from 0, the last axis fastest.
//
// It must not know how a run is made, nor files.
#pragma once

#include <string>
#include <vector>

#include "slideway/model/model.hpp"

namespace slideway::apps {

// A parameter, or the initial value of a state, and the values it takes.
struct SweepAxis {
  std::string name = {};
  std::vector<double> values = {};
  bool logarithmic = false;
};

// "p=a:b:n" (n values from a to b, equally spaced), "p=a:b:n:log" (with equal ratios) or "p=v1,v2,…".
// Throws std::invalid_argument with what was expected.
SweepAxis parse_axis(const std::string& text);

class SweepPlan {
 public:
  // Throws std::invalid_argument when there are no axes, too many runs, or a name is varied twice or set as well.
  SweepPlan(std::vector<SweepAxis> axes, Settings fixed);

  const std::vector<SweepAxis>& axes() const { return axes_; }
  Index runs() const { return runs_; }
  // One value per axis.
  std::vector<double> values(Index run) const;
  // The fixed settings, then the values of the axes.
  Settings settings(Index run) const;

 private:
  std::vector<SweepAxis> axes_;
  Settings fixed_;
  Index runs_ = 1;
};

}  // namespace slideway::apps
