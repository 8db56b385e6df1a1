// The workers that make the runs of a sweep: threads of this process, or processes that know each other, as those of MPI.
//
// Tasks and results are bytes here, so that they go from one process to another as they are. Their carrier must not
// know what is in them.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "slideway/core/types.hpp"

namespace slideway {

// The work of a sweep, as its engine offers it. Every member may be called by several threads, attend() by one at a time.
class SweepWork {
 public:
  SweepWork() = default;
  virtual ~SweepWork() = default;
  SweepWork(const SweepWork&) = delete;
  SweepWork& operator=(const SweepWork&) = delete;

  // The same text in all processes that make the same sweep with the same shard.
  virtual const std::string& mark() const = 0;
  // The threads of each process.
  virtual Index jobs() const = 0;

  // next() is called in the process that writes. It returns a task that nobody has yet; put_back() returns a
  // task whose worker is gone.
  virtual std::optional<std::string> next() = 0;
  virtual void put_back(const std::string& task) = 0;
  // The number of tasks that nobody has yet, at most.
  virtual Index waiting() const = 0;
  // Keeps a result; one that is there already is no harm.
  virtual void accept(const std::string& result) = 0;
  // attend() writes the files now and then and tells how far the sweep is; it is called ten times a second. It returns
  // false where all must stop.
  virtual bool attend() = 0;
  // note_time() takes how long a worker was at work, of the seconds that it was there.
  virtual void note_time(double at_work, double there) = 0;

  // make() is called in any process. It makes the runs of a task, and hands each result on as soon as it is
  // there. It returns false where it was cancelled.
  virtual bool make(const std::string& task, const std::function<void(const std::string&)>& hand_on) = 0;
  virtual void cancel() = 0;
  // is_cancelled() tells whether somebody asked this process to stop.
  virtual bool is_cancelled() const = 0;
};

class SweepWorkers {
 public:
  SweepWorkers() = default;
  virtual ~SweepWorkers() = default;
  SweepWorkers(const SweepWorkers&) = delete;
  SweepWorkers& operator=(const SweepWorkers&) = delete;

  // True in the one process that keeps results and writes files.
  virtual bool is_writer() const = 0;
  // Returns when all the work is done or was cancelled. Throws what attend() and accept() throw.
  virtual void run(SweepWork& work) = 0;
  // Tells the writer why this process takes no part, to be called instead of run().
  virtual void stay_away(const std::string& reason) { static_cast<void>(reason); }
};

}  // namespace slideway
