// The command `slideway-mpi`: `slideway`, whose sweeps are made by the processes of MPI together.
#include <exception>
#include <iostream>

#include "apps/exit_status.hpp"
#include "apps/program.hpp"
#include "slideway/sweep/mpi_workers.hpp"

int main(int argc, char** argv) {
  try {
    slideway::MpiWorkers workers;
    return slideway::apps::program(argc, argv, {.workers = &workers});
  } catch (const std::exception& error) {
    std::cerr << "slideway-mpi: " << error.what() << '\n';
    return slideway::apps::exit_failure;
  }
}
