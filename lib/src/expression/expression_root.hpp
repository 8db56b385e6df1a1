// The root y of one equation r(y) = 0 with r and its slope s at hand.
//
//     only   r is monotone, so there is one root at most: Newton's steps y −= r/s inside of the narrowest interval known, halved where
//            they are slow or lead out of it
//     near   the root that Newton's steps lead to, each at most half as long as the one before and s of one sign: beyond a fold, where s
//            changes its sign, begins another branch, and no root of that is taken
//     near_kinks   the same, except that the first steps may be longer, since Newton's step is wrong across a kink
//     any    the root near the start, or else one that the search of `only` leads to
//
// The answer is exact except for the rounding of r, and NaN where there is none. A change of the sign of r in a pole is no root: |r| is then
// least far from it. It must not know graphs.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "expression/expression_graph.hpp"

namespace slideway::reader {

namespace root_search {

constexpr int most_steps = 300;
constexpr double rounding = 4 * std::numeric_limits<double>::epsilon();
// A step that was this small beside the one before shows that what is left is rounding, once the steps shrink no more.
constexpr double quick = 1e-3;

// The lengths of the last steps.
class Steps {
 public:
  // False once steps have shrunk quickly, but no longer do.
  bool shrink(double step) {
    const bool stalls = std::abs(step) > 0.25 * last_ && std::isfinite(before_) && last_ < quick * before_;
    before_ = last_;
    last_ = std::abs(step);
    return !stalls;
  }
  double last() const { return last_; }

 private:
  double last_ = std::numeric_limits<double>::infinity();
  double before_ = std::numeric_limits<double>::infinity();
};

template <class Equation>
double near(double y, const Equation& equation, bool has_kinks = false) {
  // Across a kink each side of it may cost a step.
  int longer_steps = has_kinks ? 3 : 0;
  double first_slope = 0;
  Steps steps;
  for (int k = 0; k < most_steps; ++k) {
    const auto [residual, slope] = equation(y);
    if (first_slope == 0) first_slope = slope;
    if (slope * first_slope < 0) break;
    if (residual == 0) return slope != 0 ? y : std::numeric_limits<double>::quiet_NaN();
    const double step = -residual / slope;
    if (!std::isfinite(step)) break;
    if (std::abs(step) <= rounding * std::abs(y)) return y + step;
    const double last = steps.last();
    if (!steps.shrink(step)) return y;
    if (std::abs(step) > 0.5 * last && --longer_steps < 0) break;
    y += step;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

// A place where r has a value, as near to the first one as may be.
template <class Equation>
double first_place(double start, const Equation& equation) {
  constexpr double nearest = 1e-3;
  constexpr double farthest = 1e4;
  if (!std::isfinite(start)) return start;
  if (std::isfinite(equation(start).first)) return start;
  for (double away = nearest; away < farthest; away *= 3) {
    for (const double side : {1.0, -1.0}) {
      const double y = start + side * away * std::max(1.0, std::abs(start));
      if (std::isfinite(equation(y).first)) return y;
    }
  }
  return std::numeric_limits<double>::quiet_NaN();
}

// The place of the least |r|, where r changes its sign beside it; `reach` is how far the search has gone from its start.
inline double verified(double least, double change, double reach) {
  constexpr double beside = 1e-6;
  const double size = std::max({std::abs(least), std::abs(change), reach});
  return std::abs(least - change) <= beside * size ? least : std::numeric_limits<double>::quiet_NaN();
}

template <class Equation>
double only(double start, const Equation& equation) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  double y = first_place(start, equation);
  double below = -infinity;
  double above = infinity;
  double best = y;
  double least = infinity;
  double length = infinity;
  double reach = 0;
  for (int k = 0; k < most_steps; ++k) {
    const auto [residual, slope] = equation(y);
    if (!std::isfinite(residual) || std::isnan(slope)) {
      // The search goes back towards the last place with a value where r has none.
      if (!std::isfinite(y) || !(std::abs(y - best) > rounding * std::abs(best))) break;
      y = best + 0.25 * (y - best);
      continue;
    }
    if (residual == 0) return y;
    reach = std::max(reach, std::abs(y - start));
    if (std::abs(residual) < least) {
      least = std::abs(residual);
      best = y;
    }
    const bool is_below = (residual < 0) == (slope >= 0);
    (is_below ? below : above) = y;
    const bool is_between = std::isfinite(below) && std::isfinite(above);
    if (is_between && std::abs(above - below) <= rounding * std::max(std::abs(below), std::abs(above)))
      return verified(best, y, reach);
    double next = y - residual / slope;
    if (std::abs(next - y) <= rounding * std::abs(y)) return next;
    const double last = length;
    length = std::abs(next - y);
    if (is_between && (!(next > below && next < above) || length > 0.5 * last))
      next = below + 0.5 * (above - below);
    // The step is no longer than a hundred times the distance searched so far where r is flat.
    if (!is_between) {
      const double far = 100 * std::max(1.0, std::abs(y - start));
      if (!std::isfinite(next)) next = slope == 0 ? infinity : next;
      next = std::clamp(next, y - far, y + far);
    }
    if (next == y) return verified(best, y, reach);
    y = next;
  }
  // Nothing is left to be halved between signs that come from rounding.
  const bool is_between = std::isfinite(below) && std::isfinite(above) && least < infinity;
  return is_between ? verified(best, 0.5 * (below + above), reach) : std::numeric_limits<double>::quiet_NaN();
}

template <class Equation>
double any(double start, const Equation& equation) {
  const double followed = near(start, equation, true);
  return std::isfinite(followed) ? followed : near(only(start, equation), equation, true);
}

}  // namespace root_search

// `equation(y)` is the pair of r and s.
template <class Equation>
double root_near(double start, Search search, const Equation& equation) {
  switch (search) {
    case Search::only: return root_search::only(start, equation);
    case Search::any: return root_search::any(start, equation);
    default: return root_search::near(start, equation, search == Search::near_kinks);
  }
}

}  // namespace slideway::reader
