// The help that --help prints.
//
// It must not know what the sub-commands do.
#pragma once

#include <iosfwd>

#include "apps/command_texts.hpp"
#include "apps/layout.hpp"

namespace slideway::apps {

void print_help(const CommandText& command, const Screen& screen, std::ostream& out);

// Prints the help of the program: its purpose, then its commands, a line each.
void print_program_help(const std::vector<CommandText>& commands, const Screen& screen, std::ostream& out);

}  // namespace slideway::apps
