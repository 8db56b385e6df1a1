#include "sweep/thread_workers.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace slideway {

namespace {

using SteadyClock = std::chrono::steady_clock;

double seconds_since(SteadyClock::time_point begin) {
  return std::chrono::duration<double>(SteadyClock::now() - begin).count();
}

}  // namespace

void ThreadWorkers::run(SweepWork& work) {
  using namespace std::chrono_literals;
  std::mutex mutex;
  std::condition_variable all_stopped;
  std::exception_ptr failure;
  const auto fail = [&] {
    const std::lock_guard lock(mutex);
    if (!failure) failure = std::current_exception();
    work.cancel();
  };
  const Index wanted = std::min(work.jobs(), work.waiting());
  Index active = wanted;
  const SteadyClock::time_point begin = SteadyClock::now();
  const auto labour = [&] {
    double at_work = 0;
    try {
      while (const auto task = work.next()) {
        const SteadyClock::time_point began = SteadyClock::now();
        const bool is_made = work.make(*task, [&](const std::string& result) { work.accept(result); });
        at_work += seconds_since(began);
        if (!is_made) break;
      }
    } catch (...) {
      fail();
    }
    work.note_time(at_work, 0);
    const std::lock_guard lock(mutex);
    if (--active == 0) all_stopped.notify_all();
  };
  std::vector<std::thread> threads;
  for (Index job = 0; job < wanted; ++job) threads.emplace_back(labour);
  try {
    std::unique_lock lock(mutex);
    while (!all_stopped.wait_for(lock, 100ms, [&] { return active == 0; })) {
      lock.unlock();
      work.attend();
      lock.lock();
    }
  } catch (...) {
    fail();
  }
  for (std::thread& thread : threads) thread.join();
  work.note_time(0, seconds_since(begin) * static_cast<double>(wanted));
  if (failure) std::rethrow_exception(failure);
}

}  // namespace slideway
