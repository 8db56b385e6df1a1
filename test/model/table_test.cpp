// Characteristics of C++: their values, their knots as surfaces, what is wrong with them.
#include "slideway/model/table.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include "slideway/model/check.hpp"
#include "slideway/model/from_functor.hpp"
#include "slideway/simulate/simulator.hpp"

using namespace slideway;

namespace {

struct Spring {
  Table table{{.first = {-1, 0, 2}, .values = {-4, 0, 2}, .beyond = Beyond::linear}};
  void guards(auto, const auto& x, auto&& h) const { table.guards(x[0], h, 0); }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = x[1];
    dx[1] = -table.value(x[0], lambda, 0);
  }
};

struct Surface {
  Table table{{.first = {0, 1, 3}, .second = {0, 2}, .values = {0, 2, 1, 5, 2, 2}, .beyond = Beyond::hold}};
  void guards(auto, const auto& x, auto&& h) const { table.guards(x[0], x[1], h, 0); }
  void field(auto, const auto& x, const auto& lambda, auto&& dx) const {
    dx[0] = 1;
    dx[1] = table.value(x[0], x[1], lambda, 0);
  }
};

}  // namespace

TEST_CASE("a table has its values at the knots, and lines or steps between them") {
  const Table line({.first = {-1, 0, 2}, .values = {-4, 0, 2}, .beyond = Beyond::hold});
  CHECK(line(-5) == -4);
  CHECK(line(-0.5) == -2);
  CHECK(line(2) == 2);
  CHECK(line(7) == 2);
  const Table steps({.first = {0, 1, 2}, .values = {3, 5, 4}, .interpolation = Interpolation::hold});
  CHECK(steps(0) == 3);
  CHECK(steps(0.99) == 3);
  CHECK(steps(1) == 5);
  CHECK(steps(2) == 4);
  CHECK_THROWS_AS(steps(2.01), std::out_of_range);
  CHECK_THROWS_AS(steps(-1), std::out_of_range);
  const Table curve({.first = {0, 1, 2}, .values = {0, 1, 8}, .interpolation = Interpolation::pchip});
  CHECK(curve(1) == 1);
  CHECK(curve(1.5) > 1);
  CHECK(curve(2) == 8);
  // u³ has the slopes 3u².
  const Table cubic(
      {.first = {0, 1, 2}, .values = {0, 1, 8}, .slopes = {0, 3, 12}, .interpolation = Interpolation::cubic});
  CHECK(cubic(0.5) == doctest::Approx(0.125));
  CHECK(cubic(1.5) == doctest::Approx(3.375));
  CHECK_THROWS_WITH_AS(Table({.first = {0, 1}, .values = {0, 1}, .slopes = {0, 3}}),
                       doctest::Contains("slopes that fit no cubic"), std::invalid_argument);
}

TEST_CASE("a table of two variables is bilinear in every rectangle") {
  const Surface surface;
  CHECK(surface.table(0, 0) == 0);
  CHECK(surface.table(1, 2) == 5);
  CHECK(surface.table(0.5, 1) == doctest::Approx(0.25 * (0 + 2 + 1 + 5)));
  CHECK(surface.table(2, 1) == doctest::Approx(0.25 * (1 + 5 + 2 + 2)));
  CHECK(surface.table(9, -3) == 2);
  CHECK(surface.table.surfaces() == 5);
}

TEST_CASE("the knots of a table are surfaces of a system, met at exact times") {
  const System system = from_functor(Spring{}, {.states = 2, .surfaces = Spring{}.table.surfaces()});
  CHECK(system.surfaces() == 1);
  CHECK(check_multi_affine(system, 0, Eigen::Vector2d(0.3, 0.1)).passed);
  CHECK(check_derivatives(system, 0, Eigen::Vector2d(0.3, 0.1), Vector::Ones(1)).passed);
  const Solution solution = Simulator(system, {.rtol = 1e-10, .atol = 1e-12})
                                .run({.start = 0, .end = 6, .state = Eigen::Vector2d(1, 0)});
  REQUIRE(solution.outcome.succeeded());
  // A quarter of a period of each side: pi/2 with the frequency 1, pi with 2 below zero.
  REQUIRE(solution.events.size() == 2);
  const double pi = 3.14159265358979323846;
  CHECK(solution.events[0].t == doctest::Approx(pi / 2).epsilon(1e-9));
  CHECK(solution.events[1].t == doctest::Approx(pi).epsilon(1e-9));
}

TEST_CASE("the field of a table of two variables has exact derivatives") {
  const System system = from_functor(Surface{}, {.states = 2, .surfaces = 5});
  Vector h(5);
  system.guards(0, Eigen::Vector2d(0.5, 1), h);
  CHECK((h.array() < 0).count() == 3);
  const Vector relays = h.array().sign();
  CHECK(check_derivatives(system, 0, Eigen::Vector2d(0.5, 1), relays).passed);
  const Solution solution =
      Simulator(system, {.rtol = 1e-9}).run({.start = 0, .end = 2, .state = Eigen::Vector2d(-0.5, 0.1)});
  CHECK(solution.outcome.succeeded());
  CHECK(solution.events.size() >= 2);
}

TEST_CASE("what is wrong with a table is told") {
  CHECK_THROWS_AS(Table({.first = {1}, .values = {1}}), std::invalid_argument);
  CHECK_THROWS_AS(Table({.first = {1, 1}, .values = {1, 2}}), std::invalid_argument);
  CHECK_THROWS_AS(Table({.first = {1, 2}, .values = {1}}), std::invalid_argument);
  CHECK_THROWS_AS(Table({.first = {1, 2}, .values = {1, std::nan("")}}), std::invalid_argument);
  CHECK_THROWS_AS(Table({.first = {1, 2, 3}, .values = {1, 3, 2}, .monotone = true}), std::invalid_argument);
}
