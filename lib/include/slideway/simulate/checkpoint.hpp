// A run that has come part of its way, as text, so that it can go on after the process has ended:
//
//     Checkpointing checkpoints{.seconds = 60, .write = [](const Checkpoint& c) { save(c.serialise()); }};
//     std::optional<Solution> solution = run_with_checkpoints(simulator, run, checkpoints);
//     …
//     solution = resume(simulator, Checkpoint::restore(saved), checkpoints);
//
// Both give the same solution bit for bit, whatever the method and wherever the run was ended. For that the run itself goes through its
// own checkpoint every kStepsToPause steps (or `steps`, if these are fewer): it forgets all but what the checkpoint holds, and goes on
// from its text. Multistep methods begin at order one there. When a checkpoint is written, after which time or at which signal, then
// makes no difference to the solution.
//
// The text is JSON with numbers in hexadecimal notation, followed by the events and steps so far, a line each.
// It must not know files (io/checkpoint_file.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "slideway/simulate/simulator.hpp"
#include "slideway/simulate/solution.hpp"

namespace slideway {

// A checkpoint that cannot be used: damaged, of another version, or of another problem. The message says which, and why.
class CheckpointError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The part of the events and steps that a log holds already.
struct LogPosition {
  std::size_t events = 0;
  std::size_t segments = 0;
  std::size_t steps = 0;
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0xcbf29ce484222325ULL;  // Fowler, Noll and Vo's, of 64 bits, which begins so
};

class Checkpoint {
 public:
  // The run goes through its checkpoint so often.
  static constexpr std::int64_t kStepsToPause = 10'000;

  // Throws CheckpointError for text that is damaged or of another version.
  static Checkpoint restore(const std::string& text);
  // All of it.
  std::string serialise() const;

  // ---- in two parts: a document of about constant size, and a log that only grows
  // The lines that the log lacks at this position, which is moved to its end.
  std::string log_from(LogPosition& position) const;
  // The document that goes with a log up to there, which is in a file of this name; "" where it follows the document.
  std::string document(const LogPosition& log, const std::string& log_file) const;
  // The name of the file that the log of a document is in, and the log's end in it. Throws CheckpointError.
  static std::string log_file_of(const std::string& document, LogPosition& log);
  // `log` is what that file holds up to the position. Throws CheckpointError.
  static Checkpoint restore(const std::string& document, const std::string& log);

  // t() returns the time that the run has reached.
  double t() const { return t_; }
  std::int64_t steps() const { return steps_; }
  // Checkpointing::note of the run.
  const std::string& note() const { return note_; }
  // The interval of the run in steps (0: by time) and seconds.
  std::int64_t interval_steps() const { return interval_steps_; }
  double interval_seconds() const { return interval_seconds_; }
  // run() returns where the run began and where it is to end.
  const Run& run() const { return run_; }
  bool records_trajectory() const { return records_trajectory_; }

 private:
  friend class CheckpointedRun;
  double t_ = 0;
  std::int64_t steps_ = 0;
  std::string note_;
  std::int64_t interval_steps_ = 0;
  double interval_seconds_ = 0;
  Run run_;
  bool records_trajectory_ = false;
  std::string problem_;                     // JSON: what the run is of
  std::string state_;                       // JSON: what holds at its place
  std::shared_ptr<const Solution> so_far_;  // its events and steps
};

struct Checkpointing {
  std::int64_t steps = 0;  // between two that are written; 0: by time
  double seconds = 60;     // of wall time
  // Called with each that is due. Its exceptions pass through the run.
  std::function<void(const Checkpoint&)> write = {};
  // The run asks stop() at every pause; if it returns true the run writes a checkpoint and ends.
  std::function<bool()> stop = {};
  // The model is described in any words, and resume() refuses another description. resume() also compares the
  // values of fields and guards at a few points, the options and the start.
  std::string model = {};
  std::string note = {};  // for whoever resumes the run
};

// run_with_checkpoints() does what Simulator::run does and returns nothing if it was stopped. `wall_seconds` is
// NaN, since there may have been several processes. Observers see the part of the run that this process follows.
// It throws std::invalid_argument as Simulator::run does.
std::optional<Solution> run_with_checkpoints(const Simulator& simulator, const Run& run,
                                             const Checkpointing& checkpointing);
// Goes on where the run of the checkpoint was. Throws CheckpointError where the problem or an option that changes the result is
// another one.
std::optional<Solution> resume(const Simulator& simulator, const Checkpoint& checkpoint,
                               const Checkpointing& checkpointing);

}  // namespace slideway
