// The factors by which local events are followed, each with its reason.
//
// It must not know what uses them.
#pragma once

#include <cstddef>

#include "slideway/core/types.hpp"

namespace slideway {

// ---- places and clusters
// A step whose clusters hold more surfaces and events than these is halved. A cluster of m has a number of events that grows with m,
// and each stops all m: half of a step with half as large clusters costs a quarter for them, and the same for all the rest. Measured on chains
// and lattices of 2,500 to 10,000 blocks at rtol 1e-6, 24 takes 1.07 to 1.11 of the time, 96 takes 0.83 to 1.02, and 192 takes 1.11.
constexpr std::size_t kMostInCluster = 48;
// A row that depends on more states is no local one, since its cluster would be too large from the start.
constexpr Index kLongestLocalRow = kMostInCluster;
// A cluster of more states is not even looked at: it holds too many surfaces wherever one in twenty states has one.
constexpr std::size_t kMostStatesInCluster = 1000;
// A cluster begins with the states that what arrives influences through so many derivatives: an effect falls like hᵈ/d!. Measured, 2, 3,
// 4 and 5 take 1.62, 1.33, 1.21 and 1.22 s for a chain of 3000 blocks, and 3, 4 and 5 take 0.60, 0.78 and 0.79 s for a lattice of 2500.
constexpr int kFirstReach = 3;
// A cluster whose border disagrees grows by so many derivatives beyond it. Measured, 1 and 2 take the same time; 2 is half as often at it.
constexpr int kGrowth = 2;
// Stiff effects spread further in a step. Clusters begin with the reach of the last step, and one that disagrees with the step
// around it grows by this fraction of that reach. Measured, 1, 2 and 4 take 3.11, 3.19 and 3.15 s for a rod of 400 relays, and 0.24, 0.19 and 0.16 s for
// a stiff ladder of 400 diodes, with errors of 0.07, 0.15 and 0.12 rtol.
constexpr int kGrowthOfReach = 2;
// The border of a cluster agrees with the step around it within this part of the tolerances: what a cluster leaves out adds a tenth to
// the error that a step may have.
constexpr double kBorderPart = 0.1;

// ---- surfaces and events of all the system
// Each of them reads all states in every sample of a step; of more than these that costs more than the step itself.
constexpr Index kMostGlobal = 16;
// A step in which something global may arrive is shortened to this part of a usual one, and all states are
// followed at once over twice as much. One in 32 of the local events of a usual step then stops all states. Steps
// end as long before a known time.
constexpr double kGlobalPart = 1.0 / 64;
// Stretches on which something global slides grow so: the ordinary engine begins each of them anew, and a few longer ones cost no more
// than one.
constexpr double kGrowthOfWhole = 2;
// Clusters move a global guard between its samples by no more than this many times what the samples show. Their
// events put kinks there, of which samples see a part: this is an allowance, no bound. Measured on 1,000 blocks with a governor, 2, 4 and 8
// take the same time within 4 %, with the same events and errors at rtol 1e-6 and 1e-8.
constexpr double kGlobalMargin = 4;

// ---- the length of steps
// Where steps have come within this part of one whose clusters are too large, they are large because events come together, not because the
// step is long: all states are followed at once over what is left. Half of that step, tried ten times in turn, is a thousandth of it.
constexpr double kCrowdedPart = 1.0 / 1024;
// The rest of the run is followed all at once after this many steps in a row that had to be: what such steps took
// twice is lost.
constexpr int kMostWholeSteps = 8;
// Steps grow by no more than this after one that was halved, so that three steps come before the next halving, whose attempt is lost.
constexpr double kGrowthAfterHalving = 1.25;
// Steps grow by no more than this where guards are not polynomials of dense output: a guard that was resolved by samples is resolved by
// half as many, as in the march along single guards (GuardScan).
constexpr double kGrowthOfSampled = 2;
// The first step is then this part of the run: twenty steps that grow so come to all of it.
constexpr double kFirstSampled = 1e-6;
// A step after clusters is at most this much longer than the one before: the stepper, which begins anew there, has no history.
constexpr double kMostGrowth = 4;
// The norm of errors is a mean over states. Errors of a step meet the tolerances over any so many states, however many others there are:
// some clusters' worth, so that nothing at one place is lost among states at rest.
constexpr double kStatesOfOnePlace = 100;
// Steps have no smaller relative tolerance: rounding rules below (Options::rtol).
constexpr double kFinestStep = 1e-13;
// Parts take the method of order 8 from this rtol on. With 12 evaluations instead of 6 it must step twice as far:
// rtol^(1/8 − 1/5) is 4 there, and a step that an event cuts short is lost. Measured on a chain of 1,000 blocks at 0.7e-8 and 1.5e-8, half and
// twice the value take the same time within 6 %, with the same errors.
constexpr double kTight = 1e-8;

// ---- the scan of guards
// A guard is followed by its samples where they predict two more to this part of its size, as GuardScan demands of its march.
constexpr double kPredicted = 0.01;
// The scan takes kResidualFactor times the distance between guard and polynomial at two samples as its bound over the step. For remainders
// of degree q + 1 and q + 2 the largest distance is 2.1, 3.9 and 4.4 times that at the samples, with q = 4, 7 and 8. The factor doubles it.
constexpr double kResidualFactor = 8;
// Rounding of a guard, relative to its size in the step: coefficients of degree 7 add up 86 times that of samples, which is 16 ε.
constexpr double kGuardRounding = 4e-13;

// ---- threads
// Another thread is worth so many clusters: at 20 µs each they take 30 times as long as it takes to begin.
constexpr std::size_t kFewestPerThread = 32;
// Each thread takes memory of the size of the system, six numbers for each state.
constexpr unsigned int kMostThreads = 16;

// ---- warnings
// A guard beyond zero is not told from one at zero within so many tolerances, which errors gather on a run of as many steps.
constexpr double kNearSilent = 1000;

}  // namespace slideway
