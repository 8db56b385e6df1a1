// The options of all sub-commands.
//
// It must not know what the sub-commands do.
#pragma once

#include <optional>
#include <string>

#include "apps/commands.hpp"

namespace slideway::apps {

// AllArguments receives what parsing reads: one set of arguments for every sub-command.
struct AllArguments {
  RunArguments run = {};
  CheckArguments check = {};
  CompareArguments compare = {};
  SweepArguments sweep = {};
  OrbitArguments orbit = {};
  LyapunovArguments lyapunov = {};
  EquilibriaArguments equilibria = {};
  BasinsArguments basins = {};
  DiagramArguments diagram = {};
  ManifoldArguments manifolds = {};
  FitArguments fit = {};
  CompletionArguments completion = {};
  ShowArguments show = {};
  ExportArguments fmu_export = {};
  ValidateArguments validate = {};
  std::optional<double> validation_rtol = {};
};

}  // namespace slideway::apps
