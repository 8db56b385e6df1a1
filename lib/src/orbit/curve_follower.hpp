// Curves of zeros u by pseudo-arclength: from the zero u* with the unit tangent τ the next one lies on the plane τᵀ(u − u*) = Δs. The step Δs is
// halved where that zero is not near and doubled behind it. The last unknowns are shares of ranges, from 0 to 1, at whose ends a curve stops.
//
// A Station holds u, its tangent and whatever else is known there. Near(point, normal, along) gives the station on the plane through the point
// across the normal, with the tangent on the side of `along`, and nothing where none is found. It must not know the equations.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "core/constants.hpp"
#include "orbit/secant_bracket.hpp"
#include "slideway/core/types.hpp"

namespace slideway {

struct CurveSteps {
  double longest = 0;     // > 0
  double shortest = 0;    // where a step would be shorter, the curve ends
  Index shares = 1;       // so many of the last unknowns
  Index most_points = 2;  // the first one included
};

enum class CurveEnd {
  range,    // a share came to an end of its range
  closed,   // the curve came back to its begin
  lost,     // no next zero is found
  too_many  // the greatest number of points is reached
};

// A step of at most this part of a range is not worth a point. The tests of orbits pass with 1e-10 and 1e-8.
inline constexpr double kEndOfRange = 1e-9;
// The tangent turns by at most 26 degrees from one point to the next. The tests of orbits pass with 18 and 37 degrees (0.95 and 0.8).
inline constexpr double kLeastCosine = 0.9;
// A zero farther than this part of the step from where the tangent leads belongs to another branch. The tests of orbits pass with 0.15 and 0.6.
inline constexpr double kNearPrediction = 0.3;
// Bisection narrows a bracket to the last of 53 digits, and every second step of the secant method may be as slow.
inline constexpr int kMostSecants = 80;

// A step over the end of a range, cut off there.
struct CutStep {
  Index unknown = 0;
  double end = 0;   // 0 or 1
  double part = 1;  // of the step that is left
};

// cut_at_range() tells at which end the step leaves first; nothing where it stays inside.
inline std::optional<CutStep> cut_at_range(const Vector& here, const Vector& predicted, Index shares) {
  std::optional<CutStep> first;
  for (Index j = here.size() - shares; j < here.size(); ++j) {
    const double change = predicted[j] - here[j];
    const bool is_above = predicted[j] >= 1 - kEndOfRange && change > 0;
    const bool is_below = predicted[j] <= kEndOfRange && change < 0;
    if (!is_above && !is_below) continue;
    const double end = is_above ? 1 : 0;
    const double part = std::max(0.0, (end - here[j]) / change);
    if (!first || part < first->part) first = CutStep{.unknown = j, .end = end, .part = part};
  }
  return first;
}

// follow_curve() calls passed(here, next) for each pair of neighbours in their order, and returns why the curve ends.
template <class Station, class Near, class Passed>
CurveEnd follow_curve(Station here, const CurveSteps& steps, Near& near, const Passed& passed) {
  const Vector start = here.u;
  double length = steps.longest;
  for (Index count = 1; count < steps.most_points;) {
    if (length < steps.shortest) return CurveEnd::lost;
    Vector predicted = here.u + length * here.tangent;
    const std::optional<CutStep> cut = cut_at_range(here.u, predicted, steps.shares);
    std::optional<Station> next;
    if (cut) {
      if (std::abs(cut->end - here.u[cut->unknown]) <= kEndOfRange) return CurveEnd::range;
      predicted = here.u + cut->part * (predicted - here.u);
      predicted[cut->unknown] = cut->end;
      next = near(predicted, Vector(Vector::Unit(here.u.size(), cut->unknown)), here.tangent);
    } else {
      next = near(predicted, here.tangent, here.tangent);
    }
    const bool is_near = next && (next->u - here.u).norm() <= (1 + kNearPrediction) * length &&
                         (cut || (next->u - predicted).norm() <= kNearPrediction * length) &&
                         next->tangent.dot(here.tangent) >= kLeastCosine;
    if (!is_near) {
      length *= 0.5;
      continue;
    }
    ++count;
    passed(here, *next);
    if (cut) return CurveEnd::range;
    const bool is_closed = count > 3 && (next->u - start).norm() <= length &&
                           (start - here.u).dot(here.tangent) > 0 &&
                           (start - next->u).dot(next->tangent) <= 0;
    if (is_closed) return CurveEnd::closed;
    here = std::move(*next);
    length = std::min(steps.longest, 2 * length);
  }
  return CurveEnd::too_many;
}

// zero_between() searches the zero of a test function of stations along the tangent of the first one. The values there differ in sign.
template <class Station, class Near, class Test>
std::optional<Station> zero_between(const Station& here, const Station& next, Near& near, const Test& test) {
  const double whole = (next.u - here.u).dot(here.tangent);
  SecantBracket bracket{0, whole, test(here), test(next)};
  std::optional<Station> best;
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k < kMostSecants && bracket.width() > 2 * kEpsilon * whole; ++k) {
    const double at = bracket.next();
    const Vector chord = here.u + (at / whole) * (next.u - here.u);
    std::optional<Station> middle = near(
        Vector(chord + (at - (chord - here.u).dot(here.tangent)) * here.tangent), here.tangent, here.tangent);
    if (!middle) break;
    const double value = test(*middle);
    if (std::abs(value) < least) {
      least = std::abs(value);
      best = middle;
    }
    if (value == 0) break;
    bracket.take(at, value);
  }
  return best;
}

}  // namespace slideway
