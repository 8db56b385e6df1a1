#include "run/core.hpp"

#include <cmath>
#include <cstdlib>
#include <string_view>

#include "simulate/precision.hpp"

namespace slideway {

namespace {

bool is_switched_off() {
  const char* const wanted = std::getenv("SLIDEWAY_CORE");
  return wanted && std::string_view(wanted) == "off";
}

}  // namespace

Core::Core(RunState& now, Locator& locator, RunLog& log, StepSizes& step_sizes)
    : now_(now), locator_(locator), log_(log), step_sizes_(step_sizes), is_wanted_(!is_switched_off()) {}

void Core::begin_mode() {
  const LocationTools& here = *now_.here;
  is_at_work_ = is_wanted_ && !now_.options.on_step && now_.stepper == here.stepper.get() &&
                now_.stepper->stages_span_step() && !here.contacts && here.watch.size() == 0 &&
                now_.agenda.limits.empty() && !now_.dense_output_drifts();
}

bool Core::makes(const StepReport& report, double until) {
  if (!is_at_work_) return false;
  if (!is_clear(report, until)) return false;
  now_.t = report.end;
  now_.stepper->evaluate(now_.t, now_.x);
  log_.append_step(report.start, now_.t);
  step_sizes_.note(now_.t, now_.t - report.start);
  return true;
}

// The scans come last: they go on to the end of a step that is clear.
bool Core::is_clear(const StepReport& report, double until) {
  return report.status == StepStatus::advanced && report.end <= until && std::isnan(report.root) &&
         now_.restart.steps_in_mode() % kStepsToRest != 0 && !log_.wants_output_by(report.end) &&
         locator_.passes_to(report.end);
}

}  // namespace slideway
