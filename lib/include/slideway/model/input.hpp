// A measured signal u(t): values at knots, held or interpolated between them. Its pieces are polynomials
//     u = c₀ + c₁ (t − t₀) + c₂ (t − t₀)² + c₃ (t − t₀)³
// whose numbers t₀, c₀ … c₃ are discrete states of the system that has the input, set by a time event at every knot: a
// step of the integrator ends there, and a field, written once, has exact derivatives.
// It must not know files.
#pragma once

#include <string>
#include <vector>

#include "slideway/model/time_event.hpp"

namespace slideway {

// The signal between two knots: the value of the first; a straight line; a cubic that keeps monotone what is
// monotone in the values, as SciPy's PchipInterpolator does; the natural cubic spline.
enum class Interpolation { hold, linear, pchip, cubic };
// Extrapolation is the signal outside the knots: an error, which ends the run there; the value at the nearest end;
// or a periodic signal. Its period is the time from the first to the last knot, where the value is that of the
// first.
enum class Extrapolation { error, hold, periodic };

struct InputData {
  std::string name = {};  // for messages and for the event log
  std::vector<double> times = {};
  std::vector<double> values = {};
  std::vector<double> slopes = {};  // of a cubic at its knots; empty for those of the natural spline
  Interpolation interpolation = Interpolation::linear;
  Extrapolation extrapolation = Extrapolation::error;
};

class Input {
 public:
  // states tells how many discrete states it takes: t₀, c₀ … c₃.
  static constexpr Index states = 5;

  // Throws std::invalid_argument where times do not increase, or sizes or numbers make no sense.
  explicit Input(InputData data);

  const InputData& data() const { return data_; }

  // value() takes x, in which the input's states begin at `first`, and returns u(t). It serves all numbers with
  // which a field is called.
  template <class Scalar, class State>
  static auto value(const Scalar& t, const State& x, Index first) {
    const auto since = t - x[first];
    return x[first + 1] + since * (x[first + 2] + since * (x[first + 3] + since * x[first + 4]));
  }
  // u(t), for whoever wants to look. Throws std::out_of_range outside the knots, unless there is an extrapolation.
  double operator()(double t) const;

  // set_states() sets the states to their values from t on.
  void set_states(double t, Index first, VectorRef x) const;
  // The time events that do so at every knot from `start` on: one, or of a periodic signal one per knot.
  std::vector<TimeEvent> knots(Index first, double start) const;

 private:
  struct Piece {
    double origin = 0;
    double coefficients[4] = {0, 0, 0, 0};
  };
  Piece piece_from(double t) const;
  void find_slopes();

  InputData data_;
  std::vector<double> slopes_;  // at the knots, of cubics
};

}  // namespace slideway
