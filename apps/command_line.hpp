// From argv to the arguments of one sub-command.
//
// It must not know what the sub-commands do.
#pragma once

#include <variant>

#include "apps/commands.hpp"

namespace slideway::apps {

struct ModelsArguments {};
struct ManPageArguments {};
// Answered says that nothing is left to do: help or an error has been printed.
struct Answered {
  int exit_status = 0;
};

using Command =
    std::variant<Answered, RunArguments, CheckArguments, CompareArguments, SweepArguments, OrbitArguments,
                 LyapunovArguments, EquilibriaArguments, BasinsArguments, DiagramArguments, ManifoldArguments,
                 FitArguments, ModelsArguments, ShowArguments, ExportArguments, ValidateArguments,
                 CompletionArguments, ManPageArguments>;

// Prints help to `out`, and to `err` one message for a command line that is wrong.
Command parse_command_line(int argc, const char* const* argv, std::ostream& out, std::ostream& err);

}  // namespace slideway::apps
