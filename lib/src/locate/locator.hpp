// Locates the guard that vanishes first along a step:
//     CVODE's root-finding (integrate/cvode_roots.hpp) tells where locating begins, if it saw a root in the step;
//     the certified scan (AffineScan, GuardScan) covers the step up to there, then to its end, and polishes the zero.
// A guard that was zero at the last event is armed again once it is clearly on its side (simulate/guard_table.hpp).
//
// It must not know what follows from an arrival.
#pragma once

#include <limits>
#include <vector>

#include "locate/dense_guards.hpp"
#include "locate/guard_arming.hpp"
#include "simulate/run_state.hpp"

namespace slideway {

class Locator {
 public:
  // StepScan tells how far the guards have been watched along the step, and what was found.
  struct StepScan {
    const Arrival* arrival = nullptr;  // the first that changes something
    Arrival joint;                     // of both scans
    Arrival passed;                    // without the poles
    std::vector<Index> poles;          // the slots of guards that have changed their signs in a pole there
    double until = 0;
    double root =
        std::numeric_limits<double>::quiet_NaN();  // where the integrator saw one in the step (StepReport)
    double march_step = 0;                         // of the march, carried from one mode to the next
    // The guards of surfaces and contacts, at the last records and at their time.
    std::vector<char> armed_at_record;
    double record_t = std::numeric_limits<double>::quiet_NaN();
    // One flag per slot: it was armed where locating begins.
    std::vector<char> armed_before;
  };

  // The state must outlive the locator.
  explicit Locator(RunState& now);
  // Its parts refer to one another.
  Locator(const Locator&) = delete;
  Locator& operator=(const Locator&) = delete;

  // resize() fits the arrays to the guards of the present tools.
  void resize();
  // The mode of the state begins, with the stepper of the last step or another one. `retakes` tells that the step which was located last is
  // taken again: what was armed before it is armed.
  void begin_mode(bool same_stepper, bool retakes);
  // go_on_after_record() follows records within a step, which goes on.
  void go_on_after_record();

  // Notes which guards are armed before the next part of a step is located.
  void note_armed();
  // The scan has gone on beyond t in the last step: events that were not armed before it, and are not clear of zero at t, are not
  // armed.
  void forget_what_arms_after(double t);
  // The first arrival between scanned().until and `end`.
  const Arrival& locate(double end);
  // Goes on to the end of the step where bounds that are soon found show that no guard arrives before. Where they do not it is false, and
  // nothing has changed.
  bool passes_to(double end);
  // The guards that are about to vanish where the integrator gets no further.
  const Arrival& imminent_arrival();
  // Flags the guards that reach zero at the end time; false when there are none.
  bool arrives_at_end(double end, std::vector<char>& slots);
  // integrator_saw() returns true if the integrator itself reported a root of one of these slots in the step,
  // near t.
  bool integrator_saw(double t, const std::vector<char>& slots) const;

  bool is_armed(Index slot) const { return sampler_.is_armed(slot); }
  GuardArming& arming() { return arming_; }
  StepScan& scanned() { return scanned_; }

  // visit_fields() names the fields that outlive an instant, for checkpoints.
  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("march_step", scanned_.march_step);
  }

 private:
  // Hands the sizes of the table to the scans that watch the guards from t on.
  void start_scans(double march_step);
  std::vector<Index> roots_without_events() const;
  // marches_exits_only() tells whether the march has nothing to look for but ends of sliding.
  bool marches_exits_only() const;
  // passes_to() of the guards that are marched.
  bool slides_on_to(double end);
  // The first arrival up to `limit` of the guards that are marched; the step goes on to `end`.
  const Arrival& march(double limit, double end);
  // first_arrival() uses the certified scans alone.
  const Arrival& first_arrival(double end);

  RunState& now_;
  AffineScan* affine_ = nullptr;  // the one that watches in this mode, if any
  StepScan scanned_;
  Vector guard_values_;  // where the scans start
  DenseGuards sampler_;
  GuardArming arming_;

  // ---- buffers, for one function at a time
  Vector state_, sampled_values_, nudged_values_;
};

}  // namespace slideway
