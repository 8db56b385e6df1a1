// These functions make the design and the options of `basins` and `diagram` from the arguments that the command, C and Python take alike.
//
// It must not know how a question was asked, nor how planes are coloured.
#pragma once

#include <string>

#include "apps/commands.hpp"
#include "slideway/basins/basins.hpp"
#include "slideway/diagram/diagram.hpp"
#include "slideway/model/model.hpp"

namespace slideway::apps {

BasinDesign basin_design(const BasinsArguments& arguments);
DiagramDesign diagram_design(const DiagramArguments& arguments);

// `run` is what each start or cell is followed with, and `identity` the text of the model, which decides whether a table belongs to it. `before` stands
// before the names of options in messages: "--" on the command line, "" elsewhere. Throws std::invalid_argument for a period, a step or an
// angle that makes no sense. Workers, `cancel` and `on_progress` are left to the caller.
BasinOptions basin_options(const BasinsArguments& arguments, const Options& run,
                           const ModelInstance& instance, const std::string& identity,
                           const std::string& before);
DiagramOptions diagram_options(const DiagramArguments& arguments, const Options& run,
                               const ModelInstance& instance, const std::string& identity,
                               const std::string& before);

// find_basins() and find_diagram() for interfaces whose options have the names of the command's without dashes: their messages name these.
Basins find_asked_basins(const Model& model, const BasinDesign& design, const BasinOptions& options);
Diagram find_asked_diagram(const Model& model, const DiagramDesign& design, const DiagramOptions& options);

}  // namespace slideway::apps
