// From `slideway` to `slideway-mpi`, so that `mpirun slideway sweep` is all that a user types, and `slideway` needs no MPI.
#pragma once

namespace slideway::apps {

// become_mpi_program() makes this process `slideway-mpi`, and does not return, where MPI started several processes
// to make one sweep. It looks for `slideway-mpi` beside this program, then in the PATH. It returns 0 where this is
// no sweep or MPI started one process only, and an exit status after a message where `slideway-mpi` cannot be
// started.
int become_mpi_program(int argc, char** argv);

}  // namespace slideway::apps
