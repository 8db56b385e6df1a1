#include "apps/signal_watch.hpp"

namespace slideway::apps {

namespace {

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void note_interruption(int) { interrupted = true; }

// A request before the handler is there ends the program, so the wish of an earlier watch may be forgotten.
void (*forget_and_note())(int) {
  interrupted = false;
  return note_interruption;
}

}  // namespace

SignalWatch::SignalWatch()
    : handler_({platform::Request::interrupt, platform::Request::terminate}, forget_and_note()) {}

const std::atomic<bool>& SignalWatch::was_interrupted() { return interrupted; }

}  // namespace slideway::apps
