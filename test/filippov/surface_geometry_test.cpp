// States put onto surfaces.
#include <doctest/doctest.h>

#include <cmath>

#include "filippov/surface_geometry.hpp"
#include "slideway/model/from_functor.hpp"

namespace slideway {
namespace {

// Sheets through one line of the states, where the gradient vanishes.
struct Sheets {
  int count = 2;
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[0] * x[1];
    if (count == 3) h[0] = h[0] * (x[0] + 2.0 * x[1]);
  }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = -lambda[0];
    dx[1] = 0.0 * x[0];
    dx[2] = 0.0 * x[0];
  }
};

TEST_CASE("a state is put onto a surface however near to where the surface crosses itself") {
  for (const int count : {2, 3}) {
    const System system = from_functor(Sheets{count}, {.states = 3, .surfaces = 1});
    Evaluator evaluator(system);
    const RelayStructure structure(system);
    SurfaceGeometry geometry(evaluator, structure);
    for (const double distance : {1e-3, 1e-6, 1e-9, 1e-12}) {
      for (const double ratio : {1.0, 1.001, 0.7, 30.0}) {
        CAPTURE(count);
        CAPTURE(distance);
        CAPTURE(ratio);
        Vector x(3);
        x << distance, ratio * distance, 1;
        REQUIRE(geometry.project(0, {0}, Vector::Constant(3, 1e8), x));
        const double scale = std::max(1.0, ratio) * distance;
        const double nearest =
            std::min({std::abs(x[0]), std::abs(x[1]), count == 3 ? std::abs(x[0] + 2 * x[1]) : 1.0});
        CHECK(nearest <= 1e-12 * scale + 1e-20);
        CHECK(std::abs(x[0] - distance) <= 1.5 * scale);
        CHECK(x[2] == 1);
      }
    }
  }
}

// A wall that moves at unit speed through x₁ = 0 while t is not small; with bend it is curved.
struct MovingWall {
  double bend = 0;
  void guards(auto t, const auto& x, auto&& h) const { h[0] = x[0] - t + 2.986 + bend * x[1] * x[1]; }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = -lambda[0];
    dx[1] = 0.0 * x[0];
  }
};

TEST_CASE("a state is put onto a surface whose terms in time are larger than the state") {
  for (const double bend : {0.0, 1.0}) {
    const System system = from_functor(MovingWall{bend}, {.states = 2, .surfaces = 1});
    Evaluator evaluator(system);
    const RelayStructure structure(system);
    SurfaceGeometry geometry(evaluator, structure);
    for (int k = -200; k <= 200; ++k) {
      CAPTURE(k);
      const double t = 2.986 + k * 1.37e-13;
      Vector x(2);
      x << 1e-9 + 3e-17 * k, 1e-4;
      REQUIRE(geometry.project(t, {0}, Vector::Constant(2, 1e10), x));
      CHECK(std::abs(x[0] - (t - 2.986) + bend * 1e-8) <= 1e-14);
    }
  }
}

// Planes told by terms that cancel: of size 1, as in a rotated frame, or of the size of a level measured from far away.
struct CancellingPlanes {
  double far = 0;
  void guards(auto, const auto& x, auto&& h) const {
    const auto first = 0.955336489125606 * x[0] - 0.29552020666133955 * x[1];
    const auto second = 0.29552020666133955 * x[0] + 0.955336489125606 * x[1];
    h[0] = ((first + 0.31 * second) + far) - far;
    h[1] = ((second - 0.7 * first - 0.2 + 0.3 * x[2]) + far) - far;
  }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = -lambda[0];
    dx[1] = -lambda[1];
    dx[2] = 0.0 * x[0];
  }
};

TEST_CASE("a state is put onto surfaces whose terms cancel, but for their noise") {
  for (const double far : {0.0, 100.0, 1e4}) {
    const System system = from_functor(CancellingPlanes{far}, {.states = 3, .surfaces = 2});
    Evaluator evaluator(system);
    const RelayStructure structure(system);
    SurfaceGeometry geometry(evaluator, structure);
    for (int k = 0; k < 500; ++k) {
      CAPTURE(far);
      CAPTURE(k);
      Vector x(3);
      x << 1e-7 * std::sin(k), 0.3 * std::cos(1.7 * k) + 1e-7 * std::sin(2.3 * k), std::sin(0.9 * k);
      const bool on_both = k % 2 == 0;
      const std::vector<Index> surfaces = on_both ? std::vector<Index>{0, 1} : std::vector<Index>{0};
      REQUIRE(geometry.project(0, surfaces, Vector::Constant(3, 1e6), x));
      Vector h(2);
      system.guards(0, x, h);
      for (const Index i : surfaces) CHECK(std::abs(h[i]) <= 8e-16 * (1 + far));
    }
  }
}

