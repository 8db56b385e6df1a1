#include "apps/signal_watch.hpp"

namespace slideway::apps {

namespace {

std::atomic<bool> interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void note_interruption(int) { interrupted = true; }

}  // namespace

SignalWatch::SignalWatch() {
  struct sigaction action {};
  action.sa_handler = note_interruption;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  sigemptyset(&action.sa_mask);
  interrupted = false;
  sigaction(SIGINT, &action, &old_interrupt_);
  sigaction(SIGTERM, &action, &old_terminate_);
}

SignalWatch::~SignalWatch() {
  sigaction(SIGINT, &old_interrupt_, nullptr);
  sigaction(SIGTERM, &old_terminate_, nullptr);
}

const std::atomic<bool>& SignalWatch::was_interrupted() { return interrupted; }

}  // namespace slideway::apps
