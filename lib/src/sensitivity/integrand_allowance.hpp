// IntegrandAllowance says by how much of its size a weaker quadrature formula may differ from a better one of twice its order.
// A stiff ∂f/∂p multiplies the errors of the solution, and no shorter step makes these smaller, where an explicit method has followed it
// (corrected_state.hpp). A difference that stays over two steps, each shorter than the one before, is therefore accepted as theirs.
//
// It must not know what is integrated.
#pragma once

namespace slideway {

class IntegrandAllowance {
 public:
  explicit IntegrandAllowance(double allowed) : allowed_(allowed) {}
  // part_of() returns the difference `apart` of a step of length h as a part of the allowance. It raises the allowance where
  // shorter steps no longer reduce the difference.
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
  // A rejected step is followed by one of at most 0.7 of its length. The difference of smooth integrands falls like the length to
  // the number of stages: of five, 0.7⁵ = 0.17.
  static constexpr double kFalls = 0.3;
  // The errors of later steps may be this many times larger. Half of it costs adjoint derivatives of the rod 3 to 7 % more, twice it 3 to 5 %
  // less, with the same digits.
  static constexpr double kMoreThanErrors = 4;
  double allowed_, last_ = 0, last_step_ = 0;
  int stays_ = 0;
};

}  // namespace slideway
