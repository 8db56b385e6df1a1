// Ctrl-C and the request to terminate, as a wish that the command grants when it can.
#pragma once

#include <atomic>
#include <csignal>

namespace slideway::apps {

// SignalWatch makes was_interrupted() true at the first such signal during its life; the second one ends the
// program at once.
class SignalWatch {
 public:
  SignalWatch();
  ~SignalWatch();
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  static const std::atomic<bool>& was_interrupted();

 private:
  struct sigaction old_interrupt_ {};
  struct sigaction old_terminate_ {};
};

}  // namespace slideway::apps
