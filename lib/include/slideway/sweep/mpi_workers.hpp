// The processes of MPI make the runs of a sweep: rank 0 hands out tasks, keeps results and writes files, and all of them work.
// For programs that link slideway::mpi.
//
//     int main() {
//       slideway::MpiWorkers workers;  // in every process, before anything else that may fail
//       const SweepResult result = slideway::sweep(model, design, {.workers = &workers});
//       if (result.is_writer) …
//     }
//
// Tasks go to whoever has none left, so that all of them end together. A process that dies, where MPI lets the others go on, loses
// the runs it was in, which others make again.
// It must not know what tasks and results are.
#pragma once

#include <memory>
#include <string>

#include "slideway/sweep/sweep_workers.hpp"

namespace slideway {

class MpiWorkers final : public SweepWorkers {
 public:
  // Starts MPI, unless the program did. Throws std::runtime_error where it does not start.
  MpiWorkers();
  // Waits for the other processes, and ends MPI if it was started here.
  ~MpiWorkers() override;

  int rank() const;
  int size() const;
  bool is_writer() const override { return rank() == 0; }
  // run() must be called by all processes for the same sweep. It throws std::invalid_argument in rank 0 where
  // another process has another sweep, or stays away.
  void run(SweepWork& work) override;
  void stay_away(const std::string& reason) override;

 private:
  class Post;
  class Writer;
  class Helper;
  std::unique_ptr<Post> post_;
};

}  // namespace slideway
