#include "sensitivity/start_sides.hpp"

#include <cmath>
#include <exception>
#include <limits>

#include "core/constants.hpp"
#include "filippov/side_loops.hpp"

namespace slideway {

namespace {

// A neighbour that moves along a surface is as far from it as the sum of its products is rounded.
constexpr double kRounding = 16 * kEpsilon;
// λ of a neighbour is at a bound within rounding of the start and of a few equations. With parts of 1e-12 and 1e-6 the tests of starts give the same.
constexpr double kBoundOfLambda = 1 + 1e-9;
// A neighbour that goes round a corner without an end is given up after so many passages of each surface. With 1 and 8 the tests of starts give the same.
constexpr std::size_t kMostPassages = 4;

Side side_of(double value) { return value < 0 ? Side::minus : Side::plus; }

}  // namespace

bool StartSides::take(double t, ConstVectorRef x, const Neighbour& neighbour) {
  middle_.take(neighbour.in, t, x, Vector());
  if (!middle_.ode().slides()) return true;
  const Vector lambda = middle_.lambda(t, x);
  return lambda.allFinite() && lambda.lpNorm<Eigen::Infinity>() <= kBoundOfLambda;
}

Vector StartSides::rates(double t, ConstVectorRef x, const std::vector<Index>& surfaces,
                         const Vector& velocity) {
  Vector result(static_cast<Index>(surfaces.size()));
  for (std::size_t k = 0; k < surfaces.size(); ++k)
    result[static_cast<Index>(k)] = middle_.tools().evaluator.guard_rate(t, x, velocity, surfaces[k]);
  return result;
}

std::size_t StartSides::next_surface(const Neighbour& neighbour, const std::vector<Index>& surfaces,
                                     const Vector& rates, double& time) const {
  std::size_t next = surfaces.size();
  for (std::size_t k = 0; k < surfaces.size(); ++k) {
    const Side side = neighbour.in.mode[surfaces[k]];
    const double rate = rates[static_cast<Index>(k)];
    if (side == Side::sliding || !(number_of(side) * rate < 0)) continue;
    const double until = std::abs(neighbour.distances[static_cast<Index>(k)] / rate);
    if (next < surfaces.size() && !(until < time)) continue;
    next = k;
    time = until;
  }
  return next;
}

bool StartSides::pass(double t, ConstVectorRef x, Index surface, Neighbour& neighbour) {
  const Side from = neighbour.in.mode[surface];
  const Side to = from == Side::minus ? Side::plus : Side::minus;
  Vector velocity(x.size());
  neighbour.in.mode.set(surface, to);
  if (take(t, x, neighbour)) {
    middle_.velocity(t, x, velocity);
    if (number_of(to) * middle_.tools().evaluator.guard_rate(t, x, velocity, surface) > 0) return true;
  }
  neighbour.in.mode.set(surface, Side::sliding);
  return take(t, x, neighbour);
}

Vector StartSides::one_side(double t, ConstVectorRef x, SegmentField& to, const Segment& begun,
                            const std::vector<Index>& surfaces, const Vector& direction) {
  const Vector none = Vector::Constant(x.size(), std::numeric_limits<double>::quiet_NaN());
  Neighbour neighbour{
      .moved = direction, .distances = Vector::Zero(static_cast<Index>(surfaces.size())), .in = begun};
  Vector gradient(x.size()), velocity(x.size());
  for (std::size_t k = 0; k < surfaces.size(); ++k) {
    to.tools().evaluator.guard_gradient(t, x, surfaces[k], gradient);
    const double distance = gradient.dot(direction);
    if (std::abs(distance) <= kRounding * gradient.cwiseAbs().dot(direction.cwiseAbs())) continue;
    neighbour.distances[static_cast<Index>(k)] = distance;
    neighbour.in.mode.set(surfaces[k], side_of(distance));
  }
  if (!take(t, x, neighbour)) return none;
  double elapsed = 0;
  for (std::size_t passed = 0; passed <= kMostPassages * surfaces.size(); ++passed) {
    middle_.velocity(t, x, velocity);
    const Vector across = rates(t, x, surfaces, velocity);
    double time = 0;
    const std::size_t met = next_surface(neighbour, surfaces, across, time);
    if (met == surfaces.size()) {
      for (const Index i : surfaces)
        if (neighbour.in.mode[i] != begun.mode[i]) return none;
      to.velocity(t, x, velocity);
      return neighbour.moved - velocity * elapsed;
    }
    neighbour.moved += time * velocity;
    for (std::size_t k = 0; k < surfaces.size(); ++k) {
      const auto at = static_cast<Index>(k);
      if (neighbour.in.mode[surfaces[k]] != Side::sliding) neighbour.distances[at] += time * across[at];
    }
    neighbour.distances[static_cast<Index>(met)] = 0;
    elapsed += time;
    if (!pass(t, x, surfaces[met], neighbour)) return none;
  }
  return none;
}

StartSides::Sides StartSides::find(double t, ConstVectorRef x, SegmentField& to, const Segment& begun,
                                   const std::vector<Index>& surfaces, const Matrix& s) {
  Sides sides{.below = s, .above = s};
  for (Index c = 0; c < s.cols(); ++c) {
    try {
      sides.above.col(c) = one_side(t, x, to, begun, surfaces, s.col(c));
      sides.below.col(c) = -one_side(t, x, to, begun, surfaces, -s.col(c));
    } catch (const std::exception&) {
      sides.above.col(c).setConstant(std::numeric_limits<double>::quiet_NaN());
      sides.below.col(c) = sides.above.col(c);
    }
  }
  return sides;
}

}  // namespace slideway
