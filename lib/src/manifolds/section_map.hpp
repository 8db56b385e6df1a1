// The map of a section: one period of a driven problem, or the return of an autonomous one to a plane.
//
// It must not know orbits.
#pragma once

#include <optional>
#include <string>

#include "slideway/core/types.hpp"
#include "slideway/filippov/mode.hpp"
#include "slideway/model/automaton.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway {

struct SectionState {
  Vector state = {};
  std::string location = {};
};

class SectionMap {
 public:
  // The states at `start`, one `period` later.
  SectionMap(const Automaton& problem, const Options& options, double start, double period);
  // The states on the plane normalᵀ(x − point) = 0 that go in the direction of its normal, at the next return but `returns` − 1. It takes
  // no longer than `most_time`.
  SectionMap(const Automaton& problem, const Options& options, double start, Vector point, Vector normal,
             Index returns, double most_time);

  // Nothing where the run ends before; then failure() says why.
  std::optional<SectionState> operator()(const SectionState& from);
  // From a state beside the section, at the time `t`: to the start time and period of a driven problem, and to the first arrival at a plane.
  std::optional<SectionState> arrive(const SectionState& from, double t, const std::optional<Mode>& mode);

  const std::string& failure() const { return failure_; }
  Index runs() const { return runs_; }

 private:
  // A run that does not begin behind the plane has to come there before a crossing counts as a return.
  std::optional<SectionState> follow(const Run& run, Index returns, bool begins_behind);

  Automaton problem_;
  Options options_;
  double start_;
  double period_;      // or the longest time of a return
  Index returns_ = 0;  // 0 where the problem is driven
  Index runs_ = 0;
  std::string failure_ = {};
};

}  // namespace slideway
