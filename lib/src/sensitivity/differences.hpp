// Derivatives along a direction by differences of sixth order, for what tells no exact ones: jumps, forces, the ends of sliding.
// Their error is a few hundred rounding errors where a function is as smooth as its arguments are large.
//
// It must not know what is differentiated.
#pragma once

#include <algorithm>
#include <cmath>
#include <exception>
#include <limits>

#include "slideway/core/types.hpp"

namespace slideway {

// difference_step() is the s for which t + s·t_dot and x + s·x_dot change each entry by a hundredth of its size at most. It is 0 where
// nothing moves, or moves so little that no number is the step.
inline double difference_step(double t, ConstVectorRef x, double t_dot, ConstVectorRef x_dot,
                              ConstVectorRef typical_sizes, double typical_time) {
  double fastest = std::abs(t_dot) / (typical_time + 1e-3 * std::abs(t));
  for (Index j = 0; j < x.size(); ++j)
    fastest = std::max(fastest, std::abs(x_dot[j]) / std::max(std::abs(x[j]), typical_sizes[j]));
  const double step = 0.01 / fastest;
  return std::isfinite(step) ? step : 0;
}

// The values that a difference takes: to both sides of s = 0, or, where there are none beyond a bound, to one of them.
enum class Reached { both_sides, above, below };

// A difference takes values at so many steps to either side, or at so many to one side.
constexpr int kDifferenceReach = 3;
constexpr int kOneSidedReach = 2 * kDifferenceReach;

// value(s, out) fills `out` with what is to be differentiated by s at 0; `derivative` has the size of that. `largest` is given the
// largest of each value, if it is not null.
// It returns the largest difference from the result of fourth order by the same values, whose error falls with the fourth power of
// the step where that of the result falls with the sixth.
template <class Value>
double difference(double step, const Value& value, Vector& buffer, VectorRef derivative,
                  Vector* largest = nullptr, Reached reached = Reached::both_sides) {
  derivative.setZero();
  if (largest) largest->setZero(derivative.size());
  if (!(step > 0)) return 0;
  buffer.resize(derivative.size());
  Vector error = Vector::Zero(derivative.size());
  const auto add = [&](double s, double weight, double beyond) {
    value(s, buffer);
    derivative += weight * buffer;
    error += beyond * buffer;
    if (largest) *largest = largest->cwiseMax(buffer.cwiseAbs());
  };
  if (reached == Reached::both_sides) {
    // Less the result of fourth order, (8 (f(1) − f(−1)) − (f(2) − f(−2)))/12.
    constexpr double weights[kDifferenceReach] = {45, -9, 1}, beyond[kDifferenceReach] = {5, -4, 1};
    for (int k = 1; k <= kDifferenceReach; ++k)
      for (const double sign : {1.0, -1.0}) add(sign * k * step, sign * weights[k - 1], sign * beyond[k - 1]);
  } else {
    // Less the result of fourth order, (−25 f(0) + 48 f(1) − 36 f(2) + 16 f(3) − 3 f(4))/12.
    constexpr double weights[kOneSidedReach + 1] = {-147, 360, -450, 400, -225, 72, -10};
    constexpr double beyond[kOneSidedReach + 1] = {-22, 120, -270, 320, -210, 72, -10};
    const double sign = reached == Reached::above ? 1 : -1;
    for (int k = 0; k <= kOneSidedReach; ++k) add(sign * k * step, sign * weights[k], sign * beyond[k]);
  }
  derivative /= 60 * step;
  return error.size() == 0 ? 0 : error.lpNorm<Eigen::Infinity>() / (60 * step);
}

// differentiate_within() does the same with the pair of steps, one a tenth of the other, whose results differ the
// least: `step` is too long where the time or a state varies on a scale that their sizes do not tell, or a kink is
// near. It returns that difference in parts of the derivative, a bound of the error; where it is not far below 1
// there is a kink or a step. Two results that differ by no more than the rounding of values over the shorter step
// are one: a derivative that is 0 has no other scale.
template <class Value>
double differentiate_within(Reached reached, double step, const Value& value, Vector& buffer,
                            VectorRef derivative) {
  constexpr int most = 7;
  constexpr double shorter = 0.1, rounding = 1e-11, converged = 1e-8;
  difference(step, value, buffer, derivative, nullptr, reached);
  if (!(step > 0)) return 0;
  double least = std::numeric_limits<double>::infinity(), bound = least;
  Vector longer = derivative, finer(derivative.size()), largest(derivative.size());
  for (int k = 1; k <= most; ++k) {
    step *= shorter;
    difference(step, value, buffer, finer, &largest, reached);
    const double size = std::max(longer.cwiseAbs().maxCoeff(), finer.cwiseAbs().maxCoeff());
    const double away = (finer - longer).cwiseAbs().maxCoeff();
    const double apart = size > 0 ? away / size : 0;
    // The results have converged, and this pair differs more: shorter steps only add rounding errors, and two of these can
    // agree by chance.
    if (bound <= converged && least < away) return bound;
    // Values have a few roundings each; the weights to one side are 16 times those to both.
    const double roundings = reached == Reached::both_sides ? 16 : 256;
    const double by_rounding = roundings * std::numeric_limits<double>::epsilon() / step;
    if (((finer - longer).array().abs() <= by_rounding * largest.array() + rounding * size).all()) {
      // The longer step has the smaller rounding error. An earlier pair of steps can agree better where terms cancel in the
      // values, so that their rounding is larger than their size tells.
      if (!(least < away)) derivative = longer;
      return std::min(apart, rounding);
    }
    if (away < least) {
      derivative = finer;
      least = away;
      bound = apart;
    }
    longer = finer;
  }
  return bound;
}

// refined_difference() takes values to both sides, or to one where there are none on the other: a restitution of 1 has none beyond it.
// `reached`, if it is not null, is told which.
template <class Value>
double refined_difference(double step, const Value& value, Vector& buffer, VectorRef derivative,
                          Reached* reached = nullptr) {
  if (reached) *reached = Reached::both_sides;
  try {
    return differentiate_within(Reached::both_sides, step, value, buffer, derivative);
  } catch (const std::exception&) {
    for (const Reached side : {Reached::below, Reached::above}) {
      try {
        const double apart = differentiate_within(side, step, value, buffer, derivative);
        if (reached) *reached = side;
        return apart;
      } catch (const std::exception&) {
        // The other side is left.
      }
    }
    throw;
  }
}

}  // namespace slideway
