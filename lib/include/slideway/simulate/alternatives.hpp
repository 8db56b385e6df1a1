// Treatments of a discontinuity that do not know sliding, to be compared with Filippov's solution:
//
//     smoothing      λ = tanh(h/ε)
//     bare signs     λ = sgn(h), sgn(0) = 0, handed to the integrator as it stands
//     hysteresis     λ = ±1 with memory: +1 becomes −1 where h falls to −ε, −1 becomes +1 where it rises to ε
//     Euler          forward Euler with fixed steps, λ = sgn(h)
//     Algorithm 1    of Mosterman, Zhao & Biswas: forward Euler, and along a surface a step from either side with a binary
//                    search for the surface on the vector between the two end points
//
// The first two are systems without surfaces, for a Simulator; the others are runs of their own, of which the trajectory is not
// kept: Options::output_times says where the states are wanted.
// It must not know file formats, nor what the results are compared with.
#pragma once

#include <string>

#include "slideway/simulate/options.hpp"
#include "slideway/simulate/simulator.hpp"
#include "slideway/simulate/solution.hpp"

namespace slideway {

// The same events, contacts, locations and edges, with λ = tanh(hᵢ/ε), in the unit of the guards; ε > 0. Its derivatives are
// exact where those of the system are.
System smoothed(const System& system, double epsilon);
Automaton smoothed(const Automaton& automaton, double epsilon);

// The same with λ = sgn(hᵢ); its Jacobian is that of the region at hand.
System with_bare_signs(const System& system);
Automaton with_bare_signs(const Automaton& automaton);

// Why smoothing and bare signs say something else than the problem ("" if they do not): a surface that holds beyond what its
// relay can, up to a break-away ratio, needs to know that it holds.
std::string obstacle_to_replaced_relays(const Automaton& automaton);

// Why hysteresis, Euler and Algorithm 1 cannot follow the problem ("" if they can): they know relays alone, no resets,
// contacts or locations. Records and stops are not looked at.
std::string obstacle_to_relays_alone(const Automaton& automaton);

// Every relay has its own memory, begins on its side (on the surface: on the one the field goes to, else below), and turns
// where the guard passes −ε or ε, located to rounding. The events are these turns; the log keeps the first thousand. `options` as for a Simulator; throws
// std::invalid_argument as it does, and where there is an obstacle.
Solution run_with_hysteresis(const System& system, const Options& options, const Run& run, double epsilon);

struct FixedSteps {
  double step = 0;        // ΔT > 0
  Index bisections = 20;  // of Algorithm 1: the steps of its binary search, 1 … 60
};

// run_euler() reads only output_times, max_steps, max_events and full_events of the options. An output between two
// steps is taken from the straight line.
Solution run_euler(const System& system, const Options& options, const Run& run, const FixedSteps& steps);

// run_algorithm_1() follows section 4 of the paper, with three unclear points settled. The binary search moves
// towards the surface (as printed it runs away from it). The step ε across the surface is ΔT/1000. The run leaves
// the surface to the side on which a whole step stays. The mode is the sign of every guard. One surface at a time
// can chatter; the run stops with Status::chattering where a second one does.
Solution run_algorithm_1(const System& system, const Options& options, const Run& run,
                         const FixedSteps& steps);

}  // namespace slideway
