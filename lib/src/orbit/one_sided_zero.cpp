#include "orbit/one_sided_zero.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace slideway {

namespace {

// A trial goes this part of the way to the extrapolated zero, and so stays in front of it where the extrapolation is up to a tenth off. The tests of
// orbits pass with 0.5 to 0.92; with 0.95 the noise of the values counts more than five times.
constexpr double kPartOfWay = 0.9;
// The function has come near to its zero where the value is this part of the first one. The tests of orbits pass with 0.1 and 0.4.
constexpr double kSmallPart = 0.2;
// The zero may differ from the end of the bracket by so many tolerances. A tolerance is a tenth of the accuracy of runs, and orbits have residuals of
// up to a thousand times that accuracy. The tests of orbits pass with a tenth and ten times as many.
constexpr double kSlack = 1e4;
// Halving takes 53 trials to the last digit of the bracket, and each value beside it gains one of sixteen digits.
constexpr int kMostTrialsOfSide = 70;

struct Known {
  double x = 0;
  double f = 0;
};

// The zero of the polynomial x(f) through the last points, up to three.
double extrapolated(const std::vector<Known>& known) {
  const std::size_t count = std::min<std::size_t>(known.size(), 3), first = known.size() - count;
  double zero = 0;
  for (std::size_t i = first; i < known.size(); ++i) {
    double weight = 1;
    for (std::size_t j = first; j < known.size(); ++j)
      if (j != i) weight *= known[j].f / (known[j].f - known[i].f);
    zero += weight * known[i].x;
  }
  return zero;
}

}  // namespace

std::optional<double> one_sided_zero(const std::function<std::optional<double>(double x)>& value,
                                     double begin, double end, double tolerance) {
  const std::optional<double> first = value(begin);
  if (!first || *first == 0) return std::nullopt;
  std::vector<Known> known = {{begin, *first}};
  double bound = end;
  std::optional<double> last;
  for (int trial = 0; trial < kMostTrialsOfSide; ++trial) {
    const double here = known.back().x;
    const auto is_ahead = [&](double x) { return (x - here) * (end - begin) > 0; };
    double zero = known.size() > 1 ? extrapolated(known) : 0.5 * (here + bound);
    const bool leads_there = known.size() > 1 && std::isfinite(zero) && is_ahead(zero);
    // A function that jumps at the bound does not become small, and one whose zero lies beyond it is not what changes there.
    const bool is_small = std::abs(known.back().f) <= kSmallPart * std::abs(*first);
    const bool is_at_bound =
        std::abs(zero - bound) <= kSlack * tolerance || !((zero - bound) * (end - begin) > 0);
    if (leads_there && is_small && is_at_bound && last && std::abs(zero - *last) <= tolerance) return zero;
    if (leads_there) last = zero;
    if (std::abs(bound - here) <= tolerance) {
      if (leads_there && is_small && is_at_bound) return zero;
      return std::nullopt;
    }
    const bool is_between = leads_there && (bound - zero) * (end - begin) >= 0;
    const double target =
        is_between ? zero : (known.size() > 1 && leads_there ? bound : 0.5 * (here + bound));
    const double x = known.size() > 1 && leads_there ? here + kPartOfWay * (target - here) : target;
    const std::optional<double> f = value(x);
    if (f && *f != known.back().f && (*f > 0) == (*first > 0)) {
      known.push_back({x, *f});
    } else {
      bound = x;
    }
  }
  return std::nullopt;
}

}  // namespace slideway