// Two planes x₁ = 0, but for a gap that is small and yet plain.
struct Parallel {
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[0];
    h[1] = x[0] - 1e-9;
  }
  void field(auto, const auto&, const auto& lambda, auto&& dx) const { dx[0] = -lambda[0] - lambda[1]; }
};

TEST_CASE("a surface that is not met is not taken for noise") {
  const System system = from_functor(Parallel{}, {.states = 1, .surfaces = 2});
  Evaluator evaluator(system);
  const RelayStructure structure(system);
  SurfaceGeometry geometry(evaluator, structure);
  Vector x = Vector::Constant(1, 0.5e-9);
  CHECK_FALSE(geometry.project(0, {0, 1}, Vector::Constant(1, 1e6), x));
  CHECK(x[0] == 0.5e-9);
}

// Two levels and one between them in a unit of its own.
struct Levels {
  double unit = 1;
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[0] - x[1] / unit;
    h[1] = x[1] / unit - x[2];
  }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = -lambda[0];
    dx[1] = unit * (lambda[0] - lambda[1]);
    dx[2] = lambda[1] + 0.0 * x[2];
  }
};

TEST_CASE("a guard is changed by the shortest way in units of the errors") {
  for (const double unit : {1.0, 1e-6, 1e6}) {
    CAPTURE(unit);
    const System system = from_functor(Levels{unit}, {.states = 3, .surfaces = 2});
    Evaluator evaluator(system);
    const RelayStructure structure(system);
    SurfaceGeometry geometry(evaluator, structure);
    Vector x(3);
    x << 1, unit, 1;
    REQUIRE(geometry.change_guard(0, 0, 0.1, Eigen::Vector3d(1, 1 / unit, 1), x));
    CHECK(x[0] == doctest::Approx(1.05));
    CHECK(x[1] / unit == doctest::Approx(0.95));
    CHECK(x[2] == 1);
  }
}

TEST_CASE("a state is moved inside a region whose surfaces all but face each other") {
  for (const double unit : {1.0, 1e-3, 1e-6, 1e6}) {
    CAPTURE(unit);
    const System system = from_functor(Levels{unit}, {.states = 3, .surfaces = 2});
    Evaluator evaluator(system);
    const RelayStructure structure(system);
    SurfaceGeometry geometry(evaluator, structure);
    Vector x(3), h(2);
    x << 1, unit, 1.001;
    REQUIRE(geometry.move_inside(0, Vector::Ones(2), 1e-12, Vector::Ones(3), 1, x));
    evaluator.guards(0, x, h);
    CHECK(h[0] > 0);
    CHECK(h[1] > 0);
    CHECK(std::abs(x[0] - 1) <= 0.01);
    CHECK(std::abs(x[2] - 1) <= 0.01);
  }
}

// A quantity that vanishes with a speed, and the speed.
struct WithSpeed {
  void guards(auto, const auto& x, auto&& h) const {
    h[0] = x[0] * 1.5 + x[0] * (x[0] - x[1]) / 2.8;
    h[1] = x[0];
  }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = -lambda[0] - lambda[1];
    dx[1] = 0.0 * x[1];
  }
};

TEST_CASE("a state that a surface fixes alone is on it to the last bit, whatever else vanishes there") {
  const System system = from_functor(WithSpeed{}, {.states = 2, .surfaces = 2});
  Evaluator evaluator(system);
  const RelayStructure structure(system);
  SurfaceGeometry geometry(evaluator, structure);
  for (int k = 1; k <= 50; ++k) {
    Vector x(2);
    x << std::pow(10.0, -0.2 * k) * std::sin(1.0 * k), -4.0 + 0.1 * k;
    CAPTURE(x.transpose());
    REQUIRE(geometry.project(0, {0, 1}, Eigen::Vector2d(1e6, 1e6), x));
    CHECK(x[0] == 0);
  }
}

}  // namespace
}  // namespace slideway
