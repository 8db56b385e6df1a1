// What is made from the program's own description of its options: completions for shells, and the man page.
//
// It must not know what the sub-commands do.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

namespace slideway::apps {

// What follows an option on the command line.
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
  std::vector<OptionText> options = {};
};

// The sub-commands with all that is not hidden.
std::vector<CommandText> command_texts(const CLI::App& program);

void write_bash_completion(const CLI::App& program, const std::vector<std::string>& models, std::ostream& out);
void write_zsh_completion(const CLI::App& program, const std::vector<std::string>& models, std::ostream& out);
void write_man_page(const CLI::App& program, std::ostream& out);

}  // namespace slideway::apps
