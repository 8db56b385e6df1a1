// Warnings at the end of a run, about what went through but is probably not meant.
//
// They must not change the run.
#pragma once

#include <string>
#include <vector>

#include "run/step_sizes.hpp"
#include "simulate/run_state.hpp"
#include "slideway/model/steep_switches.hpp"
#include "slideway/simulate/trajectory.hpp"

namespace slideway {

// Steps that shrank geometrically into the end. A pole moves by the errors of the solution on the way to it, a part of the time that
// the way takes.
void append_shrinking_steps(const RunState& now, const StepSizes& step_sizes,
                            std::vector<std::string>& warnings);

// Guards that the end finds beyond zero, and that never fired. `status` is that of the run's outcome.
void append_silent_guards(RunState& now, Status status, std::vector<std::string>& warnings);

// Guards that are zero nearer to the origin than the absolute tolerances see, and a run none of whose states comes to its absolute
// tolerance at its start, its end, or at times between that its trajectory tells.
void append_below_tolerance(const RunState& now, const Trajectory& trajectory,
                            std::vector<std::string>& warnings);

// Smooth switches that are narrower than the tolerances (slideway/model/steep_switches.hpp), where an implicit method has been at work: others
// take steps as short as the switch. `stiff_from` is that of the statistics.
void append_steep_switches(const RunState& now, const StepEnds& ends, double stiff_from,
                           std::vector<std::string>& warnings);

}  // namespace slideway
