#include "slideway/detail/core/platform/program_start.hpp"

namespace slideway::platform {

struct ProgramStart::Terminals {};

// Everything is as it should be already.
ProgramStart::ProgramStart(int argc, char** argv) : pointers_(argv, argv + argc + 1) {}

ProgramStart::~ProgramStart() = default;

}  // namespace slideway::platform
