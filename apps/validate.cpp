#include "apps/validate.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "slideway/model/model.hpp"
#include "slideway/simulate/options.hpp"
#include "validation/language/population.hpp"
#include "validation/random/derivative_campaign.hpp"
#include "validation/random/oracle_population.hpp"
#include "validation/suite.hpp"

namespace slideway::apps {
namespace {

void check_classes(const std::vector<std::string>& asked, const std::vector<std::string>& known) {
  for (const std::string& name : asked) {
    if (std::find(known.begin(), known.end(), name) != known.end()) continue;
    const std::string near = nearest_name(name, known);
    throw std::invalid_argument(fmt::format("validate: --class: expected one of {}, got '{}'{}",
                                            fmt::join(known, ", "), name,
                                            near.empty() ? "" : fmt::format("; did you mean '{}'?", near)));
  }
}

int validate_random_models(const ValidateArguments& arguments, std::ostream& out) {
  check_classes(arguments.classes,
                arguments.language ? validation::language::class_names() : validation::random::class_names());
  validation::random::CampaignOptions options;
  options.models = static_cast<int>(*arguments.random);
  if (arguments.seed) options.seed = static_cast<std::uint64_t>(*arguments.seed);
  if (arguments.jobs) options.jobs = static_cast<int>(*arguments.jobs);
  if (arguments.only) options.only = static_cast<int>(*arguments.only);
  options.classes = arguments.classes;
  options.json = !arguments.json.empty();
  if (arguments.has_rtol) options.plan.tolerances = {arguments.rtol};
  if (!arguments.method.empty()) options.plan.methods = {method_from(arguments.method)};
  if (arguments.derivatives) {
    if (!arguments.has_rtol) options.plan.tolerances = {1e-10};
    return validation::random::run_derivative_campaign(options, out);
  }
  if (arguments.language) return validation::language::run_campaign(options, out);
  return validation::random::run_campaign(options, out);
}

}  // namespace

int validate(const ValidateArguments& arguments, std::ostream& out) {
  if (arguments.random) return validate_random_models(arguments, out);
  ValidationOptions options;
  options.names = arguments.names;
  options.rtol = arguments.rtol;
  if (!arguments.method.empty()) options.methods = {method_from(arguments.method)};
  return run_validation(options, out);
}

}  // namespace slideway::apps
