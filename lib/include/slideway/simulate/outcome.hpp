// How a run ended. A run never throws: it says here why it stopped and up to which time the result is good.
#pragma once

#include <string>

namespace slideway {

enum class Status {
  reached_end,
  stopped_by_event,
  ambiguous,
  zeno,
  chattering,
  step_failure,
  step_limit,
  user_function_failed,
  stopped_by_caller,  // a callback returned Answer::stop, or LiveRun::cancel() was called
};

// "reached_end", "stopped_by_event", …
const char* to_string(Status status);

struct Outcome {
  Status status = Status::reached_end;
  double t = 0;              // the time up to which the solution holds
  std::string message = {};  // empty when the end was reached; else what happened and what to do

  bool reached_end() const { return status == Status::reached_end; }
  // The end or a stop event: the run did what was asked of it.
  bool succeeded() const { return status == Status::reached_end || status == Status::stopped_by_event; }
};

}  // namespace slideway
