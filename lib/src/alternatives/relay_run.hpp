// The common part of the runs of relays alone (hysteresis, Euler, Algorithm 1): their refusals and their results.
//
// It must not know how they take their steps.
#pragma once

#include <chrono>

#include "slideway/simulate/alternatives.hpp"

namespace slideway {

// Throws std::invalid_argument for a run that does not fit the system or meets an obstacle.
void check_relay_run(const System& system, const Options& options, const Run& run, const char* where);

// The side of every guard at a start: +1 or −1; on the surface that to which the field goes.
Vector relays_at_start(const System& system, double t, ConstVectorRef x);

// A solution under construction, without its trajectory.
class RelayRun {
 public:
  RelayRun(const System& system, const Options& options, const Run& run, ConstVectorRef relays);

  // Writes the outputs up to `end`, of a step that begins where the last one ended. `evaluate(t, x)` tells the state.
  template <class Evaluate>
  void write_outputs(double end, const Evaluate& evaluate) {
    while (next_output_ < options_.output_times.size() && options_.output_times[next_output_] <= end) {
      evaluate(options_.output_times[next_output_], solution.outputs.col(static_cast<Index>(next_output_)));
      ++next_output_;
    }
  }
  // A relay turned: relays[surface] is the new value. False when there have been too many.
  bool turn(double t, ConstVectorRef x, Index surface, ConstVectorRef relays);
  void finish(Status status, double t, std::string message = "");
  Solution take(double t, ConstVectorRef x, ConstVectorRef relays);

  Solution solution = {};

 private:
  void keep_turn(double t, ConstVectorRef x, Index surface, ConstVectorRef relays);

  const System& system_;
  const Options& options_;
  std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  std::size_t next_output_ = 0;
};

}  // namespace slideway
