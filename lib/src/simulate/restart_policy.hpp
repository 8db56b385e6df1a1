// How long the stretch of the solution that begins is going to take. After a jump, and where events come ever faster, it is taken to
// be about as long as the last one: a multistep method that starts at order one may see too little of it.
//
// It must not know integrators, nor what jumps.
#pragma once

#include <cstdint>
#include <limits>

namespace slideway {

class RestartPolicy {
 public:
  // The state jumps at t.
  void jump(double t) {
    starts_anew_ = true;
    repeats_ = keeps_states_ = false;
    interval_ = last_jump_ < t ? t - last_jump_ : 0;
    last_jump_ = t;
  }
  // keep_states() says that the jump has set discrete states alone. A mode of one step tells nothing of the length of the next one.
  void keep_states() { keeps_states_ = steps_in_mode_ > 1; }
  // repeat() says that nothing jumps, and that the mode that begins is like the one that ends, and as short as
  // this.
  void repeat(double interval) {
    starts_anew_ = repeats_ = true;
    keeps_states_ = false;
    interval_ = interval;
    steps_ = steps_in_mode_;
  }
  // The flight after the jump is predicted to take this long. The prediction replaces the length of the last flight.
  void expect(double interval) {
    interval_ = interval;
    steps_ = 0;
  }
  // The next stretch continues the last one.
  void go_on() { starts_anew_ = false; }
  // retake() says that the last step, or what is left of it, is taken again from t, with a step of this length.
  void retake(double t, double length) {
    if (steps_in_mode_ > 1) go_on();
    retakes_ = t == retaken_at_ ? retakes_ + 1 : 1;
    retaken_at_ = t;
    first_step_ = length;
  }
  // step_carefully() says that the method of the run has no step from here, where the field ends or has no derivative: the
  // next one is of this length at most, within the domain of the field.
  void step_carefully(double length) {
    careful_ = true;
    first_step_ = length;
  }
  // take_fine_steps() tells whether the next stretch, if it starts anew, is to be taken in fine steps.
  void take_fine_steps(bool fine) { fine_ = fine; }

  void begin_mode() {
    if (starts_anew_) steps_ = 0;
    steps_in_mode_ = 0;
    first_step_ = 0;
    careful_ = false;
  }
  void count_step() {
    ++steps_;
    ++steps_in_mode_;
    ++steps_in_run_;
  }

  // starts_anew() tells whether the mode that begins has nothing to do with the steps before it.
  bool starts_anew() const { return starts_anew_; }
  // has_usual_step() tells whether the steps before it tell the length of its first one.
  bool has_usual_step() const { return !starts_anew_ || keeps_states_; }
  // repeats() tells whether it does without a jump: it is like the mode before.
  bool repeats() const { return starts_anew_ && repeats_; }
  bool starts_finely() const { return starts_anew_ && fine_; }
  bool steps_carefully() const { return careful_; }
  // The length of the step that is taken again next, or carefully; 0 where none is.
  double first_step() const { return first_step_; }
  // retakes() counts how often the step from t has been taken again.
  int retakes(double t) const { return t == retaken_at_ ? retakes_ : 0; }
  // The duration of the last stretch; 0 where that is not known.
  double interval() const { return interval_; }
  // Steps since something started anew, since the mode began, and of the run.
  std::int64_t steps() const { return steps_; }
  std::int64_t steps_in_mode() const { return steps_in_mode_; }
  std::int64_t steps_in_run() const { return steps_in_run_; }
  bool jumped_at(double t) const { return last_jump_ == t; }

  // visit_fields() names the fields that outlive an instant, for checkpoints.
  template <class Visit>
  void visit_fields(Visit& visit) {
    visit("starts_anew", starts_anew_);
    visit("repeats", repeats_);
    visit("keeps_states", keeps_states_);
    visit("fine", fine_);
    visit("last_jump", last_jump_);
    visit("interval", interval_);
    visit("steps", steps_);
    visit("steps_in_mode", steps_in_mode_);
    visit("steps_in_run", steps_in_run_);
  }

 private:
  bool starts_anew_ = false;
  bool repeats_ = false;
  bool keeps_states_ = false;
  bool fine_ = false;
  double last_jump_ = std::numeric_limits<double>::quiet_NaN();  // none yet
  double interval_ = 0;
  double first_step_ = 0;
  bool careful_ = false;
  double retaken_at_ = std::numeric_limits<double>::quiet_NaN();
  int retakes_ = 0;
  std::int64_t steps_ = 0;
  std::int64_t steps_in_mode_ = 0;
  std::int64_t steps_in_run_ = 0;
};

}  // namespace slideway
