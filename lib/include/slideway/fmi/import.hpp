// FMUs by the standard FMI 2.0 and 3.0 as models: an FMU is run as a model file is. Model Exchange gives its equations, and Co-Simulation
// steps by itself.
//
// It must not know the command line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "slideway/model/model.hpp"
#include "slideway/simulate/options.hpp"

namespace slideway {

struct FmuImport {
  bool prefers_co_simulation = false;  // where the FMU has both kinds
  std::optional<double> communication_step =
      {};                             // of Co-Simulation, which it asks for; in the unit of time of the FMU
  std::string inputs = {};            // a file of comma-separated values: a column `time`, and inputs by name
  bool isolated = false;              // the binary runs in a process of its own
  double patience = 60;               // of an isolated one: seconds that a call may take
  std::vector<std::string> log = {};  // categories of messages that are shown; "all" is every one
};

// read_fmu() unpacks the file into a temporary folder, loads its binary, and returns it as a model.
//
// Model Exchange: event indicators are switching surfaces where the FMU only switches its derivatives, and events elsewhere. The states are those
// of the FMU, then the discrete state `stage`, which counts its events.
//
// Co-Simulation: the states are the continuous states and the outputs, straight between communication points where they are continuous, and then
// `stage`, which counts its steps. A step without a size is that of the FMU, or a thousandth of its run. Events that the FMU tells of are resets
// at their times.
//
// Parameters, inputs and start values are settings by the names of their variables; an input without a column is constant. Elements of arrays are
// "x[1]" or "x[2,3]". All variables that are numbers can be observed. The folder lives as long as the model and its instances.
//
// Throws std::invalid_argument for a file that is no FMU, or one that cannot be run here, with the reason. A run throws std::runtime_error
// where the FMU tells of an error, or an isolated one crashes or takes too long. Instances may run in threads of their own, unless the FMU can be
// instantiated only once. Without minizip and pugixml in the build it throws std::invalid_argument, too, with the names of the packages.
Model read_fmu(const std::string& file, const FmuImport& how = {});

// The reason why the audit cannot compare a run with what the FMU tells, as a part of a sentence: "" where it can, and for other models.
// called_functions() of slideway/audit/called_functions.hpp is what it takes then. An FMU that remembers the steps of the integrator is asked
// along the run alone, with its state saved. An FMU of Co-Simulation has no equations.
enum class AuditTime { along_run, after_run };
std::string reason_without_audit(const ModelInstance& instance, AuditTime time);

// tell_steps() lets an FMU of Model Exchange that wants it hear of every step of a run with these options, and ask for events there, as FMUs do
// that remember their past. Other models are left alone. A function in Options::on_step goes on to be called, before the FMU hears of the step.
void tell_steps(const ModelInstance& instance, Options& options);

}  // namespace slideway
