#include "apps/simulation.hpp"

#include <fmt/format.h>

#include "slideway/core/errors.hpp"

namespace slideway::apps {

Options make_options(const SimulationArguments& arguments, const ModelDefaults& defaults) {
  Options options;
  if (defaults.rtol > 0) options.rtol = defaults.rtol;
  if (arguments.rtol) options.rtol = *arguments.rtol;

  if (!defaults.atol.empty()) {
    options.atol = Tolerance(
        Vector(Eigen::Map<const Vector>(defaults.atol.data(), static_cast<Index>(defaults.atol.size()))));
  }
  if (arguments.atol) options.atol = *arguments.atol;

  const std::string& method = arguments.method.empty() ? defaults.method : arguments.method;
  if (!method.empty()) options.method = method_from(method);
  const bool explicit_solver = !arguments.linear_solver.empty() && arguments.linear_solver != "auto";
  if (explicit_solver && (options.method == Method::dopri5 || options.method == Method::adams)) {
    refuse({.what = fmt::format("{} solves no linear equations", to_string(options.method)),
            .where = "--linear-solver",
            .expected = "--method bdf or auto beside it",
            .got = arguments.linear_solver});
  }
  const std::string& solver =
      arguments.linear_solver.empty() ? defaults.linear_solver : arguments.linear_solver;
  if (!solver.empty()) options.linear_solver = linear_solver_from(solver);
  const std::string& policy = arguments.on_ambiguity.empty() ? defaults.on_ambiguity : arguments.on_ambiguity;
  if (!policy.empty()) options.on_ambiguity = ambiguity_from(policy);
  const std::string& rule = arguments.sliding_rule.empty() ? defaults.sliding_rule : arguments.sliding_rule;
  if (!rule.empty()) options.sliding_rule = sliding_rule_from(rule);
  const std::string& selection = arguments.selection.empty() ? defaults.selection : arguments.selection;
  if (!selection.empty()) options.selection = selection_from(selection);

  if (defaults.max_step > 0) options.max_step = defaults.max_step;
  if (defaults.max_events > 0) options.max_events = defaults.max_events;
  if (arguments.max_step) options.max_step = *arguments.max_step;
  if (arguments.max_events) options.max_events = *arguments.max_events;
  if (arguments.max_steps) options.max_steps = *arguments.max_steps;
  return options;
}

void set_end(const SimulationArguments& arguments, ModelInstance& instance) {
  if (!arguments.end) return;
  if (*arguments.end < instance.start) {
    refuse({.what = "the run would end before it starts",
            .where = "--t-end",
            .expected = fmt::format("a time not before the start at {}", instance.start),
            .got = fmt::format("{}", *arguments.end)});
  }
  instance.end = *arguments.end;
}

}  // namespace slideway::apps
