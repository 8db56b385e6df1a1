// The processor time of the thread that asks, in seconds: models are looked at on several threads at once.
//
// It must not know what is timed.
#pragma once

#include <ctime>

namespace slideway::validation::random {

inline double thread_seconds() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace slideway::validation::random
