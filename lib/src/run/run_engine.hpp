// One run, behind Simulator::run: the loop
//     choose the stepper of the mode → step → locate (Locator) → decide (ModeManager) → log (RunLog)
// until the run ends. The state that these share is a RunState.
//
// It must not know file formats, nor how guards are located, nor what decides the mode.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "locate/locator.hpp"
#include "log/run_log.hpp"
#include "rules/mode_manager.hpp"
#include "run/step_sizes.hpp"
#include "simulate/run_state.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway {

class RunEngine {
 public:
  // The references must outlive the engine. `structures` has one entry per location.
  RunEngine(const Automaton& automaton, const std::vector<std::shared_ptr<const RelayStructure>>& structures,
            const Options& options, const Run& run);
  Solution execute();

 private:
  // Freezes the mode, chooses its stepper and starts the locator. False when the run is over.
  bool begin_mode();
  Stepper* choose_stepper();
  bool arrive_with_guards(double t);
  // Steps to the next event, or to the end of the run.
  ModeEnd follow_mode();
  // False when the run is over. Records on the way are handed out; the arrival that ends the mode is the locator's.
  bool scan_step(double end);
  ModeEnd end_where_it_fails();
  // Where what slides has come to a point in which it stays, between events.
  std::optional<ModeEnd> end_at_rest();
  std::optional<ModeEnd> end_within_step(double step_start, double step_end);
  // True when the run is over, for that.
  bool too_many_steps();
  // ---- what went through but is probably not meant (warnings.cpp)
  void warn_of_shrinking_steps();
  // Guards that the end finds beyond zero, and that never fired.
  void warn_of_silent_guards();
  void warn_of(Index event);

  RunState now_;
  RunLog log_;
  Locator locator_;
  ModeManager manager_;

  double last_look_;  // t where the run last looked back at how far its steps lead
  StepSizes step_sizes_;
  Vector state_, nudged_state_, noise_weights_;  // buffers, for one function at a time
};

}  // namespace slideway
