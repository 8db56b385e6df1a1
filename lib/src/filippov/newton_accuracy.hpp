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
// Of a guess that no step was taken from: it would leave lambda behind the motion, and relays that are equal apart.
inline constexpr double kResidualOfGuess[] = {1e-15, 1e-9};
// By what a step has to reduce it for the matrix to be good enough.
inline constexpr double kGood = 1e-3;

}  // namespace slideway
