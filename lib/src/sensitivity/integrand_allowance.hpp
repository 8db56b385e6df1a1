// By how much of its size the weaker of two integrals may differ from the better one, which has twice its order. A stiff ∂f/∂p makes the
// errors of the solution large, and no shorter step makes these smaller: what stays as it is over two steps, each shorter than the one
// before, is theirs.
//
// It must not know what is integrated.
#pragma once

namespace slideway {

class IntegrandAllowance {
 public:
  explicit IntegrandAllowance(double allowed) : allowed_(allowed) {}
  // part_of() is a part of what is allowed.
  double part_of(double apart, double h) {
    if (apart <= allowed_) {
      stays_ = 0;
      last_step_ = 0;
      return apart / allowed_;
    }
    const bool is_shorter = h < last_step_;
    stays_ = is_shorter && apart > kFalls * last_ ? stays_ + 1 : 0;
    last_step_ = h;
    last_ = apart;
    if (stays_ < 2) return apart / allowed_;
    allowed_ = kMoreThanErrors * apart;
    stays_ = 0;
    return apart / allowed_;
  }

 private:
  static constexpr double kFalls = 0.3;  // a step of 0.7 of another makes what is smooth smaller by this
  static constexpr double kMoreThanErrors = 4;  // errors of one step beside those of others
  double allowed_, last_ = 0, last_step_ = 0;
  int stays_ = 0;
};

}  // namespace slideway
