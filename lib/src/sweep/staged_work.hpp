// The queue of work that is done stage after stage: items in tasks, their progress, and files that are written now and then. What is
// learnt in a stage counts from the next one on, so that no result depends on who works.
//
// It must not know what an item is, nor who works.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "slideway/sweep/sweep_workers.hpp"

namespace slideway {

struct StagedWorkOptions {
  Index jobs = 0;  // threads of every process; 0: one per processor
  bool has_other_processes = false;
  const std::atomic<bool>* cancel = nullptr;
  std::function<void(Index done, Index total)> on_progress = {};
};

// The options of a caller, of which BasinOptions are one kind.
template <class Asked>
StagedWorkOptions staged_options(const Asked& asked) {
  return {.jobs = asked.jobs,
          .has_other_processes = asked.workers != nullptr,
          .cancel = asked.cancel,
          .on_progress = asked.on_progress};
}

class StagedWork : public SweepWork {
 public:
  StagedWork(StagedWorkOptions options, std::string mark);

  bool has_tasks() const { return !tasks_.empty(); }
  // Makes one stage by the workers; the other processes wait for the writer, also where nothing is left to do.
  void run_by(SweepWorkers& workers);

  const std::string& mark() const final { return stage_mark_; }
  Index jobs() const final;
  std::optional<std::string> next() final;
  void put_back(const std::string& task) final;
  Index waiting() const final;
  bool attend() final;
  void note_time(double, double) final {}
  void cancel() final { cancelled_ = true; }
  bool is_cancelled() const final;

 protected:
  // Begins a stage whose tasks have up to `most` of these items each, in their order, and at least `fewest` tasks are made of them.
  void begin_tasks(Index stage, const std::vector<Index>& items, Index fewest, Index most);
  const std::string& whole_mark() const { return mark_; }
  std::mutex& mutex() const { return mutex_; }

  virtual std::string text_of(const std::vector<Index>& items) const = 0;
  virtual std::vector<Index> items_of(const std::string& task) const = 0;
  virtual Index done() const = 0;  // called with the mutex held
  virtual Index total() const = 0;
  virtual void write() = 0;  // replaces the files as a whole

 private:
  using Clock = std::chrono::steady_clock;

  StagedWorkOptions options_;
  std::string mark_;
  std::string stage_mark_;
  mutable std::mutex mutex_;
  std::vector<std::vector<Index>> tasks_;  // that nobody has yet, the next task last
  std::atomic<bool> cancelled_ = false;
  Clock::time_point next_writing_;
};

}  // namespace slideway
