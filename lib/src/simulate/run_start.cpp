// RunEngine where a run begins: at a state whose mode has to be found, or in a mode that is given.

#include <algorithm>
#include <cmath>

#include "core/number_text.hpp"
#include "simulate/run_engine.hpp"
#include "simulate/run_shared.hpp"

namespace slideway {

bool RunEngine::start() {
  here_->stepper->error_weights(x_, weights_);
  solution_.initial = {t_, word(), x_, here_->name};
  // What the callback does not set stays not-a-number.
  Vector h = Vector::Constant(here_->system.surfaces(), kNotANumber);
  here_->evaluator.guards(t_, x_, h);
  if (!all_finite(h)) {
    for (Index i = 0; i < h.size(); ++i)
      mode_.set(i, run_.mode ? (*run_.mode)[i] : h[i] < 0 ? Side::minus : Side::plus);
    const Index needed = needed_without_value(h);
    if (needed >= 0) {
      finish(Status::user_function_failed, "the guard of surface '" + surface_name(needed) +
                                               "' is not finite (" + number_text(h[needed]) +
                                               ") at the start, t = " + number_text(t_) +
                                               "; start where it is, or write it so that it is everywhere, "
                                               "as (x^2)^0.3 for the root x^0.6" +
                                               (std::isnan(h[needed]) ? "; or was it never set?" : ""));
      return false;
    }
  }
  const Index unset = derivative_never_set(h);
  if (unset >= 0) {
    finish(Status::user_function_failed,
           "the field does not set the derivative of '" +
               here_->system.state_names()[static_cast<std::size_t>(unset)] + "' at t = " + number_text(t_) +
               ": every element of dx must be set, and what it holds before means nothing");
    return false;
  }
  begin_instant(true);
  if (run_.mode) {
    begin_in(*run_.mode);
    return true;
  }
  std::vector<EventRecord>& records = instant_.open_records(true);
  const bool goes_on = settle(true, records);
  // A jump at the start comes after the state that was given; a choice of what follows does not.
  const bool jumped = std::any_of(records.begin(), records.end(), [](const EventRecord& record) {
    return record.kind == EventKind::reset || record.kind == EventKind::transition ||
           record.kind == EventKind::impact || record.kind == EventKind::contact;
  });
  if (!jumped) take_initial_mode();
  publish();
  return goes_on;
}

// Between two locations the one that it goes on in.
void RunEngine::take_initial_mode() {
  solution_.initial.mode = word();
  solution_.initial.location = here_->name;
}

// The first state whose derivative is what was there before, or is made of it; −1 if there is none. A field that throws, or has no
// value, on this side of the guards is judged by the run.
Index RunEngine::derivative_never_set(ConstVectorRef h) {
  Vector lambda(h.size());
  for (Index i = 0; i < h.size(); ++i) lambda[i] = h[i] > 0 ? 1 : -1;
  Vector over_nothing = Vector::Constant(x_.size(), kNotANumber);
  Vector over_zero = Vector::Zero(x_.size());
  try {
    here_->system.field(t_, x_, lambda, over_nothing);
    if (all_finite(over_nothing)) return -1;
    here_->system.field(t_, x_, lambda, over_zero);
  } catch (...) {
    return -1;
  }
  for (Index j = 0; j < x_.size(); ++j) {
    if (std::isnan(over_nothing[j]) && !std::isnan(over_zero[j])) return j;
  }
  return -1;
}

// Takes a continuation as it is: nothing is classified.
void RunEngine::begin_in(const Mode& mode) {
  const Index surfaces = mode_.size();
  Vector h(surfaces);
  here_->evaluator.guards(t_, x_, h);
  for (Index i = 0; i < surfaces; ++i) {
    mode_.set(i, mode[i]);
    if (mode[i] == Side::sliding || std::abs(h[i]) <= here_->geometry.rounding(t_, x_, i))
      leaving_.surfaces.push_back(i);
  }
  // A continuation that leaves what it slid on.
  if (in_pair() && !mode_.slides_on(surfaces - 1)) leave_pair(nullptr);
  mode_.fill_lambda(lambda_);
  if (here_->contacts) {
    std::vector<Index> closed;
    for (Index c = 0; c < here_->contacts->contacts(); ++c) {
      if (mode.slides_on(surfaces + c)) closed.push_back(c);
    }
    here_->contacts->set_closed(closed);
    leaving_.contacts = touching_contacts();
  }
  mode_since_ = t_;
  std::vector<Index> sliding;
  mode_.list_sliding(sliding);
  begin_second_order(sliding, sliding);
  take_initial_mode();
  look_at_waiting();
  events_moving_through_zero();
}

}  // namespace slideway
