// The core makes the steps in which nothing happens, before the engine looks at them: a filter, as the predicates of computational
// geometry have one. It takes what the stepper has made and asks for bounds that are soon found:
//     a guard or exit that is affine     its chord along the step, less its distance from that
//     an exit of sliding                 the components at the stages of the step (StageSlopes)
// A step that is clear is recorded, and the run goes on from its end. Any other is handed back as it is, and the engine locates and
// decides in it: no rule stands here, so that nothing can be decided otherwise.
//
// Tests switch it off, by SLIDEWAY_CORE=off in the environment: the run is the same to the last bit.
//
// The core is at work in modes of one-step methods without contacts, events, observers and pending limits.
//
// It must not know what follows an arrival, nor how a step is made.
#pragma once

#include "integrate/stepper.hpp"
#include "locate/locator.hpp"
#include "log/run_log.hpp"
#include "run/step_sizes.hpp"
#include "simulate/run_state.hpp"

namespace slideway {

class Core {
 public:
  // The references must outlive the core.
  Core(RunState& now, Locator& locator, RunLog& log, StepSizes& step_sizes);

  // A mode has begun, with its stepper and the scans of its guards.
  void begin_mode();
  bool is_at_work() const { return is_at_work_; }
  // makes() tells whether nothing happens in this step, which the stepper has taken, and nobody looks at it up to its end: the run then
  // stands there. Otherwise nothing has changed. The run may be followed up to `until`.
  bool makes(const StepReport& report, double until);

 private:
  bool is_clear(const StepReport& report, double until);

  RunState& now_;
  Locator& locator_;
  RunLog& log_;
  StepSizes& step_sizes_;
  bool is_wanted_;
  bool is_at_work_ = false;
};

}  // namespace slideway
