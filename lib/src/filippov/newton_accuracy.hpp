// When Newton's method for the relays of sliding surfaces is done, for all files of SlidingSolver.
//
// It must not know where it starts from.
#pragma once

namespace slideway {

inline constexpr int kMostIterations = 25;
// The residual of w, in units of the relays' effect on it: the aim, and the bound where a step no longer gains. The first pair is
// for exact w, the second for finite differences.
inline constexpr double kResidual[] = {1e-13, 1e-9};
inline constexpr double kWorstResidual[] = {1e-9, 1e-6};
// The residuals at which a guess counts as the solution without a step. A larger one would leave λ behind the
// motion, and separate relays that are equal.
inline constexpr double kResidualOfGuess[] = {1e-15, 1e-9};
// A step has to reduce the residual by this factor for the matrix to be good enough.
inline constexpr double kGood = 1e-3;

}  // namespace slideway
