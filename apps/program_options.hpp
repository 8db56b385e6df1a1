// The program with all its sub-commands and options: what is parsed, what the help, the man page and the completions
// of shells are made from.
//
// It must not know what the sub-commands do.
#pragma once

#include <memory>

#include <CLI/CLI.hpp>

#include "apps/commands.hpp"

namespace slideway::apps {

// Where parsing puts what it reads: one set of arguments for every sub-command.
struct AllArguments {
  RunArguments run = {};
  CheckArguments check = {};
  SweepArguments sweep = {};
  CompletionArguments completion = {};
  ShowArguments show = {};
  ValidateArguments validate = {};
  std::optional<double> validation_rtol = {};
  std::string unused = {};
};

// Refers to the arguments, which must outlive it.
std::unique_ptr<CLI::App> make_program(AllArguments& arguments);

}  // namespace slideway::apps
