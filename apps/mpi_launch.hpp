// From `slideway` to `slideway-mpi`, so that `mpirun slideway sweep` is all that a user types, and `slideway` needs no MPI.
#pragma once

namespace slideway::apps {

// Where several processes were started by MPI to make one sweep, this one becomes `slideway-mpi`, and the function does not return.
// `slideway-mpi` is looked for beside this program, then in the PATH. The function returns 0 where this is no sweep or MPI started
// one process only, and an exit status after a message where `slideway-mpi` cannot be started.
int become_mpi_program(int argc, char** argv);

}  // namespace slideway::apps
