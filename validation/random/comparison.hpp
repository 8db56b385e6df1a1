// Beside the exact motion, is what slideway found right?
//
// The rules. Both are reduced: instants at which nothing changes are left out, and what is at the same instant is one.
// The sequences have to be the same, and no time and no state may be off by more than
//     1000·rtol·size + 10·(the change of the exact motion where its derivatives are off by 30·rtol·size per tenth of the run,
//         constantly or as a cosine of one or two times 20 radians a run),
// size being the largest |x| of the state on the way, at least a tenth of its scale, and for times a twentieth of the run. Below
// rtol = 1e-8 both terms are (1e-8/rtol)^(1/6) times as large: a run errs by a tolerance per step, and BDF of order five takes
// rtol^(-1/6) steps.
// A flight of length D off a surface, with an acceleration of size/τ² where τ is a twentieth of the run, is size·D²/(8τ²) high and comes
// back at a speed of size·D/(2τ²). Where it is no higher than a tolerance nothing is decided; else the time at which it ends may be
// off by 10 tolerances over that speed more, which no drift shows. Where a gap closes, the speed of the oracle counts: the time may be
// off by 10 tolerances of the largest position over that speed.
// Nothing is decided of a stay on a surface that is as short: a solution that goes through it without the stay comes back from no more
// than four tolerances beyond.
// Events before an accumulation may be more or fewer within the last √rtol of the run before its limit, or 1000·rtol where that
// is more: a series of bounces differs from a geometric one by the square of the time that is left, so that its limit can be
// told from there on. That time is counted back from the limit that the run found, which is held to the rule for times. So may
// those within 250·√(ε·t·span) of the limit, where t is the time that the clock shows plus |H|/v for a position of size |H| and its
// speed v: the roundings of both hide flights no higher than some 1600·ε·v·t (100 times the rounding of the gap), which take
// √(12800·ε·t·v/a), where v/a is about a twentieth of the run, and all of them take up to ten times as long, as restitutions are no
// more than 0.9. The acceleration a that the oracle tells at a limit is used where it makes that time longer. A limit itself may be
// off by 1/80 of the time that is hidden, since README says √(2ε|H|/a)/(1−e) with |H| = v·t of what the guard resolves, and by the
// square of that time over the time in which the force that presses changes: until the contact is released, for example, or the run
// ends. What follows it is held to the rule above. Nothing is decided where a quarter of that time is hidden.
// A run may end with the message that the clock does not resolve its tolerance where rtol·span/20 < ε·t: it is skipped.
// Samples later than the earliest end that the rule allows to a run that ends at a limit are not compared.
// It must not know who found the motions.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "validation/random/motion.hpp"

namespace slideway::validation::random {

// The time before a limit in which the number of events is free.
struct FreeTime {
  long double usual = 0;
  long double times_root = 0;  // times √a where the acceleration a at the limit is told
  long double before(const Accumulation& accumulation) const;
};

// The roundings that a run cannot see through.
struct Rounding {
  long double clock = 0;     // t of the rules above
  long double guard = 0;     // t·v, the size of the terms of a guard
  long double position = 0;  // the largest one
};

// The error that a run at a tolerance may have.
struct Allowance {
  bool decided = false;  // false: neighbouring problems have other sequences, or are far away
  std::string why = {};
  FreeTime accumulation = {};
  std::vector<long double> times = {};   // per instant of the reduced exact motion
  std::vector<long double> states = {};  // at the end
  std::vector<std::vector<long double>> samples = {};
  long double end = 0;  // of the time of the end
  std::size_t free_samples =
      0;  // the last ones, which a run that ends as early as `end` allows need not have
};

struct ComparisonOptions {
  bool compares_words = true;  // false: the times alone, where surfaces have other names
  // Whether a run may tell nothing of an instant at which the first word changes to the second; null: it has to tell of all.
  std::function<bool(const std::string& before, const std::string& after)> may_be_missing = {};
};

// Instants at which something changes, those free before an accumulation left out. `exact` says where accumulations are.
std::vector<Happening> reduced(const Motion& motion, const Motion& exact, const FreeTime& free_time);

// Empty: it is right; else the first thing that is not.
std::string difference(const Motion& got, const Motion& exact, const Allowance& allowance,
                       const ComparisonOptions& options);

// From the exact motion and those of neighbouring problems, for a run of length `span`.
Allowance allowance_of(const Motion& exact, const std::vector<Motion>& neighbours, double rtol,
                       long double span, const Rounding& rounding, const std::vector<long double>& sizes);

}  // namespace slideway::validation::random
