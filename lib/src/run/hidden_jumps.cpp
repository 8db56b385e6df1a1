#include "run/hidden_jumps.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

#include "core/number_text.hpp"

namespace slideway {

// A jump matters where a usual step would not see it by more than a tolerance.
void HiddenJumps::look(const Point& begin, const Point& end, const Vector& weights,
                       const Derivatives& derivatives) {
  if (moving_ == 0 || !may_ask()) return;
  for (Vector* dx : {&dx_begin_, &dx_end_}) dx->resize(begin.x.size());
  try {
    questions_ += 2;
    derivatives(begin.t, begin.x, dx_begin_);
    derivatives(end.t, end.x, dx_end_);
    Index state = 0;
    const double most = (dx_end_ - dx_begin_).cwiseProduct(weights).head(moving_).cwiseAbs().maxCoeff(&state);
    if (most * usual_step_ > 1) follow(begin, end, state, derivatives);
  } catch (const std::exception&) {
    // A derivative without a value tells nothing.
  }
}

// Of both halves of the way the one in which the derivative differs more is followed.
void HiddenJumps::follow(const Point& begin, const Point& end, Index state, const Derivatives& derivatives) {
  const double difference = std::abs(dx_end_[state] - dx_begin_[state]);
  Point low = begin, high = end, middle;
  double before = dx_begin_[state], after = dx_end_[state];
  for (int k = 0; k < kHalvings; ++k) {
    middle.t = 0.5 * (low.t + high.t);
    middle.x = 0.5 * (low.x + high.x);
    ++questions_;
    derivatives(middle.t, middle.x, dx_end_);
    const double there = dx_end_[state];
    if (std::abs(there - before) > std::abs(after - there)) {
      high = middle;
      after = there;
    } else {
      low = middle;
      before = there;
    }
    if (!(std::abs(after - before) >= kKept * difference)) return;
  }
  if (!(std::abs(after - before) <= kMostKept * difference)) return;
  first_ = {.t = high.t, .x = high.x, .state = state, .before = before, .after = after};
}

std::string hidden_jump_warning(const HiddenJump& jump, const std::vector<std::string>& state_names) {
  constexpr Index most = 4;
  std::string place;
  for (Index j = 0; j < std::min(most, jump.x.size()); ++j)
    place += (j == 0 ? "" : ", ") + state_names[static_cast<std::size_t>(j)] + " = " + number_text(jump.x[j]);
  if (jump.x.size() > most) place += ", ...";
  return "the derivative of '" + state_names[static_cast<std::size_t>(jump.state)] + "' jumps from " +
         number_text(jump.before) + " to " + number_text(jump.after) + " at t = " + number_text(jump.t) +
         ", " + place +
         ", where no guard is zero: steps across such a jump are as accurate as their error test sees, and "
         "sliding "
         "along it is not found; write its condition as the guard of a surface";
}

}  // namespace slideway
