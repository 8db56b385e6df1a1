// What an FMU that is written in C++ does to its caller: the C functions of liar.c throw by these.
#include <stdexcept>

extern "C" void throw_a_number(void) { throw 1; }
extern "C" void throw_an_error(void) { throw std::runtime_error("no air in the pipe"); }
