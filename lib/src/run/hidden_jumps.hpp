// Jumps of the derivatives that no guard tells of, as of if (x > 1) inside a functor or in a function of another language. The error control of
// a stepper passes them by steps that are far shorter than those before. The derivatives at both ends of such a step are compared, and
// what differs is followed to one point of the way between them:
//     a smooth function   the difference vanishes with the distance
//     a jump              the difference stays
//
// It must not know how steps are made, nor what surfaces are.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "slideway/core/types.hpp"

namespace slideway {

// A jump of the derivative of one state: where it is, and the derivative before and after it.
struct HiddenJump {
  double t = 0;
  Vector x = {};
  Index state = 0;
  double before = 0, after = 0;
};

class HiddenJumps {
 public:
  // The derivatives at (t, x). It may throw where they have no value.
  using Derivatives = std::function<void(double t, const Vector& x, Vector& dx)>;
  struct Point {
    double t = 0;
    Vector x = {};
  };

  // `moving` states have derivatives.
  explicit HiddenJumps(Index moving) : moving_(moving) {}

  // The equations are new, and steps begin anew.
  void begin_mode() { last_step_ = usual_step_ = 0; }
  // note() takes the next step of the mode. It returns true where look() is to be called.
  bool note(double step) {
    ++steps_;
    if (usual_step_ == 0 && step < kShort * last_step_) {
      usual_step_ = last_step_;
      short_steps_ = 0;
    } else if (usual_step_ > 0 && (step >= kUsual * usual_step_ || ++short_steps_ > kMostShortSteps)) {
      usual_step_ = 0;
    }
    last_step_ = step;
    return usual_step_ > 0 && !first_;
  }
  // look() compares the derivatives at both ends of the step. `weights` are one over the tolerances.
  void look(const Point& begin, const Point& end, const Vector& weights, const Derivatives& derivatives);

  // The first jump of the run.
  const std::optional<HiddenJump>& first() const { return first_; }

 private:
  // Steps are short below the first part of the step before, and usual again from the second part of it on. A smooth motion changes the steps of a
  // method by less, since the error of a step tells how long the next one may be.
  static constexpr double kShort = 0.1;
  static constexpr double kUsual = 0.5;
  // Steps stay short where the motion keeps to the jump, or where the equations have become faster.
  static constexpr int kMostShortSteps = 64;
  // The last of so many halvings is a distance over which everything that users write is a jump.
  static constexpr int kHalvings = 40;
  // The difference that is left of a jump is at least this part of the one at first, and at most this multiple: a pole has more.
  static constexpr double kKept = 0.5;
  static constexpr double kMostKept = 2;
  // Derivatives are asked for so often in a run, and once more in so many steps.
  static constexpr std::int64_t kFewQuestions = 64;
  static constexpr std::int64_t kStepsPerQuestion = 16;

  bool may_ask() const { return questions_ < kFewQuestions + steps_ / kStepsPerQuestion; }
  void follow(const Point& begin, const Point& end, Index state, const Derivatives& derivatives);

  Index moving_;
  double last_step_ = 0;
  double usual_step_ = 0;  // before the steps became short; 0 where they are not
  int short_steps_ = 0;
  std::int64_t steps_ = 0, questions_ = 0;
  Vector dx_begin_, dx_end_;
  std::optional<HiddenJump> first_;
};

// A sentence for users.
std::string hidden_jump_warning(const HiddenJump& jump, const std::vector<std::string>& state_names);

}  // namespace slideway
