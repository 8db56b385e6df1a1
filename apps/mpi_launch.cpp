#include "apps/mpi_launch.hpp"

#include <cstdlib>
#include <iostream>
#include <string>

#include "apps/exit_status.hpp"
#include "apps/other_program.hpp"

namespace slideway::apps {

namespace {

std::string environment(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// Open MPI's mpirun, then MPICH's and Slurm's; Slurm tells its own steps of MPI by PMIX_RANK. "" and "1" are one process.
std::string started_processes() {
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (const std::string size = environment(name); !size.empty()) return size;
  return environment("PMIX_RANK").empty() ? "" : environment("SLURM_STEP_NUM_TASKS");
}

bool is_first() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"})
    if (const std::string rank = environment(name); !rank.empty()) return rank == "0";
  return true;
}

}  // namespace

int become_mpi_program(int argc, char** argv) {
  const std::string command = argc < 2 ? "" : argv[1];
  if (command != "sweep" && command != "basins" && command != "diagram") return exit_success;
  const std::string processes = started_processes();
  if (processes.empty() || processes == "1") return exit_success;
  become_program("slideway-mpi", argv);
  if (is_first())
    std::cerr
        << "slideway: " << processes
        << " processes of MPI were started for one command, and there is no slideway-mpi beside this program "
           "or "
           "in the PATH; install the package slideway-mpi (or build with MPI: libopenmpi-dev), or start one "
           "process, or divide the runs without MPI by --shard\n";
  return exit_misuse;
}

}  // namespace slideway::apps
