// The command `slideway-validate`: `slideway` with the validation suite, which takes the place of `slideway validate`.
#include "apps/program.hpp"
#include "apps/validate.hpp"
#include "slideway/detail/core/platform/program_start.hpp"

int main(int argc, char** argv) {
  slideway::platform::ProgramStart start(argc, argv);
  return slideway::apps::program(start.count(), start.arguments(), {.validate = slideway::apps::validate});
}
