// From `slideway` to the programs beside it, each of which does one thing that `slideway` leaves to it.
//
// It must not know what these programs do.
#pragma once

namespace slideway::apps {

// become_program() makes this process the program `name` with the arguments `argv`, and does not return then. It looks
// beside this program, then in the PATH, and returns where it finds no such program.
void become_program(const char* name, char* const* argv);

}  // namespace slideway::apps
