// The command `slideway-validate`: `slideway` with the validation suite, which takes the place of `slideway validate`.
#include "apps/program.hpp"
#include "apps/validate.hpp"

int main(int argc, char** argv) {
  return slideway::apps::program(argc, argv, {.validate = slideway::apps::validate});
}
