// The inputs of the tapes of a system: a time, a state and relays, or a point that moves.
//
// It must not know what the tapes compute.
#pragma once

#include <cstdint>

#include "slideway/autodiff/dual.hpp"
#include "slideway/core/types.hpp"

namespace slideway::reader {

// Inputs at a point. A tape asks only for those that it uses; guards have no λ.
struct Point {
  double t;
  const double* x;
  const double* lambdas;

  double time() const { return t; }
  double impact() const { return 0; }
  double state(std::uint32_t index) const { return x[index]; }
  double lambda(std::uint32_t index) const { return lambdas[index]; }
};

inline Point point(double t, ConstVectorRef x) { return {t, x.data(), nullptr}; }
inline Point point(double t, ConstVectorRef x, ConstVectorRef lambda) { return {t, x.data(), lambda.data()}; }

// Inputs that move: a value and its rate, each again a point or a moving point.
template <class Inputs, class Scalar>
struct Moving {
  Inputs value;
  Inputs rate;

  Dual<Scalar> time() const { return {value.time(), rate.time()}; }
  Dual<Scalar> impact() const { return {value.impact(), rate.impact()}; }
  Dual<Scalar> state(std::uint32_t index) const { return {value.state(index), rate.state(index)}; }
  Dual<Scalar> lambda(std::uint32_t index) const { return {value.lambda(index), rate.lambda(index)}; }
};
using MovingPoint = Moving<Point, double>;
using TwiceMovingPoint = Moving<MovingPoint, Dual<double>>;

}  // namespace slideway::reader
