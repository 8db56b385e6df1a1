// The program's own description of its sub-commands and options, from which the help, the man page and the
// completions of shells are made.
//
// It must not know what the sub-commands do.
#pragma once

#include <string>
#include <vector>

namespace slideway::apps {

// The kind of value that an option takes on the command line.
enum class Takes { nothing, word, model, file, text };

struct OptionText {
  std::string name = {};  // "--method"; of a positional "model"
  std::string type = {};  // "auto|bdf"; "" of a flag
  std::string description = {};
  std::string group = {};
  bool positional = false;
  bool repeatable = false;
  Takes takes = Takes::nothing;
  std::vector<std::string> words = {};  // where it takes one of these
};

struct CommandText {
  std::string name = {};
  std::string description = {};
  std::string footer = {};
  std::vector<std::string> examples = {};
  std::vector<OptionText> options = {};
};

inline constexpr const char* program_description =
    "Integrates ordinary differential equations whose right-hand side jumps, and goes on where "
    "ordinary solvers chatter: along sliding modes, with every event located and explained.";

// The sub-commands with all that is not hidden.
std::vector<CommandText> command_texts();

}  // namespace slideway::apps
