// Certifies that no zero of a guard is missed inside a step: marches along the dense output with a step of its own.
//
// A march step is accepted only if the polynomial through the last points predicts the new value of every guard
// to 1 % of its scale, the largest |g| over the last four points (never over the run: a decayed transient
// would hide everything). The step grows by at most 2 and is carried over from one integrator step to the next.
// Between marched points g is minimised wherever the interpolating polynomial has a minimum near zero. The first step has no
// points before it; an early sample tells its slopes, and it is shortened where they lead to zero within it.
// A pulse narrower than the march resolves can still be missed: what is resolved is a pulse that is at least as wide as
// the distance over which the guard keeps to a cubic within 1 % before it. A march step never exceeds `max_step`.
//
// Guards are positive while nothing has happened; only downward crossings are arrivals. A guard that starts at zero is
// not armed: it arms once it is clearly positive, and arrives if it goes clearly negative instead. One that waits below zero, as
// one with a direction does beyond its zero, is followed as closely, so that it is not missed where it comes up and goes. A point without a value
// between points that have one, as a pole that is met exactly, is passed by.
// It must not know which integrator made the dense output, nor what the guards mean.
#pragma once

#include <vector>

#include "slideway/core/types.hpp"

namespace slideway {

// The guards along the dense output of the step at hand.
class GuardSampler {
 public:
  virtual ~GuardSampler() = default;
  // May throw where a guard has no value, as beyond an arrival; the march then looks for the arrival before it.
  virtual void sample(double t, VectorRef values) = 0;
  // The value of one guard; `scratch`, one entry per guard, may hold anything afterwards.
  virtual double sample_one(double t, Index guard, VectorRef scratch) {
    sample(t, scratch);
    return scratch[guard];
  }
  // The size below which each guard counts as zero, given the accuracy of the integrator at time t (≥ 0).
  virtual void noise(double t, VectorRef values) = 0;
};

struct Arrival {
  bool found = false;
  double t = 0;
  // One flag per guard: zero at t, to the accuracy of location.
  std::vector<char> guards = {};
  // One of them is not near zero there: its sign changes in a pole, or it jumps.
  bool steep = false;
};

// About 100 ε·max(|t|, h): two located times that differ by less are the same instant.
double location_accuracy(double t, double step);

class GuardScan {
 public:
  // max_step > 0, infinity for none.
  GuardScan(Index guards, double max_step);

  // Begins at t, where the guards have these values. A guard is armed once it exceeds its entry of `arm_above` (≥ 0); before
  // that it arrives only below −`arrive_below` (≥ 0). `first_step` > 0 is the first march step to try.
  void start(double t, ConstVectorRef values, ConstVectorRef arm_above, ConstVectorRef arrive_below,
             double first_step);
  // The same with no guard to watch.
  void start_idle(double t, double first_step);
  // advance() marches from the last point to t_end and reports the first arrival in (last point, t_end]. The
  // scan must be started again after an arrival.
  const Arrival& advance(double t_end, GuardSampler& sampler);

  // The same where somebody else knows that no guard vanishes on the way but those that are not positive at t_end.
  const Arrival& advance_at_once(double t_end, GuardSampler& sampler);
  // The same where none vanishes at all, and the values at t_end are known.
  const Arrival& pass(double t_end, ConstVectorRef values);
  // The report where no guard arrives.
  const Arrival& nothing() {
    arrival_.found = arrival_.steep = false;
    return arrival_;
  }

  // imminent() serves an integrator that can go no further: it lists the guards that would arrive within the
  // accuracy of location after the last point.
  const Arrival& imminent();

  // idle() tells whether there is no guard to march.
  bool idle() const { return watched_.empty(); }
  // nearly_zero() tells whether an armed guard is so near to zero at the last point that it may be there an
  // instant later.
  bool nearly_zero() const;

  // all_armed() tells whether all guards that can arrive are armed.
  bool all_armed() const { return unarmed_ == 0; }
  // One flag per guard.
  const std::vector<char>& armed() const { return armed_; }
  double last_time() const { return times_[0]; }
  // The march step to try next, for a later start().
  double march_step() const { return step_; }

 private:
  static constexpr Index kHistory = 4;

  void arm();
  // The values at t, or where there are none just after it, and the time they are of.
  double sample_near(double t, GuardSampler& sampler, VectorRef values);
  double sample_one_near(double t, Index guard, GuardSampler& sampler);
  template <class Use>
  void predict(double t, bool with_noise, const Use& use) const;
  // note_jitter() looks at a step in which nothing moves, and notes by how much rounding changes the guards whose prediction fails again
  // and again.
  void note_jitter(double t);
  double prediction_error(double t, bool with_noise) const;
  void push(double t);
  void go_on_at(double t);
  auto values_at(Index k) const { return values_.col(columns_[k]); }
  // waits() tells whether a guard that is not armed is on the other side, and arms as soon as it is not.
  bool waits(Index guard) const;
  double side_of(Index guard) const;
  bool may_dip(double a, double b) const;
  void fit_slopes(double a, double b);
  bool flag_imminent(double t, ConstVectorRef values, Index newest, double accuracy, double reach);
  // The first arrival in (a, b], if there is one: guards that may arrive become candidates, of which the first is located.
  bool search(double a, double b, GuardSampler& sampler);
  void look_at_unarmed(Index guard, double a, double b, GuardSampler& sampler, Matrix& within,
                       double& earliest);
  // Arms the guards of risen_ whose peak lies before `until`.
  void arm_risen(double until);
  bool comes_back(Index guard) const;
  bool look_for_dip(Index guard, double a, double b, GuardSampler& sampler, double& earliest);
  void take_excursion(Index guard, double peak_time, double peak, double b, GuardSampler& sampler,
                      double& earliest);
  // add_past_zero() makes candidates of the guards that are past zero where the first one arrives, though they are not at the end.
  bool add_past_zero(double a, double b, GuardSampler& sampler, double earliest);
  void locate_first(double b, GuardSampler& sampler, double& earliest);
  void flag_arrived(double a, double b, GuardSampler& sampler);
  double locate(Index guard, double a, double value_a, double b, double value_b, double level,
                GuardSampler& sampler);
  double lowest(Index guard, double sign, double enough, double a, double b, GuardSampler& sampler,
                double& where);

  Index guards_;
  double max_step_;
  double step_ = 0;
  bool unjudged_ = false;  // the last step was not the march's own
  Index count_ = 0;        // history points held; 0 is the newest
  double times_[kHistory] = {};
  Matrix values_;                           // guards × history
  Index columns_[kHistory] = {0, 1, 2, 3};  // columns_[k] holds the values at times_[k]
  std::vector<Index> watched_;              // the guards that can arrive
  Index unarmed_ = 0;                       // how many of them are not armed
  std::vector<char> armed_;
  Vector arm_above_, arrive_below_;
  Vector new_values_, noise_, jitter_, scratch_, slope_start_, slope_end_, scale_;
  std::vector<int> failures_;  // of the prediction of each guard, in steps in which nothing moves
  // A guard that is positive (plus its level) at `left`, and may reach zero after it.
  struct Candidate {
    Index guard;
    double left;
    double value;
    double level;
    bool armed_here = false;  // it was not before
  };
  std::vector<Candidate> candidates_;
  // Guards that rose above their threshold in the step, and have fallen below it again without reaching zero.
  std::vector<Candidate> risen_;
  Arrival arrival_;
};

}  // namespace slideway
