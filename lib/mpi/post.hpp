// Messages that go from one process of MPI to another. No call waits for another process.
//
// It must not know what the messages are for.
#pragma once

#include <mpi.h>

#include <list>
#include <optional>
#include <set>
#include <string>

#include "lib/mpi/message.hpp"
#include "slideway/sweep/mpi_workers.hpp"

namespace slideway {

class MpiWorkers::Post {
 public:
  Post();
  ~Post();
  Post(const Post&) = delete;
  Post& operator=(const Post&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  // The sweeps are numbered, so that an early message for the next one waits. Farewells have a number of their own.
  void begin_sweep() { ++sweep_; }
  int sweep_tag() const { return sweep_ % kTags; }
  static constexpr int farewell_tag() { return kTags; }

  struct Received {
    int rank = 0;
    int tag = 0;
    Message message = {};
  };

  // False where the process cannot be reached any more.
  bool send(int rank, int tag, const Message& message);
  // True when all that was sent has left.
  bool is_all_sent();
  // Forgets the messages to a process that is gone.
  void drop_unsent(int rank);
  std::optional<Received> receive(int tag);
  std::optional<Received> receive_any() { return receive(MPI_ANY_TAG); }

  // The processes that said farewell.
  void note_farewell(int rank) { farewells_.insert(rank); }
  bool has_all_farewells() const { return static_cast<int>(farewells_.size()) == size_ - 1; }

  // Somebody died: MPI cannot be ended in order.
  void note_death() { someone_died_ = true; }
  bool someone_died() const { return someone_died_; }

 private:
  struct Letter {
    std::string bytes;
    int rank = 0;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  static constexpr int kTags = 1024;

  MPI_Comm world_ = MPI_COMM_NULL;
  bool started_here_ = false;
  bool someone_died_ = false;
  int rank_ = 0;
  int size_ = 1;
  int sweep_ = 0;
  std::set<int> farewells_;
  std::list<Letter> letters_;  // on their way
  // To whom is gone: MPI may still look at the bytes.
  std::list<Letter> lost_;
};

}  // namespace slideway
