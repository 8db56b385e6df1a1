// Ctrl-C and the request to terminate, as a wish that the command grants when it can.
#pragma once

#include <atomic>

#include "slideway/detail/core/platform/programs.hpp"

namespace slideway::apps {

// SignalWatch makes was_interrupted() true at the first such signal during its life; the second one ends the
// program at once.
class SignalWatch {
 public:
  SignalWatch();

  static const std::atomic<bool>& was_interrupted();

 private:
  platform::RequestHandler handler_;
};

}  // namespace slideway::apps
