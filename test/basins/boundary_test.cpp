// The roughness of boundaries between coloured cells, against boundaries whose dimension is known.
#include <cmath>

#include <doctest/doctest.h>

#include "slideway/basins/boundary.hpp"

using namespace slideway;

namespace {

constexpr double kTwoPi = 6.283185307179586;

template <class Colour>
ColouredPlane plane_of(Index across, Index up, const Colour& colour) {
  ColouredPlane plane{.across = across, .up = up};
  for (Index j = 0; j < up; ++j)
    for (Index i = 0; i < across; ++i)
      plane.colours.push_back(colour((static_cast<double>(i) + 0.5) / static_cast<double>(across),
                                     (static_cast<double>(j) + 0.5) / static_cast<double>(up)));
  return plane;
}

// The attractor of the map of Grebogi, McDonald, Ott and Yorke (1983), with J₀ = 0.3: θ = 0 or θ = π.
int end_of_map(double theta, double x) {
  for (int k = 0; k < 200; ++k) {
    const double next = std::remainder(
        theta + 1.32 * std::sin(2 * theta) - 0.9 * std::sin(4 * theta) - x * std::sin(theta), kTwoPi);
    x = -0.3 * std::cos(theta);
    theta = next;
  }
  return std::abs(theta) < 1 ? 0 : 1;
}

}  // namespace

TEST_CASE("a straight boundary has the dimension one and the exponent one, wherever it lies") {
  const ColouredPlane upright = plane_of(256, 256, [](double x, double) { return x < 0.5 ? 1 : 0; });
  const ColouredPlane between = plane_of(256, 256, [](double x, double) { return x < 0.3141 ? 1 : 0; });
  const ColouredPlane level = plane_of(256, 128, [](double, double y) { return y < 0.25 ? 3 : 7; });
  const ColouredPlane slanted =
      plane_of(256, 256, [](double x, double y) { return x + 0.7 * y < 0.8 ? 1 : 0; });
  for (const ColouredPlane& plane : {upright, between, level}) {
    CHECK(uncertainty_exponent(plane).exponent == doctest::Approx(1).epsilon(1e-12));
    CHECK(box_dimension(plane).exponent == doctest::Approx(1).epsilon(0.01));
  }
  CHECK(uncertainty_exponent(slanted).exponent == doctest::Approx(1).epsilon(0.02));
  CHECK(box_dimension(slanted).exponent == doctest::Approx(1).epsilon(0.03));
}

TEST_CASE("a plane of noise has a boundary of dimension two and the exponent zero") {
  unsigned state = 1;
  const ColouredPlane noise = plane_of(128, 128, [&](double, double) {
    state = state * 1664525u + 1013904223u;
    return static_cast<int>(state >> 31);
  });
  CHECK(box_dimension(noise).exponent == doctest::Approx(2).epsilon(0.02));
  CHECK(std::abs(uncertainty_exponent(noise).exponent) < 0.02);
}

TEST_CASE("the boundary of Cantor strips has the dimension 1 + log 2 / log 3") {
  // Strips are coloured by the level of the middle third that a point lies in.
  const auto level = [](double x) {
    for (int k = 0; k < 12; ++k) {
      x *= 3;
      if (x >= 1 && x < 2) return k;
      x -= std::floor(x);
    }
    return 99;
  };
  const ColouredPlane strips = plane_of(2187, 256, [&](double x, double) { return level(x); });
  CHECK(box_dimension(strips).exponent == doctest::Approx(1 + std::log(2) / std::log(3)).epsilon(0.05));
  CHECK(uncertainty_exponent(strips).exponent ==
        doctest::Approx(1 - std::log(2) / std::log(3)).epsilon(0.12));
}

TEST_CASE("the map of Grebogi, McDonald, Ott and Yorke has their exponent, about 0.2") {
  const ColouredPlane plane =
      plane_of(512, 512, [](double a, double b) { return end_of_map(kTwoPi * a, b - 0.5); });
  const ScalingLaw exponent = uncertainty_exponent(plane);
  CHECK(exponent.exponent == doctest::Approx(0.2).epsilon(0.25));
  CHECK(exponent.error < 0.02);
  CHECK(box_dimension(plane).exponent == doctest::Approx(2 - exponent.exponent).epsilon(0.05));
}

TEST_CASE("planes of few cells and of one colour have no law") {
  for (const ColouredPlane& plane : {plane_of(1, 1, [](double, double) { return 0; }),
                                     plane_of(8, 8, [](double x, double) { return x < 0.5; }),
                                     plane_of(256, 1, [](double x, double) { return x < 0.5; }),
                                     plane_of(64, 64, [](double, double) { return 4; })}) {
    CHECK(std::isnan(box_dimension(plane).exponent));
    CHECK(std::isnan(uncertainty_exponent(plane).exponent));
    CHECK(std::isnan(uncertainty_exponent(plane).error));
  }
  CHECK_THROWS_AS(box_dimension({.across = 2, .up = 2, .colours = {1}}), std::invalid_argument);
}
