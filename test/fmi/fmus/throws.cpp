// liar.c calls these functions to throw C++ exceptions through the C interface of FMI, as a faulty FMU written in C++ may do.
#include <stdexcept>

extern "C" void throw_a_number(void) { throw 1; }
extern "C" void throw_an_error(void) { throw std::runtime_error("no air in the pipe"); }
