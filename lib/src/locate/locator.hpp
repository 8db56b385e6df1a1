// Locates the guard that vanishes first along a step:
//     CVODE's root-finding (integrate/cvode_roots.hpp) tells where locating begins, if it saw a root in the step;
//     the certified scan (AffineScan, GuardScan) covers the step up to there, then to its end, and polishes the zero.
// A guard that was zero at the last event is armed again once it is clearly on its side (simulate/guard_table.hpp).
//
// It must not know what follows from an arrival.
#pragma once

#include <limits>
#include <vector>

#include "simulate/run_state.hpp"

namespace slideway {

class Locator {
 public:
  // How far the guards have been watched along the step, and what was found.
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
  };

  // The state must outlive the locator.
  explicit Locator(RunState& now);

  // To the guards of the tools at hand.
  void resize();
  // The mode of the state begins, with the stepper of the last step or another one.
  void begin_mode(bool same_stepper);
  // After records within a step, which goes on.
  void go_on_after_record();

  // The first arrival between scanned().until and `end`.
  const Arrival& locate(double end);
  // The guards that are about to vanish where the integrator gets no further.
  const Arrival& imminent_arrival();
  // Flags the guards that reach zero at the end time; false when there are none.
  bool arrives_at_end(double end, std::vector<char>& slots);
  // True if the integrator itself reported a root of one of these slots in the step, near t.
  bool integrator_saw(double t, const std::vector<char>& slots) const;

  bool is_armed(Index slot) const;
  bool is_held(Index event);
  double arming_level(Index event);
  StepScan& scanned() { return scanned_; }

  // For checkpoints: what outlives an instant.
  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("march_step", scanned_.march_step);
  }

 private:
  // The guards along the dense output of the last step.
  class DenseGuards final : public GuardSampler {
   public:
    explicit DenseGuards(Locator& locator) : locator_(locator) {}
    void sample(double t, VectorRef values) override;
    // Evaluates the single guard of an event. The guards of surfaces share their work, so all of them are sampled even for one.
    double sample_one(double t, Index guard, VectorRef scratch) override;
    void noise(double t, VectorRef values) override;

   private:
    // Sets the locator's state_ to that at t, on the surfaces it slides on.
    void state_at(double t);
    bool mirror_what_is_hardly_left(double t);
    Locator& locator_;
  };

  // From where on each guard counts, and how far it may be on the wrong side until then: puts the sizes into the guard table.
  void start_guards(bool same_stepper);
  void start_exits(Index surface, bool is_nudged);
  void start_surface(Index i, bool same_stepper);
  void start_events();
  bool makes_no_difference(Index surface);
  // The error of a guard at the end of the last step, where the event was at its start.
  double tolerance_a_step_on(Index surface);
  double projection_noise(Index event);
  // The rounding of an event's guard, and the value from which on it counts as off zero.
  double event_rounding(Index event);
  // Hands the sizes of the table to the scans that watch the guards from t on.
  void start_scans(double march_step);
  std::vector<Index> roots_without_events() const;
  // Whether the march has nothing to look for but ends of sliding.
  bool marches_exits_only() const;
  // The first arrival up to `limit` of the guards that are marched; the step goes on to `end`.
  const Arrival& march(double limit, double end);
  // By the certified scans alone.
  const Arrival& first_arrival(double end);

  RunState& now_;
  AffineScan* affine_ = nullptr;  // the one that watches in this mode, if any
  DenseGuards sampler_;
  StepScan scanned_;
  Vector guard_values_;  // where the scans start

  // ---- buffers, for one function at a time
  Vector state_, nudged_state_, sampled_values_, nudged_values_;
};

}  // namespace slideway
