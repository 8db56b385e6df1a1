// Manifolds of orbits as curves in a section, with closed forms.
#include "slideway/manifolds/orbit_manifolds.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "test/orbit/found_orbit.hpp"

using namespace slideway;
using namespace slideway::test;

namespace {

std::vector<OrbitManifoldCurve> curves_of(const OrbitManifolds& manifolds, ManifoldKind kind) {
  std::vector<OrbitManifoldCurve> result;
  for (const OrbitManifoldCurve& curve : manifolds.curves)
    if (curve.kind == kind) result.push_back(curve);
  return result;
}

PeriodicOrbit orbit_from(const ModelInstance& instance, const Vector& state, double period) {
  return find_periodic_orbit(instance.problem(), {.start = instance.start, .period = period, .state = state});
}

// x'' = -x + cos(w t) for x < 0, with impacts at x = 0: its flow is known, and impacts are roots of one function.
struct ImpactOscillator {
  double w = 2.8, e = 0.8;
  double amplitude() const { return 1 / (1 - w * w); }
  double period() const { return 2 * kPi / w; }
  Eigen::Vector2d flow(const Eigen::Vector2d& x, double from, double to) const {
    const double g = amplitude(), s = to - from;
    const double a = x[0] - g * std::cos(w * from), b = x[1] + g * w * std::sin(w * from);
    return {a * std::cos(s) + b * std::sin(s) + g * std::cos(w * to),
            -a * std::sin(s) + b * std::cos(s) - g * w * std::sin(w * to)};
  }
  // From t = 0 to the period.
  Eigen::Vector2d map(Eigen::Vector2d x) const {
    constexpr int samples = 400;
    double t = 0;
    for (int k = 1; k <= samples; ++k) {
      const double next = period() * k / samples;
      const Eigen::Vector2d there = flow(x, t, next);
      if (!(there[0] > 0)) continue;
      double low = std::max(t, period() * (k - 1) / samples), high = next;
      for (int i = 0; i < 80; ++i) {
        const double middle = 0.5 * (low + high);
        (flow(x, t, middle)[0] > 0 ? high : low) = middle;
      }
      x = flow(x, t, low);
      x = {0, -e * x[1]};
      t = low;
    }
    return flow(x, t, period());
  }
};

// The distance of a point from the curve of the parameters in [0, 1].
double distance_from(const std::function<Eigen::Vector2d(double)>& curve, const Eigen::Vector2d& point) {
  constexpr int samples = 400;
  int nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k <= samples; ++k) {
    const double distance = (curve(static_cast<double>(k) / samples) - point).norm();
    if (distance < least) nearest = k;
    least = std::min(least, distance);
  }
  double low = static_cast<double>(std::max(nearest - 1, 0)) / samples;
  double high = static_cast<double>(std::min(nearest + 1, samples)) / samples;
  const double golden = 0.5 * (std::sqrt(5.0) - 1);
  for (int k = 0; k < 100; ++k) {
    const double first = high - golden * (high - low), second = low + golden * (high - low);
    ((curve(first) - point).norm() < (curve(second) - point).norm() ? high : low) =
        (curve(first) - point).norm() < (curve(second) - point).norm() ? second : first;
  }
  return (curve(0.5 * (low + high)) - point).norm();
}

}  // namespace

TEST_CASE("the manifolds of a driven linear saddle are straight, and go on behind an impact") {
  // x'' = x + cos(t) has the orbit -cos(t)/2, and at t = 0 the manifolds v = x + 0.5 and v = -(x + 0.5).
  const ModelInstance instance = instance_of(
      "[states]\nx = -0.5\nv = 0.0\n[time]\nend = 1.0\n[derivatives]\nx = \"v\"\nv = \"x + cos(t)\"\n");
  const PeriodicOrbit orbit = orbit_from(instance, Vector{{-0.5, 0.0}}, 2 * kPi);
  require_orbit(orbit);
  const OrbitManifolds manifolds = follow_orbit_manifolds(instance.problem(), orbit, {.length = 5});
  CHECK(manifolds.stable_dimensions == 1);
  CHECK(manifolds.unstable_dimensions == 1);
  CHECK(manifolds.remarks.empty());
  for (const ManifoldKind kind : {ManifoldKind::stable, ManifoldKind::unstable}) {
    const auto curves = curves_of(manifolds, kind);
    REQUIRE(curves.size() == 2);
    const double slope = kind == ManifoldKind::unstable ? 1 : -1;
    for (const OrbitManifoldCurve& curve : curves) {
      CAPTURE(curve.message);
      CHECK(curve.complete);
      CHECK(curve.points.back().arclength >= 5);
      for (std::size_t k = 0; k < curve.points.size(); ++k) {
        const Vector& x = curve.points[k].state;
        CHECK(std::abs(x[1] - slope * (x[0] + 0.5)) <= 1e-8);
        if (k > 0) CHECK((x - curve.points[k - 1].state).norm() <= 0.05);
      }
    }
    CHECK((curves[0].points.back().state[0] + 0.5) * (curves[1].points.back().state[0] + 0.5) < 0);
  }
}

