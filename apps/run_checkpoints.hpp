// The checkpoints of `slideway run`: when they are written, what they say of the command, and how a run goes on from one.
//
// It must not know documents of results.
#pragma once

#include <iosfwd>
#include <optional>
#include <string>

#include "apps/commands.hpp"
#include "apps/followed_run.hpp"
#include "slideway/io/checkpoint_file.hpp"

namespace slideway::apps {

// "60s", "1.5s", "100000steps", "1e6steps"; nothing for anything else.
std::optional<CheckpointInterval> interval_in(const std::string& text);

class RunCheckpoints {
 public:
  // Reads the checkpoint that the run goes on from, if there is one. Throws CheckpointError, or std::invalid_argument for options that
  // checkpoints do not go with.
  explicit RunCheckpoints(const RunArguments& arguments);

  bool any() const { return !file_.empty(); }
  // The arguments with those of the run that is gone on with, where the command line does not say otherwise.
  const RunArguments& arguments() const { return arguments_; }
  // Follows the solution; false where SIGTERM has ended it after a checkpoint. Throws CheckpointError.
  bool follow(FollowedRun& run, std::ostream& err);
  // The exit status after that.
  int report_stop(std::ostream& err) const;

 private:
  RunArguments arguments_;
  std::string file_;  // where checkpoints are written; empty where the run has none
  CheckpointInterval interval_;
  std::optional<CheckpointFile> store_;
  std::optional<Checkpoint> from_;
  double stopped_at_ = 0;
  bool last_is_written_ = false;
};

}  // namespace slideway::apps
