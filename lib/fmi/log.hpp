// Log keeps the last messages of an FMU for the sentence that tells of an error, and makes exceptions of statuses.
//
// It must not know the functions of an FMU.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace slideway::fmi {

class Log {
 public:
  // Where it shows messages they go to the standard error, all that the FMU sends.
  explicit Log(std::string file, bool shows = false) : file_(std::move(file)), shows_(shows) {}

  // Takes a message of the FMU. Messages with a status that is no error are not kept.
  void take(int status, const char* category, const char* text);
  // Throws std::domain_error for `discard`, and std::runtime_error for `error` and `fatal`. `function` names what was called.
  void check(int status, const char* function);
  // The last complaints of the FMU, after " (the FMU says: "; "" for nothing.
  std::string complaints() const;

 private:
  std::string file_;
  bool shows_;
  std::vector<std::string> messages_;
};

}  // namespace slideway::fmi
