// Lyapunov exponents of a solution, all of them: with S = Q·R the derivative over a block by orthonormal directions Q₀,
//
//     λᵢ = mean of ln|Rᵢᵢ| / (length of a block),        Q₀ of the next block = Q,
//
// events included by their saltation matrices. A direction that an event wipes out, as the begin of sliding does, has the exponent
// −∞ and is followed no further: its stretch is zero after the event, while that of one that only shrinks fast is not. A block in
// which directions shrink too much to be known is followed in parts. States are divided by their sizes, which changes no exponent.
//
// It must not know file formats.
#pragma once

#include <string>
#include <vector>

#include "slideway/core/types.hpp"
#include "slideway/model/automaton.hpp"
#include "slideway/simulate/options.hpp"
#include "slideway/simulate/simulator.hpp"

namespace slideway {

struct LyapunovOptions {
  Options run = {.rtol = 1e-8};  // its sensitivities, recording, callbacks and output times are not used
  double block = 1;              // > 0, in units of t: the estimates are kept at its ends
  double transient =
      0;  // ≥ 0, followed before the first block; in its second half the directions turn to where they belong
};

struct LyapunovExponents {
  bool complete = false;
  std::string message = {};  // why the run ended before its end; the exponents are those up to there
  Vector values =
      {};  // n, per unit of t, the largest first; −∞ where a direction is wiped out; empty without a whole block
  Vector errors =
      {};  // n, standard errors from the spread of up to 20 batches of blocks; NaN with fewer than two blocks
  std::vector<double> times = {};    // the ends of the blocks
  std::vector<Vector> running = {};  // the estimates up to there, n each
  double exists_until =
      0;  // the derivatives exist up to here: infinity, or the first event through which they do not
};

// lyapunov_exponents() goes from the start to the end of `run`, in whole blocks after the transient. It throws
// std::invalid_argument for options that make no sense, for a run without a whole block, and for problems whose
// runs have no derivatives.
LyapunovExponents lyapunov_exponents(const Automaton& problem, const Run& run,
                                     const LyapunovOptions& options = {});

}  // namespace slideway
