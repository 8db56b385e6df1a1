// The programs `slideway`, `slideway-mpi` and `slideway-validate`. Each reads the command line, calls one sub-command, and reports
// mistakes on standard error.
#pragma once

#include <ostream>

#include "apps/commands.hpp"
#include "slideway/sweep/sweep_workers.hpp"

namespace slideway::apps {

// Abilities hold what only some of the programs can do.
struct Abilities {
  // Null: sweeps are made by threads of this process.
  SweepWorkers* workers = nullptr;
  // Null: the program `slideway-validate` takes the place of this one.
  int (*validate)(const ValidateArguments&, std::ostream&) = nullptr;
};

// The exit status.
int program(int argc, char** argv, const Abilities& abilities);

}  // namespace slideway::apps
