#include "apps/simulation.hpp"

#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "slideway/core/errors.hpp"
#include "slideway/io/model_file.hpp"

namespace slideway::apps {

namespace {

// The option is left as it is where neither the command line nor the model has a word for it.
template <class Choice>
void choose(Choice& option, Choice (*from)(const std::string&), const std::string& asked,
            const std::string& by_default) {
  const std::string& word = asked.empty() ? by_default : asked;
  if (!word.empty()) option = from(word);
}

}  // namespace

Options make_options(const SimulationArguments& arguments, const ModelDefaults& defaults) {
  Options options;
  if (defaults.rtol > 0) options.rtol = defaults.rtol;
  if (arguments.rtol) options.rtol = *arguments.rtol;

  if (!defaults.atol.empty()) {
    options.atol = Tolerance(
        Vector(Eigen::Map<const Vector>(defaults.atol.data(), static_cast<Index>(defaults.atol.size()))));
  }
  if (arguments.atol) options.atol = *arguments.atol;

  choose(options.method, method_from, arguments.method, defaults.method);
  const bool explicit_solver = !arguments.linear_solver.empty() && arguments.linear_solver != "auto";
  const bool is_implicit = options.method == Method::bdf || options.method == Method::rodas;
  if (explicit_solver && options.method != Method::automatic && !is_implicit) {
    refuse({.what = fmt::format("{} solves no linear equations", to_string(options.method)),
            .where = "--linear-solver",
            .expected = "--method bdf, rodas or auto beside it",
            .got = arguments.linear_solver});
  }
  choose(options.linear_solver, linear_solver_from, arguments.linear_solver, defaults.linear_solver);
  choose(options.on_ambiguity, ambiguity_from, arguments.on_ambiguity, defaults.on_ambiguity);
  choose(options.sliding_rule, sliding_rule_from, arguments.sliding_rule, defaults.sliding_rule);
  choose(options.selection, selection_from, arguments.selection, defaults.selection);
  choose(options.local_events, local_events_from, arguments.local_events, "");

  if (defaults.max_step > 0) options.max_step = defaults.max_step;
  if (defaults.max_events > 0) options.max_events = defaults.max_events;
  if (defaults.max_steps > 0) options.max_steps = defaults.max_steps;
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

std::optional<PoincareSection> section_named(const std::string& name, const std::string& direction) {
  if (name.empty()) return std::nullopt;
  PoincareSection section{.name = name};
  if (direction == "falling") section.direction = SectionDirection::falling;
  if (direction == "any") section.direction = SectionDirection::any;
  return section;
}

double length_of_time(const std::string& option, const std::string& what, const std::string& text,
                      const ModelInstance& instance) {
  const auto refused = [&](const std::string& why) {
    refuse({.what = "the " + what + " makes no sense",
            .where = option,
            .expected = "a number above 0, or an expression of numbers and parameters such as 2*pi/w",
            .got = "'" + text + "'" + (why.empty() ? "" : " (" + why + ")")});
  };
  double value = 0;
  try {
    value = constant_value(text);
  } catch (const std::invalid_argument& error) {
    try {
      const Observables length = instance.observables({"length_of_time = " + text});
      Vector result(1);
      length.evaluate(instance.start, instance.state, Vector::Zero(instance.system.surfaces()),
                      Vector::Zero(force_count(static_cast<Index>(instance.system.contacts().size()))),
                      result);
      value = result[0];
    } catch (const std::exception&) {
      refused(error.what());
    }
  }
  if (!(value > 0) || !std::isfinite(value)) refused("");
  return value;
}

}  // namespace slideway::apps
