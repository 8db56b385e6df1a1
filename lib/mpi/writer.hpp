// Rank 0: it hands out tasks, keeps results, has the files written, and makes runs like the others.
//
// It must not know what tasks and results are.
#pragma once

#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "lib/mpi/clock.hpp"
#include "lib/mpi/post.hpp"

namespace slideway {

class MpiWorkers::Writer {
 public:
  Writer(Post& post, SweepWork& work);
  void run();

 private:
  using Clock = mpi_time::Clock;

  // These describe another process.
  struct Other {
    bool has_greeted = false;
    bool is_gone = false;  // said bye, or is taken for dead
    Clock::time_point last_heard = Clock::now();
    Clock::time_point last_recall = {};
    std::map<std::uint64_t, std::string> tasks = {};  // that it has
    std::uint64_t threads = 1;
    std::uint64_t wanted = 0;
    std::uint64_t idle = 0;
  };

  void labour();
  void attend();
  bool look();
  void take(int rank, Message& message);
  void hand_out(int rank);
  void recall_waiting_tasks();
  void find_dead();
  void lose(int rank);
  bool is_done();
  void stop_all(bool in_haste);
  void note_failure();

  Post& post_;
  SweepWork& work_;
  std::vector<Other> others_;  // by rank; the first one is this process
  std::uint64_t next_number_ = 1;
  std::string complaint_;  // on another process

  std::mutex mutex_;  // of what follows
  std::condition_variable changed_;
  std::exception_ptr failure_;
  Index busy_ = 0;  // threads of this process
  Index idle_ = 0;
  bool stopped_ = false;
  bool interrupted_ = false;
};

}  // namespace slideway
