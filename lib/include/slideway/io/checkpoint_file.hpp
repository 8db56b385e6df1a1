// Checkpoints in files: FILE, a JSON document that is replaced whole, and beside it FILE.log with the events and steps so far, to which
// each checkpoint adds what is new. FILE says how much of the log belongs to it; what a process has added that was killed before FILE
// was replaced is cut off again. Killed at any moment, there is a checkpoint: the last one or the one before it.
//
// A run that begins anew where there is a checkpoint takes FILE.log2, or FILE.log again, until it has written one itself.
// It must not know the format of checkpoints.
#pragma once

#include <string>

#include "slideway/io/files.hpp"
#include "slideway/simulate/checkpoint.hpp"

namespace slideway {

class CheckpointFile {
 public:
  explicit CheckpointFile(std::string path);

  // Returns the content of the file; write() then adds to its log. Throws CheckpointError, naming the file.
  Checkpoint read();
  // Throws FileError; the file is then as it was.
  void write(const Checkpoint& checkpoint);

 private:
  std::string path_;
  std::string log_path_;  // empty while there is none
  LogPosition position_;
};

}  // namespace slideway
