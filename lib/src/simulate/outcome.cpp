#include "slideway/simulate/outcome.hpp"

namespace slideway {

const char* to_string(Status status) {
  switch (status) {
    case Status::reached_end: return "reached_end";
    case Status::stopped_by_event: return "stopped_by_event";
    case Status::ambiguous: return "ambiguous";
    case Status::zeno: return "zeno";
    case Status::chattering: return "chattering";
    case Status::step_failure: return "step_failure";
    case Status::step_limit: return "step_limit";
    case Status::user_function_failed: return "user_function_failed";
    case Status::stopped_by_caller: return "stopped_by_caller";
  }
  return "unknown";
}

}  // namespace slideway
