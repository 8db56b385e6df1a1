// Periodic orbits, stable or not, by shooting: the zeros of
//
//     F(x₀, T) = φ(T; x₀) − x₀,        f(a)ᵀ(x₀ − a) = 0 where T is unknown,
//
// with φ the flow through all events and a the first approximation. Where the equations depend on t, T is the period of the drive and
// of the times of time events. Discrete states are part of x; one that holds a time grows by T in a round. Newton's method (KINSOL) has the exact monodromy matrix
// M = ∂φ/∂x₀ from the derivatives of the run (simulate/sensitivity.hpp). Where one shot over the whole period does not
// converge, several shorter ones are joined, with the states between them as further unknowns.
//
// The Floquet multipliers are the eigenvalues of M. With S = B·A the derivative where it has its least rank, they are zeros, as
// many as that rank is below n, and the eigenvalues of A·M·A⁺. For an autonomous problem M·f = f: the multiplier 1 of f is told apart, and
// the others are those of M on the space orthogonal to f.
//
// It must not know file formats.
#pragma once

#include <complex>
#include <optional>
#include <string>
#include <vector>

#include "slideway/core/types.hpp"
#include "slideway/model/automaton.hpp"
#include "slideway/simulate/options.hpp"
#include "slideway/simulate/poincare_section.hpp"
#include "slideway/simulate/simulator.hpp"
#include "slideway/simulate/solution.hpp"

namespace slideway {

// A state from which the solution nearly comes back after `period`.
struct OrbitGuess {
  double start = 0;           // the time, which matters where the equations depend on it
  double period = 0;          // > 0, in units of t
  Vector state = {};          // n entries, finite
  std::string location = {};  // "" for the initial one
};

struct OrbitOptions {
  // Accuracy and method of the runs; its sensitivities, recording, callbacks and output times are not used.
  Options run = {.rtol = 1e-10};
  // Shots over one period, 1 to 64; 0: one, and where that does not converge 4, 8 and 16.
  Index shots = 0;
  int max_iterations = 50;  // of Newton's method, ≥ 1
  // A guess with a residual up to this is taken as the orbit, without Newton's method; of the size of the states.
  double taken_residual = 0;
};

enum class MultiplierKind {
  ordinary,
  trivial,     // the 1 of an autonomous problem, along its field
  exact_zero,  // of a direction that sliding, rest or a jump wipes out
  held,        // the 1 of a discrete state that nothing sets: it is as good as a parameter
};

struct FloquetMultiplier {
  std::complex<double> value = {};
  MultiplierKind kind = MultiplierKind::ordinary;
};

enum class OrbitStability {
  stable,    // all ordinary multipliers are inside of the unit circle
  unstable,  // one is outside
  neutral,   // one is on it within the accuracy, and none outside
};

// "ordinary", "trivial", "exact_zero", "held"; "stable", "unstable", "neutral".
const char* to_string(MultiplierKind kind);
const char* to_string(OrbitStability stability);

struct PeriodicOrbit {
  bool converged = false;
  std::string message = {};  // why it did not converge, and what to do; "" where it did

  bool autonomous = false;  // the equations do not depend on t, and the period is a result
  double start = 0;
  double period = 0;
  Vector state = {};  // at `start`, where no event is near and, if there is such a time, nothing slides
  std::string location = {};       // "" where the problem has no locations
  std::vector<Index> clocks = {};  // discrete states that hold times: they grow by the period in a round
  // Once round, from `state`, with its derivatives by all states.
  Solution solution = {};
  // The events of one period in order, "sliding_entry(slip) sliding_exit(slip)"; each with its surfaces or its name.
  std::string signature = {};

  double residual = 0;    // the largest |x(T) − x₀| of all shots, of the size of the states on the orbit
  Matrix monodromy = {};  // n × n
  std::vector<FloquetMultiplier> multipliers = {};  // n, the largest first, zeros at the end
  OrbitStability stability = OrbitStability::stable;
  double trivial_error = 0;  // |M·f − f| / |f| of an autonomous problem: how good the derivatives are
  Index repeats = 1;         // the orbit goes through itself so often: its least period is period/repeats

  // `admissible` is true if a run from the begin goes once round, ends in the mode and location in which it
  // began, and has a derivative at every event. Only then do the multipliers hold for the neighbours of the
  // orbit.
  bool admissible = false;
  std::string admissibility = {};  // what stands against it

  Index shots = 1;
  long iterations = 0;  // of Newton's method
};

// The last return of a run to a section and the time since `returns` returns before; 0 returns: the fewest after which the state is nearly
// the same. Throws std::invalid_argument where the run comes to the section too rarely, or ends early.
OrbitGuess guess_at_section(const Simulator& simulator, const Run& run, const PoincareSection& section,
                            Index returns = 0);
// The state at the end of a run, to be followed for `period`.
OrbitGuess guess_after(const Simulator& simulator, const Run& run, double period);

// Returns true if a field, a guard, a gap or an edge depends on t at one of the sampled states of the solution.
bool depends_on_time(const Automaton& problem, const Solution& solution);

// The time after which all time events repeat themselves; empty without periodic ones, and where their periods have no common multiple.
std::optional<double> schedule_period(const Automaton& problem);

// find_periodic_orbit() throws std::invalid_argument for a guess that makes no sense, for a problem that depends
// on t and does not repeat itself after the period of the guess, and for one whose derivatives are refused
// (delays). PeriodicOrbit::message says whatever goes wrong on the way.
PeriodicOrbit find_periodic_orbit(const Automaton& problem, const OrbitGuess& guess,
                                  const OrbitOptions& options = {});

// The events of a solution after its start, as in PeriodicOrbit::signature.
std::string signature_of(const Solution& solution);

}  // namespace slideway
