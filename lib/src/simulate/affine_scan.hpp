// The first zero of guards that are affine in (t, x), along a step in which the state is a polynomial: they are polynomials
// there too, and need neither samples nor a march. So are the exits of sliding where the field is affine as well:
//     one surface slides:   σ(w⁰ − D), −σ(w⁰ + D)       (w⁰ its normal component at λ = 0, D = ∂w/∂λ)
//     several:              1 ± λᵢ,  λᵢ = −wᵢ⁰/Dᵢᵢ
//     s·h(t) = Σₖ cₖ τᵏ,   τ = (t − from)/(to − from) in [0, 1]
// Guards of events and edges that are affine are watched with them, in every mode.
// A polynomial has no more zeros than its Bernstein coefficients have changes of sign, so that no zero is missed. Guards arm
// and arrive as in GuardScan.
//
// It must not know how steps are taken, nor guards that are not affine. The slots are those of ModeOde.
#pragma once

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <vector>

#include "integrate/stepper.hpp"
#include "simulate/guard_polynomial.hpp"
#include "simulate/precision.hpp"
#include "slideway/detail/model/evaluator.hpp"
#include "slideway/filippov/mode.hpp"

namespace slideway {

class AffineScan {
 public:
  // The evaluator must outlive the scan; its guards are affine. `slots` is how many ModeOde has.
  AffineScan(Evaluator& evaluator, Index slots);
  // A guard beside the surfaces, of one slot.
  void add(Index slot, const AffineGuard& guard);
  // set_side() tells which side of zero it is to be on, +1 or -1, from the next start() on.
  void set_side(Index slot, double side) {
    Watched& watched = watched_[place_[static_cast<std::size_t>(slot)]];
    watched.factor = side;
    watched.look_for_one_state();
  }

  // The surfaces to watch are those that do not slide. The exits of those that do are watched where normal components are affine and
  // no surface that slides sees another one's relay. `exit_sign` is the σ of ModeOde.
  void begin(const Mode& mode, double exit_sign);
  // Begins to watch them. The vectors hold what GuardScan::start takes, for all slots of surfaces; those of the thresholds
  // must stay as they are as long as the scan goes on.
  void start(ConstVectorRef values, const Vector& arm_above, const Vector& arrive_below);
  // The size below which the integrator cannot tell an exit of a watched sliding surface from zero.
  double exit_tolerance(Index surface, ConstVectorRef weights) const;
  // leave_exits() ends the watch of the exits of surfaces that slide.
  void leave_exits() { rates_ = nullptr; }
  bool idle() const { return count_ == 0; }
  // watches_all() tells whether no slot is left to others.
  bool watches_all() const { return watches_surfaces_ && 2 * mode_.size() + beside_ == slots_; }
  bool watches(Index slot) const { return watches_[static_cast<std::size_t>(slot)] != 0; }
  bool armed(Index slot) const { return armed_[static_cast<std::size_t>(slot)] != 0; }
  // Sets the flags of the slots that it watches.
  void write_armed(std::vector<char>& flags) const {
    for (std::size_t slot = 0; slot < flags.size(); ++slot)
      flags[slot] = watches_[slot] != 0 ? armed_[slot] : flags[slot];
  }

  struct FirstZero {
    bool found = false;
    double t = 0;
    std::vector<Index> slots = {};  // zero at t, to the accuracy of location
  };
  // stays() tells whether the chords of the last step, [from, to], show that no guard vanishes in it; all are armed then. Nothing changes.
  bool stays(Stepper& stepper, double from, double to) const;
  // advance() looks at [from, to], a part of the stepper's last step. The scan must be started again after a
  // zero.
  const FirstZero& advance(Stepper& stepper, double from, double to);
  // forget_arming() takes back what the last advance() armed: the solution came neither to its end nor to its first zero.
  void forget_arming();

 private:
  // kRounding tells how far from zero the rounding of its terms can take a guard.
  static constexpr double kRounding = StepChords::kRounding;
  // base + factor·function is what `slot` holds, and base − factor·function the next one, if it is watched too.
  struct Watched {
    Index slot = 0;
    bool is_pair = false;
    bool is_off = true;
    double base = 0;
    double factor = 1;
    AffineFunction function = {};
    // factor·function where that is on one state and on nothing else; no state is −1.
    int state = -1;
    double weight = 0;
    double origin = 0;
    double reach = 0;  // how far the guard can be from its chord, per unit of how far the state can be
    double rounding = 0;

