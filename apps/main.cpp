// The command `slideway`.
#include "apps/mpi_launch.hpp"
#include "apps/program.hpp"
#include "slideway/detail/core/platform/program_start.hpp"

int main(int argc, char** argv) {
  slideway::platform::ProgramStart start(argc, argv);
  // become_mpi_program() does not return where the processes of MPI are to make a sweep together.
  if (const int failure = slideway::apps::become_mpi_program(start.count(), start.arguments()))
    return failure;
  return slideway::apps::program(start.count(), start.arguments(), {});
}
