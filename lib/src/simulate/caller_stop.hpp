// The messages of runs that end as stopped_by_caller.
//
// It must not know callbacks.
#pragma once

namespace slideway {

inline constexpr const char* kStoppedByCallback = "the run was stopped by its caller";
inline constexpr const char* kCancelled = "the run was cancelled";

}  // namespace slideway
