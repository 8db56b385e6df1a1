// The arguments of a command that runs a model, turned into the options of a run and its end.
//
// It must not know how a command line is parsed, nor results.
#pragma once

#include <optional>
#include <string>

#include "apps/commands.hpp"
#include "slideway/simulate/options.hpp"
#include "slideway/simulate/poincare_section.hpp"

namespace slideway::apps {

// The command line beats the model's own options, which beat the built-in defaults. Throws std::invalid_argument
// for what makes no sense.
Options make_options(const SimulationArguments& arguments, const ModelDefaults& defaults);

// The end that was asked for, if any. Throws std::invalid_argument when it lies before the start.
void set_end(const SimulationArguments& arguments, ModelInstance& instance);

// A section by name, with a direction in words; none where there is no name.
std::optional<PoincareSection> section_named(const std::string& name, const std::string& direction);

// A number above 0, or an expression that the model knows the names of, as 2*pi/w. Throws std::invalid_argument, which names the
// option and says what is given by it, for anything else.
double length_of_time(const std::string& option, const std::string& what, const std::string& text,
                      const ModelInstance& instance);

}  // namespace slideway::apps
