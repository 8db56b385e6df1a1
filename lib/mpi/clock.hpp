// The clock of the processes of a sweep, and how long they wait for each other.
#pragma once

#include <chrono>

namespace slideway::mpi_time {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

inline double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Between two looks for messages: a receive that blocks would keep a processor busy.
inline constexpr auto kLook = 1ms;
// Results wait at most so long for others to go with.
inline constexpr auto kReport = 20ms;
// The tasks of a thread that wait beside it are to keep it at work so long.
inline constexpr double kAhead = 0.05;
inline constexpr double kMostAhead = 2000;
// A helper tells at least so often that it is there, and is taken for dead after so long without.
inline constexpr auto kBeat = 1s;
inline constexpr auto kSilence = 20s;
// A helper that has nothing to do asks so often.
inline constexpr auto kAskAgain = 10ms;
// After an interruption nobody waits for the others for longer.
inline constexpr auto kHaste = 300ms;
// Others may do something else between two sweeps, but not for ever.
inline constexpr auto kFarewell = 600s;

}  // namespace slideway::mpi_time
