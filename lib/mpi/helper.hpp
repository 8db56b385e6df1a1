// A process that makes runs for the writer.
//
// It must not know what tasks and results are.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "lib/mpi/clock.hpp"
#include "lib/mpi/post.hpp"

namespace slideway {

class MpiWorkers::Helper {
 public:
  Helper(Post& post, SweepWork& work);
  // Until the writer, or somebody who interrupts, says stop.
  void run();

 private:
  using Clock = mpi_time::Clock;

  void labour();
  bool look();
  void take(Message message);
  // The tasks that are wanted in all, those that wait here included.
  std::size_t level() const;
  void report_if_due();
  void say_bye();

  Post& post_;
  SweepWork& work_;
  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::deque<NumberedTask> waiting_;
  std::vector<std::uint64_t> made_;
  std::vector<std::uint64_t> not_made_;
  std::vector<std::string> results_;
  std::size_t idle_ = 0;     // threads
  double mean_seconds_ = 0;  // of the last tasks
  double at_work_ = 0;
  bool stopped_ = false;

  // These members belong to the thread that looks.
  Clock::time_point begin_ = Clock::now();
  Clock::time_point last_report_ = begin_;
  Clock::time_point asked_ = begin_;
  bool is_asking_ = true;  // the greeting asks
  bool was_answered_ = false;
};

}  // namespace slideway
