// The program `slideway`, whoever makes the runs of its sweeps: reads the command line, calls one sub-command, reports what is wrong on
// standard error.
#pragma once

#include "slideway/sweep/sweep_workers.hpp"

namespace slideway::apps {

// The exit status. Null workers are threads of this process.
int program(int argc, char** argv, SweepWorkers* workers);

}  // namespace slideway::apps