TEST_CASE("the curves of a saddle orbit with impacts are images of its eigenvectors") {
  // Alpha is 0. The impact of the orbit is at t1 with the speed v1 after it, found by bisection of the closed form.
  const ModelInstance instance = gallery_instance("impact_oscillator", {{"alpha", 0.0}, {"w", 2.8}});
  const ImpactOscillator exact;
  constexpr double t1 = 1.0926345564090811, v1 = -0.26894181598053607;
  constexpr double growing = -2.958095066993601, shrinking = -0.21635545359617225;
  const Eigen::Vector2d begin = exact.flow({0, v1}, t1 - exact.period(), 0);
  CHECK((exact.map(begin) - begin).norm() <= 1e-9);
  const PeriodicOrbit orbit = orbit_from(instance, begin, exact.period());
  require_orbit(orbit);
  CHECK((orbit.state - begin).norm() <= kExact);
  CHECK(has_multiplier(orbit, growing, 1e-7));
  CHECK(has_multiplier(orbit, shrinking, 1e-7));
  // The monodromy matrix from t = 0, with the saltation matrix of the impact.
  const auto rotation = [](double s) {
    return (Eigen::Matrix2d() << std::cos(s), std::sin(s), -std::sin(s), std::cos(s)).finished();
  };
  const double before = -v1 / exact.e, force = std::cos(exact.w * t1);
  const Eigen::Matrix2d saltation =
      (Eigen::Matrix2d() << -exact.e, 0, (1 + exact.e) * force / before, -exact.e).finished();
  const Eigen::Matrix2d monodromy = rotation(exact.period() - t1) * saltation * rotation(t1);
  const OrbitManifolds manifolds = follow_orbit_manifolds(instance.problem(), orbit, {.length = 1.5});
  for (const ManifoldKind kind : {ManifoldKind::stable, ManifoldKind::unstable}) {
    const auto curves = curves_of(manifolds, kind);
    REQUIRE(curves.size() == 2);
    for (const OrbitManifoldCurve& curve : curves) {
      CAPTURE(curve.message);
      CAPTURE(to_string(kind));
      CHECK(curve.complete);
      const Eigen::Vector2d direction = Eigen::Vector2d(curve.direction).normalized();
      const Eigen::Vector2d image = monodromy * direction;
      CHECK(std::abs(image[0] * direction[1] - image[1] * direction[0]) <= 1e-7);
    }
  }
  // Every point of the unstable curves is on the image of the first piece by the closed form.
  for (const OrbitManifoldCurve& curve : curves_of(manifolds, ManifoldKind::unstable)) {
    // The map is applied twice, since the multiplier is negative.
    const double stretch = 2 * std::log(-growing);
    const Eigen::Vector2d first = curve.points[1].state - curve.points[0].state;
    for (std::size_t k = 1; k < curve.points.size(); k += 25) {
      const OrbitManifoldPoint& point = curve.points[k];
      const auto image = [&](double part) {
        Eigen::Vector2d x = begin + std::exp(part * stretch) * first;
        for (Index r = 0; r < point.returns; ++r) x = exact.map(x);
        return x;
      };
      CAPTURE(point.arclength);
      CHECK(distance_from(image, point.state) <= 1e-8);
    }
  }
  // The map takes each point of the stable curves back to the first piece, with errors that grow by 2.96 in each return.
  for (const OrbitManifoldCurve& curve : curves_of(manifolds, ManifoldKind::stable)) {
    for (std::size_t k = 1; k < curve.points.size(); k += 25) {
      const OrbitManifoldPoint& point = curve.points[k];
      Eigen::Vector2d x = point.state;
      for (Index r = 0; r < point.returns; ++r) x = exact.map(x);
      CHECK((x - begin).norm() <= 1e-5 + 1e-9 * std::pow(-growing, point.returns));
    }
  }
}

