#include "apps/commands.hpp"
#include "slideway/simulate/options.hpp"
#include "validation/suite.hpp"

namespace slideway::apps {

int validate(const ValidateArguments& arguments, std::ostream& out) {
  ValidationOptions options;
  options.names = arguments.names;
  options.rtol = arguments.rtol;
  if (!arguments.method.empty()) options.methods = {method_from(arguments.method)};
  return run_validation(options, out);
}

}  // namespace slideway::apps
