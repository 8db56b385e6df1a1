// What a command that runs a model makes of its arguments: the options of a run and its end.
//
// It must not know how a command line is parsed, nor results.
#pragma once

#include "apps/commands.hpp"
#include "slideway/simulate/options.hpp"

namespace slideway::apps {

// The command line beats the model's own options, which beat the built-in defaults. Throws std::invalid_argument
// for what makes no sense.
Options make_options(const SimulationArguments& arguments, const ModelDefaults& defaults);

// The end that was asked for, if any. Throws std::invalid_argument when it lies before the start.
void set_end(const SimulationArguments& arguments, ModelInstance& instance);

}  // namespace slideway::apps