TEST_CASE("the curves of an autonomous orbit are in the plane across it, through a surface") {
  // With u = q/sqrt(1 - q^2), q = (r - 1)/0.9, is u' = u. Since z' = -2(z - 1) + c*u^2, c = 1 for x > 0 and 3 for x < 0, the
  // unstable manifold is z = 1 + g*u^2 with g' = -4g + c over the angle; the stable one is r = 1, and r remains between 0.1 and 1.9.
  const ModelInstance instance = instance_of(R"TOML(
[states]
x = 0.6
y = 0.8
z = 1.0
[time]
end = 1.0
[definitions]
r = "sqrt(x^2 + y^2)"
q = "(r - 1)/0.9"
growth = "0.9*q*(1 - q^2)/r"
[surfaces]
side = "x"
[derivatives]
x = "growth*x - y"
y = "growth*y + x"
z = "-2*(z - 1) + if(side > 0, 1, 3)*q^2/(1 - q^2)"
)TOML");
  const PeriodicOrbit orbit = orbit_from(instance, Vector{{0.6, 0.8, 1.0}}, 2 * kPi);
  require_orbit(orbit);
  const OrbitManifolds manifolds = follow_orbit_manifolds(instance.problem(), orbit, {.length = 0.5});
  REQUIRE(manifolds.normal.size() == 3);
  REQUIRE(manifolds.remarks.empty());
  // The periodic solution g at the angle of the section, which has x > 0: half a turn with c = 3 ends at the angle -pi/2.
  const double angle = std::atan2(orbit.state[1], orbit.state[0]);
  REQUIRE(std::abs(angle) < kPi / 2);
  const double half = std::exp(-4 * kPi);
  const double at_begin = (0.25 * (1 - half) * half + 0.75 * (1 - half)) / (1 - half * half);
  const double g = 0.25 + (at_begin - 0.25) * std::exp(-4 * (angle + kPi / 2));
  for (const OrbitManifoldCurve& curve : curves_of(manifolds, ManifoldKind::unstable)) {
    CAPTURE(curve.message);
    CHECK(curve.points.size() > 20);
    for (const OrbitManifoldPoint& point : curve.points) {
      const double q = (std::hypot(point.state[0], point.state[1]) - 1) / 0.9;
      CHECK(std::abs(point.state[2] - 1 - g * q * q / (1 - q * q)) <= 1e-8);
      CHECK(std::abs(manifolds.normal.dot(point.state - orbit.state)) <= 1e-8);
    }
  }
  const auto stable = curves_of(manifolds, ManifoldKind::stable);
  REQUIRE(stable.size() == 2);
  for (const OrbitManifoldCurve& curve : stable) {
    CAPTURE(curve.message);
    CHECK(curve.complete);
    for (const OrbitManifoldPoint& point : curve.points)
      CHECK(std::abs(std::hypot(point.state[0], point.state[1]) - 1) <= 1e-8);
  }
}

TEST_CASE("what arrives at the sliding piece of an orbit is its stable manifold, a fan") {
  // x slides at 0 where |1.2 cos t| < 1, and u' = u + x.
  const ModelInstance instance = instance_of(R"TOML(
[states]
x = 1.0
u = 0.0
[time]
end = 1.0
[surfaces]
rest = "x"
[derivatives]
x = "-sgn(rest) + 1.2*cos(t)"
u = "u + x"
)TOML");
  PeriodicOrbit orbit;
  for (const double u : {0.0, -1.0, -0.5}) {
    orbit = orbit_from(instance, Vector{{1.0, u}}, 2 * kPi);
    if (orbit.converged && orbit.admissible) break;
  }
  require_orbit(orbit);
  CHECK(count_of(orbit, MultiplierKind::exact_zero) == 1);
  const OrbitManifolds manifolds = follow_orbit_manifolds(instance.problem(), orbit, {.length = 3});
  REQUIRE(manifolds.remarks.size() == 1);
  CHECK(manifolds.remarks.front().find("fan") != std::string::npos);
  int points = 0;
  const Simulator simulator(instance.problem(), {.rtol = 1e-11});
  for (const OrbitManifoldCurve& curve : curves_of(manifolds, ManifoldKind::stable)) {
    CHECK(curve.piece == ManifoldPiece::fan);
    for (const OrbitManifoldPoint& point : curve.points) {
      if (point.returns > 0) continue;
      ++points;
      const Solution one =
          simulator.run({.start = orbit.start, .end = orbit.start + orbit.period, .state = point.state});
      REQUIRE(one.outcome.reached_end());
      // The error of u grows by exp(2 pi).
      CHECK((one.final.state - orbit.state).norm() <= 1e-6);
    }
  }
  CHECK(points >= 10);
}

TEST_CASE("what is asked of the curves of an orbit and makes no sense is refused") {
  const ModelInstance instance = instance_of(
      "[states]\nx = -0.5\nv = 0.0\n[time]\nend = 1.0\n[derivatives]\nx = \"v\"\nv = \"x + cos(t)\"\n");
  const PeriodicOrbit orbit = orbit_from(instance, Vector{{-0.5, 0.0}}, 2 * kPi);
  const auto follow = [&](const OrbitManifoldOptions& options) {
    return follow_orbit_manifolds(instance.problem(), orbit, options);
  };
  CHECK_THROWS_WITH_AS(follow({.length = -1}), doctest::Contains("length"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(follow({.distance = 0}), doctest::Contains("distance"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(follow({.angle = 2}), doctest::Contains("angle"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(follow({.most_runs = 0}), doctest::Contains("runs"), std::invalid_argument);
  CHECK_THROWS_WITH_AS(follow_orbit_manifolds(instance.problem(), PeriodicOrbit{}),
                       doctest::Contains("orbit"), std::invalid_argument);
}
