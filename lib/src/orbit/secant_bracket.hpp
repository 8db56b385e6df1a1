// A bracket of a zero, narrowed by Illinois' variant of the secant method: the value at an end that stays is halved, so that the other end
// moves as well.
//
// It must not know the function.
#pragma once

namespace slideway {

struct SecantBracket {
  double low, high;        // low < high
  double at_low, at_high;  // values of different signs

  double width() const { return high - low; }
  // The next place to take a value at, inside of the bracket.
  double next() const {
    const double at = low - at_low * width() / (at_high - at_low);
    return at > low && at < high ? at : 0.5 * (low + high);
  }
  void take(double at, double value) {
    if ((value < 0) == (at_low < 0)) {
      low = at;
      at_low = value;
      at_high *= 0.5;
    } else {
      high = at;
      at_high = value;
      at_low *= 0.5;
    }
  }
};

}  // namespace slideway
