// The command `slideway`.
#include "apps/mpi_launch.hpp"
#include "apps/program.hpp"

int main(int argc, char** argv) {
  // become_mpi_program() does not return where the processes of MPI are to make a sweep together.
  if (const int failure = slideway::apps::become_mpi_program(argc, argv)) return failure;
  return slideway::apps::program(argc, argv, {});
}
