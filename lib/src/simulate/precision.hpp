// The factors by which a run decides: how small is zero, how near is the same, how often is for ever. Each stands here with its
// reason, and no other file of a run names one. Where the reason holds no derivation, the number is a choice that is held by the tests, the
// validation suite and the random models. The sizes that the factors multiply are
//     rounding      what ε leaves of a guard, a rate or a time
//     located       what the accuracy of location leaves, 100 ε·max(|t|, h)
//     tolerance     Σ|∂ⱼh|·(rtol·|xⱼ| + atolⱼ), what a step may be off by
//     accumulated   gathered_errors(rtol) tolerances, what a run may be off by
// A factor without unit multiplies such a size; a part is a part of the size that its name tells.
//
// It must not know guards, modes or integrators.
#pragma once

#include <cstddef>
#include <cstdint>

#include "slideway/core/types.hpp"

namespace slideway {

// ---- Is it zero?

// Rounding of a number, in units of its last place: the terms of a guard may each be off by several.
constexpr double kRoundingFactor = 16;
// Rounding of a rate, which is a sum of products of numbers that are rounded themselves.
constexpr double kRateRounding = 64;
// Rounding of the difference of two times within a step.
constexpr double kClockRounding = 8;
// A force is a solution of equations, which leaves this part of it uncertain.
constexpr double kForceRounding = 1e-9;
// The same of normal components that are interpolated between corners.
constexpr double kRoundingOfCorners = 1e-12;
// A gap may be negative by this part of the state that a run begins with, since somebody wrote it down.
constexpr double kGapAtStart = 1e-9;
// A guard is zero within this many roundings, and armed beyond: the state that it is a function of is rounded, too.
constexpr double kZeroFactor = 4;
// A guard that starts at zero may go the wrong way by this many tolerances, since steps may be off by some of them.
constexpr double kWrongWayFactor = 4;
// A change of a guard beyond so many times the noise that two neighbours show is beyond that of all others, too.
constexpr double kBeyondNoise = 2;
// A state is not put onto surfaces that are farther away, in tolerances: it did not come from there by errors.
constexpr double kFarFromErrors = 1000;
// Steps are accurate up to this defect, in tolerances. Steps over the bump of a friction had 2e3 to 1e7; 1 in 100 of other arrivals of the gallery had
// more than 100 by dopri5, whose dense output has the lowest order.
constexpr double kStepDefect = 300;
// The dense output of an accurate step is off by this many tolerances at most, whose defect in a stiff field, or in one like a root, is no error of the step.
constexpr double kDefectOfErrors = 10;
// A step with a larger defect is taken again this often, each time to half the way to the arrival: the field may be noisy, and never agree.
constexpr int kMostRetakes = 4;
// A state that a run begins with may be off its mode by so many tolerances, since it was written and read, or made.
constexpr double kMisplaced = 1e3;
// Constraints hold a guard that errors of the state move by no more than this part of what they could.
constexpr double kHeldPart = 1e-6;
// A relay has no effect on an acceleration that it changes by no more than this part, which is rounding of a solved system.
constexpr double kNoEffect = 1e-9;
// Components on both sides that differ by no more than this part of their sizes count as the same near the surface.
constexpr double kHardlyDiffer = 0.1;
// The relays of surfaces that slide keep their effects along a step while these stay above this part of those at its start.
constexpr double kMuchEffect = 0.5;
// Slip that begins is followed in a direction that leads it aside by no more than this part of the tolerances of its velocity.
// With a quarter and with all, 20 slow slips had the same events at rtol 1e-4 to 1e-10; dopri5 took 47 % more and 20 % fewer steps at 1e-4.
constexpr double kWrongSlip = 0.5;
// Two fields are one where they differ by no more than this over the time in question, in tolerances; a motion as small is none.
constexpr double kNoDifference = 1e-3;
// A state that jumps by less, relative to its size, is rounded.
constexpr double kJumpRounding = 1e-14;
// The square of a state that is larger is no number.
constexpr double kLargeState = 1e154;
// Rounding of a normalised polynomial variable, with much to spare, and by what a polynomial of low degree grows beyond its interval.
constexpr double kUnitRounding = 1e-9;
constexpr double kBeyondUnit = 1 + 100 * kUnitRounding;

// ---- How long, how far?

// The part of the last step over which dense output tells a velocity: shorter is rounding, longer another velocity.
constexpr double kPartOfStep = 1e-3;
// A guard at zero is followed for at least the first part of the time in which a state changes, and at most the second of the run's rest.
constexpr double kSoonestLook = 1e-8;
constexpr double kLatestLook = 1e-2;
// The first look ahead is this part of the run where no flight has been before.
constexpr double kFirstLook = 1e-8;
// The time in which a model changes is one unit, but at least and at most these parts of its run.
constexpr double kShortestTime = 1e-4;
constexpr double kLongestTime = 0.1;
// A run starts at the event where another one has ended if it is this near to it, as a part of the time or of the rest.
constexpr double kSameInstant = 1e-12;
// The first step of a march, as a part of the run; the march adapts it from there on.
constexpr double kFirstMarch = 1e-6;
// A march that starts again takes this part of its last step: what it had learned of the guards holds no more.
constexpr double kMarchRestart = 0.125;

// A root that CVODE reports and an arrival are one if they are no farther apart, in steps; a statistic alone depends on it.
constexpr double kOneRoot = 0.01;

// ---- Flights, and steps that are to see them

// The error control of a multistep method sees flights only that are higher than so many tolerances.
constexpr double kLowFlight = 1000;
// A flight is short if the last one took no more steps than these. The field may change over it by no more than this factor.
constexpr std::int64_t kFewSteps = 200;
constexpr double kMostChange = 50;
// Steps that a flight may take whose errors are to be far below the tolerances.
constexpr std::int64_t kFineSteps = 5000;
// Fine steps have this part of the tolerances, but none below what double precision holds over many steps.
constexpr double kFinePart = 0.01;
constexpr double kFinestTolerance = 1e-12;
// A dip that the tolerances leave open is integrated again with this part of them. The part is larger, up to a
// fifth, where double precision does not hold it.
constexpr double kReintegrationPart = 1e-3;
constexpr double kLargestReintegrationPart = 0.2;
constexpr double kFinestReintegration = 1e-13;
// The new integration gives up after this many steps.
constexpr int kMostReintegrationSteps = 10000;
// The turn of a guard lies this near to the dip that was found, as a part of the flight's duration.
constexpr double kNearDip = 0.25;
// Halvings that locate a turn: its depth changes with the square of the distance.
constexpr int kDipHalvings = 20;
// A motion whose squared speed is larger, in units of the guard's tolerance and one of time, does not end on the surface.
constexpr double kSlowArrival = 100;
// A guard that exceeds so many errors of the states is not near zero, so that its gradient need not be asked for.
constexpr double kPlainlySeen = 100;
// A surface that was left for no longer than so many accuracies of the time since the run began has hardly been left: the noise of what
// was integrated goes with that time.
constexpr double kHardlyLeft = 100;

// ---- Does it come to a limit?

// Flights shrink where each takes less than this part of the time of the one before, fast where it is this little.
constexpr double kFlightShrinks = 0.7;
constexpr double kFlightShrinksFast = 0.1;
// This many intervals in a row that shrink may come to a limit.
constexpr int kShrinkingInARow = 2;
// Flights have got longer where one takes this much more than the one two before it, which was to the same side.
constexpr double kFlightGrows = 1.05;
// Flights hardly grow after this many that did not get longer.
constexpr int kManyFlights = 16;
// A flight belongs to another series of impacts where it is this much longer than the longest before.
constexpr double kLongerFlight = 1.5;
// The ratios of two pairs of turns may differ by this, relative to r(1 − r).
constexpr double kSteadyRatio = 0.05;
// Turns that shrink faster than this, to kFastRatio·(1 − r), leave next to nothing, whatever the ratio is.
constexpr double kFastRatio = 0.1;
// The two turns of a ratio have four ends, and each is located with an error.
constexpr double kRatioEnds = 4;
// The ratio of a component may be nearer to one than that of the times by this part.
constexpr double kOwnRatio = 0.25;
// A change that shrinks by less from one turn to the next has no limit that could be told.
constexpr double kTurnShrinks = 1 - 1e-6;
// A flight is hidden where it is no higher than so many times the size from which on its guard counts as off zero: the march has to
// meet it above that.
constexpr double kHiddenFlight = 16;
// Two limits are one where they differ by no more than this part of what is left to them.
constexpr double kSameLimit = 0.05;
// kRunErrors tells how many times rtol, of the time since the series began, the errors of integration may be in
// the limit.
constexpr double kRunErrors = 3;
// A flight of no more than so many accuracies of location cannot be told from none. The sum of the flights that are left multiplies the
// errors of the last one, so it counts as nothing from more of them on.
constexpr double kNoFlight = 10;
constexpr double kNothingLeft = 200;
// A guard that leaves zero by so many roundings is met again when rounding decides; a gap that opens by so many until the next impact
// leaves the order of the impacts to it.
constexpr double kHardlyOff = 100;
constexpr double kHardlyOpens = 1000;
// Turns whose ratio is nearer to one have a limit that errors of the ratio move beyond any use.
constexpr double kLargestRatio = 0.9999;
// Looks at the next flight, each over the duration that the one before found.
constexpr int kLooksAhead = 3;

// ---- Does it go on for ever?

// Events accumulate where so many in a row lie within this part of the run. The clock is no measure of that: a run may count its time from years ago. Impacts between several contacts shrink to where the clock, of which this is a part, ends.
constexpr std::size_t kChatteringEvents = 100;
constexpr double kChattering = 1e-10;
constexpr double kChatteringImpacts = 1e-12;
// A surface that is met so often in a row without an event is not left by more than errors.
constexpr Index kVainReturns = 3;
// Guards that arrive again so often without a record, all within this part of the run, make no progress.
constexpr Index kMostQuietRestarts = 50;
constexpr double kQuietPart = 1e-6;
// Rounds of one instant in which something fires again; an avalanche of any length in which everything fires once has none.
constexpr int kMostRepeatedRounds = 1000;
// Events are many from here on, and get denser where the second half takes less than this part of their time.
constexpr std::size_t kManyEvents = 100;
constexpr double kDenserPart = 0.1;
// The run asks every so many steps whether what slides has come to rest, which a step need not see.
constexpr std::int64_t kStepsToRest = 64;
// The run looks back after this many steps at how far they led: about a second of a small model.
constexpr std::int64_t kStepsToLookBack = 1'000'000;

// ---- Turns of things that depend on each other

// Turns of forces of contacts and relays.
constexpr int kContactTurns = 8;
// Turns of Newton's method for gaps that are not affine.
constexpr int kGapTurns = 4;
// Turns of constraints that share masses, and the part of a tolerance by which they still move when they have settled.
constexpr int kConstraintTurns = 100;
constexpr double kSettledPart = 1e-8;
// Turns of surfaces and contacts that a recorded state is put onto.
constexpr int kProjectionTurns = 3;
// The relays of up to this many sliding surfaces are tried one by one.
constexpr std::size_t kFewSliding = 16;

// ---- Poles

// kNearPole tells how near to a pole guards and fields are looked at, in units of the accuracy of location, and
// the ratio of the distances.
constexpr double kNearPole = 100;
constexpr double kPoleDistances = 100;
// A guard grows at least by this factor from one distance to the next: towards a pole of order 1/4 by 100^¼ = 3.2.
constexpr double kPoleGrowth = 3;
// A field that grows towards a pole like 1/distance, or as fast but for this factor, has no integral there.
constexpr double kNotIntegrable = 0.1;
// Steps of a method need not fall into every level of sizes, so distances are compared over so many levels.
constexpr std::size_t kSpanOfLevels = 3;
// kSpanSlack tells how far the ratio of two distances may be from that of a pole, since each is told to within a
// step.
constexpr double kSpanSlack = 4;
// The end of the run may cut steps of so many levels.
constexpr std::size_t kCutLevels = 4;
// Two spans are no law yet.
constexpr std::size_t kLeastSpans = 3;

// ---- Zeros of polynomials, and work of friction

// Halvings after which an interval cannot be told from a point, and cuts of Newton's method that a polynomial may take.
constexpr int kMostHalvings = 50;
constexpr int kMostCuts = 200;
// Parts of a step over which work is summed, and the relative tolerances that the sum may be off by.
constexpr int kWorkParts = 4;
constexpr double kWorkErrors = 1000;

// ---- Motions that may follow

// Rates of change that are differences are zero below this part of the others.
constexpr double kNoRate = 1e-6;

// ---- Discrete states

// The weight of a discrete state, which has no errors: nothing that is minimal in these weights moves it. Its square is a number.
constexpr double kDiscreteWeight = 1e100;

}  // namespace slideway
