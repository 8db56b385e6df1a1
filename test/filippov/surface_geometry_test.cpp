// States put onto surfaces.
#include <doctest/doctest.h>

#include <cmath>

#include "slideway/filippov/surface_geometry.hpp"
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

}  // namespace
}  // namespace slideway