    void look_for_one_state() {
      state = function.count == 1 && function.by_time == 0 ? function.states[0] : -1;
      if (state < 0) return;
      weight = factor * function.weights[0];
      origin = factor * function.origin;
      reach = kBeyondUnit * std::abs(weight);
      rounding = 2 * kRounding * std::abs(origin);
    }
    // stays_above() tells whether such a guard is certain to stay above zero.
    bool stays_above(const StepChords& chords) const {
      const double lowest = std::min(weight * chords.first[state], weight * chords.last[state]);
      return origin + lowest > reach * chords.off[state] + rounding;
    }
  };
  // The interval of an advance().
  struct Interval {
    double from, to;
    // `end` shortens the interval to the first zero found so far, since only the first zero counts.
    double end = 1;
    double first = std::numeric_limits<double>::infinity();
    StepChords chords = {};  // null where nothing is known of them
  };

  bool are_apart(const Mode& mode) const;
  void watch(Index surface, double exit_sign);
  // The chords of the states, where the integrator does not know them.
  StepChords find_chords(const Interval& interval);
  // polynomial_of() returns the last step's polynomial with the entries of the states that the function reads.
  Interpolant polynomial_of(const AffineFunction& function);
  // factor·function at both ends, and how far a guard can be from its chord, its rounding included.
  struct Chord {
    double first, last, off;
  };
  static Chord chord_of(const Watched& watched, const Interval& interval);
  // A function that may have a zero: its values at both ends, and how far it can be from the chord.
  struct Candidate {
    const Watched* watched;
    Index slot;
    double factor, first, last, off;
  };
  // Looks at a guard that is not armed, and notes one that may have a zero.
  void consider(const Candidate& candidate, Interval& interval) {
    if (armed_[static_cast<std::size_t>(candidate.slot)] == 0) {
      // Far below zero, and nothing until it has been above.
      if (std::isinf((*arrive_below_)[candidate.slot]) &&
          std::max(candidate.first, candidate.last) < -candidate.off)
        return;
      look(*candidate.watched, candidate.slot, candidate.factor, interval);
    } else if (!(std::min(candidate.first, candidate.last) > candidate.off)) {
      candidates_.push_back(candidate);
    }
  }
  void look_at_candidates(Interval& interval);
  void look(const Watched& watched, Index slot, double factor, Interval& interval);
  void add_imminent(const Interval& interval, double just_after);
  void arm(Index slot);
  // τ of the first zero of this slot, or infinity; arms it.
  double first_zero(Index slot, const GuardPolynomial::Coefficients& c, Index degree, double rounding,
                    double resolution);

  Evaluator& evaluator_;
  const Evaluator::AffineRates* rates_;
  bool diagonal_ = true;  // no surface sees another one's relay
  bool all_see_own_ = true;
  Mode mode_;
  Index sliding_ = 0;  // how many surfaces do
  double exit_sign_ = 0;
  bool watches_surfaces_ = false;  // all of them, whatever slides
  Index count_ = 0;                // of surfaces and guards that are watched
  Index slots_ = 0;
  Index beside_ = 0;                       // of them, of guards beside the surfaces
  std::vector<Watched> watched_;           // per surface, then those beside them
  std::deque<AffineGuard> guards_beside_;  // stay where they are
  std::vector<std::size_t> place_;         // per slot of a guard beside the surfaces: in watched_
  std::vector<int> read_states_;           // those that guards read, in order
  std::vector<char> watches_, armed_;      // per slot
  std::vector<Index> newly_armed_;
  const Vector* arm_above_ = nullptr;  // per slot
  const Vector* arrive_below_ = nullptr;
  Stepper* stepper_ = nullptr;  // in advance()
  // Ends holds the states at both ends, where the integrator does not know their chords.
  struct Ends {
    Vector from, to, off;
  };
  Ends ends_;
  std::vector<Candidate> candidates_;
  // Slots that have a zero in this interval, and where.
  struct Zeros {
    std::vector<Index> slots = {};
    std::vector<double> times = {};
  };
  Zeros zeros_;
  FirstZero result_;
};

}  // namespace slideway
