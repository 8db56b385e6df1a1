// The factors by which local events are followed, each with its reason.
//
// It must not know what uses them.
#pragma once

#include <cstddef>

#include "slideway/core/types.hpp"

namespace slideway {

// Fewer surfaces than these are followed at no more cost all at once, and fewer events beside them.
constexpr Index kFewestLocal = 2000;
constexpr Index kFewestLocalEvents = 400;
// A row that depends on more states than these is no local one: an event there concerns a large part of the system.
constexpr Index kLongestLocalRow = 48;
// Each surface or event of all the system is looked at in every step; of more than these the cost would no longer be that of the others.
constexpr Index kMostGlobal = 16;
// A step in which something global may arrive is shortened to this part of a usual one, and all states are followed at once over twice
// as much. Of the local events of a usual step one in 32 then stops all states.
constexpr double kGlobalPart = 1.0 / 64;
// Stretches on which something global slides grow so: the ordinary engine begins each of them anew.
constexpr double kGrowthOfWhole = 2;
// Between its samples clusters move a global guard by no more than so many times what the samples show.
constexpr double kGlobalMargin = 4;
// A cluster begins with the states that what arrives influences through so many derivatives: an effect falls like hᵈ/d!.
constexpr int kFirstReach = 3;
// A cluster whose border disagrees grows by so many derivatives beyond it.
constexpr int kGrowth = 2;
// The border of a cluster agrees with the step around it within this part of the tolerances.
constexpr double kBorderPart = 0.1;
// A cluster of more states is not even looked at.
constexpr std::size_t kMostStatesInCluster = 1000;
// A step whose clusters hold more surfaces and events than these is halved.
constexpr std::size_t kMostInCluster = 48;
// After so many halvings of one step all states are followed at once over what is left of it.
constexpr int kMostHalvingsOfStep = 10;
// After so many steps in a row that had to be followed all at once the rest of the run is.
constexpr int kMostWholeSteps = 8;
// Steps grow by no more than this after one that was halved.
constexpr double kGrowthAfterHalving = 1.25;
// Steps grow by no more than this where guards are not polynomials of dense output: samples could alias.
constexpr double kGrowthOfSampled = 2;
// A step after clusters is at most this much longer than the one before.
constexpr double kMostGrowth = 4;
// A guard is followed by its samples where they predict two more to this part of its size.
constexpr double kPredicted = 0.01;
// The distance of a guard from its polynomial is no more than so many times what two samples show of it.
constexpr double kResidualFactor = 8;
// Rounding of a guard, relative to its size in the step.
constexpr double kGuardRounding = 1e-13;

// Errors of a step meet the tolerances over any so many states, however many others there are.
constexpr double kStatesOfOnePlace = 100;
// Steps have no smaller relative tolerance: rounding rules below.
constexpr double kFinestStep = 1e-13;
// A guard beyond zero is not told from one at zero within so many tolerances, which errors gather on a long run.
constexpr double kNearSilent = 1000;
// Another thread is worth so many clusters.
constexpr std::size_t kFewestPerThread = 32;
// Each thread takes memory of the size of the system.
constexpr unsigned int kMostThreads = 16;
// Below this rtol steps by the method of order 8 take fewer evaluations.
constexpr double kTight = 1e-8;
// The first step where guards are not polynomials of dense output, as a part of the run.
constexpr double kFirstSampled = 1e-6;

}  // namespace slideway
