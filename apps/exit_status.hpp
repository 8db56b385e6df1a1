// The exit statuses of the program, and their meanings.
#pragma once

namespace slideway::apps {

inline constexpr int exit_success = 0;  // reached the end, or a stop event
inline constexpr int exit_failure = 1;  // a validation case failed, or a result could not be written
inline constexpr int exit_misuse = 2;   // the command line or the model is wrong; nothing was run
inline constexpr int exit_stopped_early =
    3;  // a run or sweep stopped early, a check found a problem; what there is was written
inline constexpr int exit_checkpointed =
    4;  // SIGTERM ended a run that has written a checkpoint; there is no result
inline constexpr int exit_audit_failed =
    5;  // a run came to its end or a stop, but contradicts its model file; all of it was written

}  // namespace slideway::apps
